import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCursor, encodeCursor } from '../../src/base/cursor.ts';

const LIST = 'a list';

describe('cursors', () => {
  const places: (string | number | null)[][] = [
    ['2026-03-02T17:04:55Z', 'abc'],
    [null, 'abc'],
    [9_007_199_254_740_991, 'abc'],
    [-5, 0, 'abc'],
    ['quote " backslash \\ line \u2028 face \u{1f600} é', 'abc'],
    ['', ''],
    ['x'.repeat(255), 'abc'],
  ];
  for (const after of places) {
    test(`${JSON.stringify(after).slice(0, 50)} comes back`, () => {
      const text = encodeCursor({ after }, LIST);
      assert.match(text, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(decodeCursor(text, LIST, after.length), { after });
    });
  }

  test('the longest name makes a cursor that a request can carry', () => {
    const text = encodeCursor({ after: ['\u{1f600}'.repeat(255), 'zzzzzz'] }, LIST);
    assert.ok(text.length < 2000, String(text.length));
    const escaped = encodeCursor({ after: ['"'.repeat(255), 'zzzzzz'] }, LIST);
    assert.ok(escaped.length < 2000, String(escaped.length));
  });

  test('is valid only for its own list and number of keys', () => {
    const text = encodeCursor({ after: ['a', 'b'] }, LIST);
    assert.equal(decodeCursor(text, 'another list', 2), undefined);
    assert.equal(decodeCursor(text, LIST, 1), undefined);
    assert.equal(decodeCursor(text, LIST, 3), undefined);
  });

  const good = encodeCursor({ after: ['a', 'b'] }, LIST);
  const digest = Buffer.from(good, 'base64url').toString().slice(0, 8);
  const of = (json: string) => Buffer.from(digest + json).toString('base64url');
  const garbled: [string, string][] = [
    ['nothing', ''],
    ['one more letter', `${good}A`],
    ['a letter less', good.slice(0, -1)],
    ['padding', `${good}==`],
    ['a blank', `${good} `],
    ['the other alphabet', good.replace(/^./, '+')],
    ['no JSON', of('["a","b"')],
    ['an object', of('{"0":"a","length":2}')],
    ['null', of('null')],
    ['a nested list', of('[["a"],"b"]')],
    ['a fraction', of('[1.5,"b"]')],
    ['a number beyond 53 bits', of('[9007199254740993,"b"]')],
    ['a boolean', of('[true,"b"]')],
    ['U+0000', of('["\\u0000","b"]')],
    ['a lone surrogate', of('["\\ud800","b"]')],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(digest), Buffer.from([0xff])]).toString('base64url')],
  ];
  for (const [what, text] of garbled) {
    test(`${what} is no cursor`, () => assert.equal(decodeCursor(text, LIST, 2), undefined));
  }
});
