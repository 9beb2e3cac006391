import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import OAuth from 'oauth-1.0a';
import { origin } from '../../src/base/origin.ts';
import { decode, encode } from '../../src/base/percent.ts';
import { parseForm } from '../../src/features/auth/oauth1/parameters.ts';
import {
  type ParsedRequest,
  parseRequest,
  type SignedParts,
  sign,
  signingKey,
  verify,
} from '../../src/features/auth/oauth1/signature.ts';
import { baseStrings, normalizedParameters } from '../rig/base-strings.ts';
import { fc } from '../rig/laws.ts';

interface Vector {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly oauth: Record<string, string>;
  readonly place?: string;
  readonly consumer_secret: string;
  readonly token_secret: string;
  readonly base_string?: string;
  readonly normalised?: string;
  readonly signature: string;
  readonly form_body?: string;
}

function vectors(name: string): Vector[] {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8')) as Vector[];
}

const OWN = vectors('oauth1-own.json');
const ALL = [...vectors('oauth1-published.json'), ...OWN];

function own(id: string): Vector {
  return ALL.find((vector) => vector.id === id)!;
}

function headerOf(parameters: Readonly<Record<string, string>>): string {
  const pieces = Object.entries(parameters).map(([name, value]) => `${encode(name)}="${encode(value)}"`);
  return `OAuth ${pieces.join(', ')}`;
}

function originOf(vector: Vector): string {
  const [, scheme, host] = /^(https?):\/\/([^/]*)/.exec(vector.url)!;
  return origin(scheme as 'http' | 'https', host!);
}

/** The request as it arrives, with the expected signature in it. */
function partsOf(vector: Vector, change: Partial<SignedParts> = {}): SignedParts {
  const oauth = { ...vector.oauth, oauth_signature: vector.signature };
  const target = vector.url.replace(/^https?:\/\/[^/]*/, '');
  const inQuery = Object.entries(oauth).map(([name, value]) => `${name}=${encode(value)}`);
  const place =
    vector.place === 'query'
      ? { target: `${target}?${inQuery.join('&')}`, authorization: undefined }
      : { target, authorization: headerOf(oauth) };
  return { method: vector.method, form: vector.form_body, ...place, ...change };
}

function parsedRequestOf(parts: SignedParts): ParsedRequest {
  const claim = parseRequest(parts);
  if ('reason' in claim) assert.fail(`${claim.reason}: ${claim.detail}`);
  return claim;
}

function holds(vector: Vector, change: Partial<SignedParts> = {}, secrets = {}): boolean {
  const { consumer_secret, token_secret } = { ...vector, ...secrets };
  const claim = parseRequest(partsOf(vector, change));
  return !('reason' in claim) && verify(claim, [originOf(vector)], signingKey(consumer_secret, token_secret));
}

