import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode, encode, unreservedEnd } from '../../src/base/percent.ts';

describe('percent-encoding', () => {
  const input: [string, string][] = [
    ['', ''],
    ['abcABC123-._~', 'abcABC123-._~'],
    ['Ladies + Gentlemen', 'Ladies%20%2B%20Gentlemen'],
    ['An encoded string!', 'An%20encoded%20string%21'],
    ["!'()*", '%21%27%28%29%2A'],
    ['&=;,/?:@$', '%26%3D%3B%2C%2F%3F%3A%40%24'],
    ['%', '%25'],
    ['\u0000\n\u007f', '%00%0A%7F'],
    ['\u0080', '%C2%80'],
    ['é', '%C3%A9'],
    ['\u3001', '%E3%80%81'],
    ['\u2603', '%E2%98%83'],
    ['\u{1f600}!', '%F0%9F%98%80%21'],
  ];
  for (const [plain, encoded] of input) {
    test(`${JSON.stringify(plain)} is ${encoded}`, () => {
      assert.equal(encode(plain), encoded);
      assert.equal(decode(encoded, false), plain);
      const lower = encoded.replace(/%../g, (escaped) => escaped.toLowerCase());
      assert.equal(decode(lower, false), plain);
    });
  }

  test('a lone surrogate is encoded as the replacement character', () => {
    assert.equal(encode('\ud800'), '%EF%BF%BD');
    assert.equal(encode('a\udc00b'), 'a%EF%BF%BDb');
  });

  test('a plus is a space only in queries and forms', () => {
    assert.equal(decode('a+b%2Bc', true), 'a b+c');
    assert.equal(decode('a+b%2Bc', false), 'a+b+c');
  });

  test('bad escapes and bytes that are not UTF-8 cannot be decoded', () => {
    for (const bad of ['%', '%4', '%zz', '%C3', '%C3%28', '%FF', '%ED%A0%80', '%F8%88%80%80%80']) {
      assert.equal(decode(bad, true), undefined, bad);
    }
  });

  test('runs of unreserved characters end at the first other', () => {
    assert.equal(unreservedEnd('abc def', 0), 3);
    assert.equal(unreservedEnd('abc def', 3), 3);
    assert.equal(unreservedEnd('abc def', 4), 7);
    assert.equal(unreservedEnd('é', 0), 0);
    assert.equal(unreservedEnd('', 0), 0);
  });
});