describe('published and own vectors', () => {
  for (const vector of ALL) {
    test(`${vector.id} is verified`, () => {
      const claim = parsedRequestOf(partsOf(vector));
      assert.ok(verify(claim, [originOf(vector)], signingKey(vector.consumer_secret, vector.token_secret)));
      assert.equal(claim.signature, vector.signature);
      if (vector.base_string !== undefined) {
        assert.ok(baseStrings(claim, [originOf(vector)]).includes(vector.base_string));
      }
      if (vector.normalised !== undefined) assert.equal(normalizedParameters(claim), vector.normalised);
    });

    test(`${vector.id} is signed`, () => {
      const form = parseForm(vector.form_body ?? '');
      assert.ok(!('reason' in form));
      const signed = sign({
        method: vector.method,
        url: vector.url,
        form: form.map((pair) => [pair.name, pair.value] as const),
        oauth: vector.oauth,
        consumerSecret: vector.consumer_secret,
        tokenSecret: vector.token_secret,
      });
      assert.equal(signed.signature, vector.signature);
      if (vector.base_string !== undefined) assert.equal(signed.baseString, vector.base_string);
      if (vector.normalised !== undefined) assert.equal(signed.parameterString, vector.normalised);
      assert.ok(signed.header.includes(`oauth_signature="${encode(vector.signature)}"`));
    });

    test(`${vector.id}: any one-byte change of an input breaks it`, () => {
      const oauth = { ...vector.oauth, oauth_signature: vector.signature };
      assert.ok(!holds(vector, { method: vector.method === 'GET' ? 'PUT' : 'GET' }));
      assert.ok(!holds(vector, { target: partsOf(vector).target.replace('/', '/x') }));
      assert.ok(!holds(vector, { target: `${partsOf(vector).target}${vector.url.includes('?') ? '&' : '?'}more=1` }));
      assert.ok(!holds(vector, { form: `${vector.form_body ?? ''}&more=1` }));
      assert.ok(!holds(vector, {}, { consumer_secret: `${vector.consumer_secret.slice(0, -1)}!` }));
      assert.ok(!holds(vector, {}, { token_secret: `${vector.token_secret}!` }));
      for (const name of Object.keys(vector.oauth)) {
        const value = oauth[name as keyof typeof oauth] ?? '';
        const changed = { ...oauth, [name]: `${value.slice(0, -1)}${value.endsWith('7') ? '8' : '7'}` };
        assert.ok(!holds({ ...vector, oauth: changed }), name);
      }
      for (const signature of [
        '',
        vector.signature.slice(1),
        `${vector.signature}=`,
        `A${vector.signature.slice(1)}`,
      ]) {
        assert.ok(!holds({ ...vector, signature }) || signature === vector.signature, signature);
      }
    });

    test(`${vector.id}: an equivalent spelling keeps it`, () => {
      const entries = Object.entries({ ...vector.oauth, oauth_signature: vector.signature });
      const pieces = entries.map(([name, value]) => [name, encode(value)] as const);
      const target = vector.url.replace(/^https?:\/\/[^/]*/, '');
      const spellings = {
        'other order': pieces
          .toReversed()
          .map(([name, value]) => `${name}="${value}"`)
          .join(', '),
        'realm first': `realm="a, b=\\"c\\"", ${pieces.map(([name, value]) => `${name}="${value}"`).join(', ')}`,
        'realm last': `${pieces.map(([name, value]) => `${name}="${value}"`).join(',')}, realm="https://x.test/"`,
        'no blanks, trailing comma': `${pieces.map(([name, value]) => `${name}="${value}"`).join(',')},`,
        'wide blanks': pieces.map(([name, value]) => `${name} = "${value}"`).join(' \t,\t '),
        'no quotes': pieces.map(([name, value]) => `${name}=${value}`).join(', '),
        'lower-case hex': pieces.map(([name, value]) => `${name}="${value.replace(/%../g, lower)}"`).join(', '),
        'needless escapes': pieces
          .map(
            ([name, value]) => `${name.replace('_', '%5f')}="${value.replaceAll('-', '%2D').replaceAll('~', '%7E')}"`,
          )
          .join(', '),
      };
      for (const [name, text] of Object.entries(spellings)) {
        for (const scheme of ['OAuth', 'oauth', 'OAUTH ']) {
          assert.ok(holds(vector, { target, authorization: `${scheme} ${text}` }), name);
        }
      }
      assert.ok(holds(vector, { method: vector.method.toLowerCase() }));
      assert.ok(holds(vector, { target: `${partsOf(vector).target}#fragment` }));
      assert.ok(holds(vector, { target: `${originOf(vector)}${partsOf(vector).target}` }));
    });
  }

  function lower(escaped: string): string {
    return escaped.toLowerCase();
  }

  test('an upper-case host and an explicit default port give the same origin', () => {
    const vector = own('own-04');
    for (const host of ['API.example.TEST', 'api.example.test:443', 'Api.Example.Test:']) {
      const key = signingKey(vector.consumer_secret, vector.token_secret);
      assert.ok(verify(parsedRequestOf(partsOf(vector)), [origin('https', host)], key));
    }
  });

  test('the second origin is tried; none is not enough', () => {
    const vector = own('own-03');
    const claim = parsedRequestOf(partsOf(vector));
    const key = signingKey(vector.consumer_secret, vector.token_secret);
    assert.ok(verify(claim, ['https://other.example.test', originOf(vector)], key));
    assert.ok(!verify(claim, ['https://other.example.test'], key));
    assert.ok(!verify(claim, [], key));
    assert.equal(baseStrings(claim, ['https://a.test', 'https://b.test']).length, 2);
  });

  test('a token in header and body is accepted with one copy signed and with both', () => {
    const both = own('own-02b');
    const one = { ...both, signature: own('own-02').signature };
    assert.ok(holds(both));
    assert.ok(holds(one));
    assert.deepEqual(baseStrings(parsedRequestOf(partsOf(both)), [originOf(both)]), [
      own('own-02').base_string,
      both.base_string,
    ]);
  });

  test('an implementation by others agrees', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 }).map((value) => value.toWellFormed());
    const form = fc.dictionary(text.filter(isOrdinaryName), text);
    fc.assert(
      fc.property(form, text, text, (data, consumerSecret, tokenSecret) => {
        const client = new OAuth({
          consumer: { key: 'ck', secret: consumerSecret },
          signature_method: 'HMAC-SHA1',
          hash_function: (base, key) => createReference(base, key),
        });
        const url = 'https://api.example.test/1.1/x';
        const theirs = client.authorize({ url, method: 'POST', data }, { key: 'tk', secret: tokenSecret });
        const body = Object.entries(data).map(([name, value]) => `${encode(name)}=${encode(value)}`);
        const { authorization } = { authorization: client.toHeader(theirs).Authorization };
        const claim = parsedRequestOf({ method: 'POST', target: '/1.1/x', authorization, form: body.join('&') });
        assert.ok(verify(claim, ['https://api.example.test'], signingKey(consumerSecret, tokenSecret)));
      }),
    );
  });
});

/** `__proto__` is no key of a plain object, which is what the other implementation takes. */
function isOrdinaryName(name: string): boolean {
  return name !== '' && name !== '__proto__' && !name.startsWith('oauth_');
}

function createReference(base: string, key: string): string {
  return createHmac('sha1', key).update(base).digest('base64');
}

describe('encoding', () => {
  const cases: Record<string, string> = {
    abcABC123: 'abcABC123',
    '-._~': '-._~',
    '%': '%25',
    '+': '%2B',
    '&=*': '%26%3D%2A',
    '\n': '%0A',
    ' ': '%20',
    '\x7f': '%7F',
    '\x80': '%C2%80',
    '\u3001': '%E3%80%81',
    "a!'()b": 'a%21%27%28%29b',
    '\u3001!*': '%E3%80%81%21%2A',
    '\u{1f600}': '%F0%9F%98%80',
    '\ud800': '%EF%BF%BD',
    '': '',
  };
  for (const [text, encoded] of Object.entries(cases)) {
    test(`of ${JSON.stringify(text)}`, () => {
      assert.equal(encode(text), encoded);
      assert.equal(decode(encoded, true), text.toWellFormed());
      assert.equal(decode(encoded.toLowerCase(), false)?.toLowerCase(), text.toWellFormed().toLowerCase());
    });
  }

  test('agrees with encodeURIComponent for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const expected = [...Buffer.from(text)].map((byte) =>
          /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
            ? String.fromCharCode(byte)
            : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
        );
        assert.equal(encode(text), expected.join(''));
        assert.equal(decode(encode(text), false), text);
      }),
    );
  });

  test('plus is a space only on request', () => {
    assert.equal(decode('a+b%2B', true), 'a b+');
    assert.equal(decode('a+b%2B', false), 'a+b+');
  });

  for (const bad of ['%', '%4', '%zz', 'a%', '%C3', '%C3%28', '%FF', '%ED%A0%80', '%C0%AF']) {
    test(`${bad} cannot be decoded`, () => assert.equal(decode(bad, true), undefined));
  }
});
