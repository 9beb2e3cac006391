import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { hmacOfText } from '../../src/base/hmac.ts';
import { encode } from '../../src/base/percent.ts';
import { fastParse } from '../../src/features/auth/oauth1/fast-parser.ts';
import { fullParse } from '../../src/features/auth/oauth1/full-parser.ts';
import {
  parseRequest,
  type SignedParts,
  sameSignature,
  sign,
  signingKey,
  verify,
} from '../../src/features/auth/oauth1/signature.ts';
import { fc } from '../rig/laws.ts';

const NAMES = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_token',
  'oauth_version',
] as const;

const plain = fc.stringMatching(/^[A-Za-z0-9._~-]{1,40}$/);
const signature = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((digest) => encode(base64(digest)));
const weird = fc.constantFrom(
  '',
  'a b',
  '%7E',
  '%7e',
  '%2b',
  '%',
  '%C3%87',
  '\xe9',
  'a"b',
  '\\',
  'a,b',
  'n'.repeat(256),
);
const oddName = fc.constantFrom('oauth_callback', 'oauth_tokens', 'oauth_x', 'realm', 'x', 'oauth_', 'Oauth_nonce', '');
const separator = fc.constantFrom(',', ', ', ' , ', ',  ', ' ', ',,', '');

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function usual(name: string): fc.Arbitrary<string> {
  if (name === 'oauth_signature') return signature;
  if (name === 'oauth_signature_method') return fc.constant('HMAC-SHA1');
  return name === 'oauth_version' ? fc.constant('1.0') : plain;
}

/** Headers of the usual shape and near it: now and then a name, a value, a quote or a separator is off. */
const piece = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof({ weight: 30, arbitrary: fc.constant(name) }, { weight: 1, arbitrary: oddName }),
      fc.oneof({ weight: 30, arbitrary: usual(name) }, { weight: 1, arbitrary: fc.oneof(weird, plain, signature) }),
      fc.oneof({ weight: 30, arbitrary: fc.constant(['"', '"']) }, { weight: 1, arbitrary: fc.constant(['', '']) }),
    )
    .map(([key, value, [open, close]]) => `${key}=${open}${value}${close}`);

const header = fc
  .record({
    scheme: fc.oneof({ weight: 20, arbitrary: fc.constant('OAuth ') }, fc.constantFrom('oauth ', 'OAuth  ', 'Basic ')),
    pieces: fc
      .tuple(...NAMES.map(piece))
      .chain((pieces) =>
        fc.oneof(
          { weight: 5, arbitrary: fc.shuffledSubarray(pieces, { minLength: pieces.length }) },
          { weight: 2, arbitrary: fc.shuffledSubarray(pieces) },
          { weight: 1, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 9 }) },
        ),
      ),
    comma: fc.oneof({ weight: 20, arbitrary: fc.constant(', ') }, { weight: 1, arbitrary: separator }),
    tail: fc.oneof({ weight: 20, arbitrary: fc.constant('') }, fc.constantFrom(',', ' ', '"', ', ', 'x')),
  })
  .map(({ scheme, pieces, comma, tail }) => scheme + pieces.join(comma) + tail);

const target = fc.oneof(
  { weight: 5, arbitrary: fc.webPath().map((path) => `/${path}`) },
  fc.constantFrom(
    '/',
    '',
    '*',
    '/a?',
    '/a?b=c',
    '/a#b',
    '/%7e/%zz',
    '/\xc3\x87',
    '/\xff',
    '/\u3001',
    'http://a.test/b',
  ),
);

const request: fc.Arbitrary<SignedParts> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'delete'),
  target,
  authorization: fc.oneof({ weight: 30, arbitrary: header }, fc.constant(undefined)),
  form: fc.oneof({ weight: 10, arbitrary: fc.constant(undefined) }, fc.constantFrom('', 'a=b', 'oauth_token=x')),
});

describe('the fast parser and the full parser', () => {
  test('never disagree', () => {
    let short = 0;
    fc.assert(
      fc.property(request, (parts) => {
        const claim = fastParse(parts);
        if (claim === undefined) return;
        short += 1;
        assert.deepEqual(claim, fullParse(parts));
      }),
      { numRuns: 5000 },
    );
    assert.ok(short > 500, `only ${short} requests took the short way`);
  });

  test('never disagree after one character was changed', () => {
    const unit = fc.constantFrom(...'",=% +&/-_aAoO\x00\xe9\u0141'.split(''));
    fc.assert(
      fc.property(header, fc.nat(), unit, fc.boolean(), (text, at, character, insert) => {
        const index = at % (text.length + 1);
        const authorization = text.slice(0, index) + character + text.slice(insert ? index : index + 1);
        const parts = { method: 'GET', target: '/a', authorization, form: undefined };
        const claim = fastParse(parts);
        if (claim !== undefined) assert.deepEqual(claim, fullParse(parts));
      }),
      { numRuns: 5000 },
    );
  });

  test('a header cut at any length is parsed alike, whatever was parsed before', () => {
    const oauth = {
      oauth_consumer_key: 'k',
      oauth_nonce: 'n',
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: '1',
    };
    const full = sign({ method: 'GET', url: 'https://a.test/', oauth, consumerSecret: 'c', tokenSecret: '' }).header;
    for (let length = 0; length <= full.length; length += 1) {
      parseRequest({ method: 'GET', target: '/', authorization: full, form: undefined });
      const parts = { method: 'GET', target: '/', authorization: full.slice(0, length), form: undefined };
      const claim = fastParse(parts);
      assert.equal(claim !== undefined, length === full.length);
      assert.deepEqual(parseRequest(parts), fullParse(parts));
    }
  });

  test('a common request takes the fast parser, in any order', () => {
    const pieces = NAMES.map((name, index) => {
      const value = ['k', 'n', 'e43PbaldtBTOBJAKeIbDbK13l64%3D', 'HMAC-SHA1', '1767225603', 't', '1.0'][index];
      return `${name}="${value}"`;
    });
    fc.assert(
      fc.property(fc.shuffledSubarray(pieces, { minLength: 7 }), fc.constantFrom(',', ', '), (order, comma) => {
        const authorization = `OAuth ${order.join(comma)}`;
        assert.ok(fastParse({ method: 'GET', target: '/12/accounts', authorization, form: undefined }));
      }),
    );
  });

  test('a header longer than the reading buffer is still read', () => {
    const oauth_token = 't'.repeat(6000);
    const oauth = {
      oauth_consumer_key: 'k',
      oauth_nonce: 'n',
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: '1',
    };
    const secrets = { consumerSecret: 'c', tokenSecret: 't' };
    const { header: authorization } = sign({
      method: 'GET',
      url: 'https://a.test/x',
      oauth: { ...oauth, oauth_token },
      ...secrets,
    });
    const claim = parseRequest({ method: 'GET', target: '/x', authorization, form: undefined });
    assert.ok(!('reason' in claim) && claim.token === oauth_token);
    assert.ok(verify(claim, ['https://a.test'], signingKey('c', 't')));
  });
});

describe('signing and verifying', () => {
  const text = fc.string({ unit: 'binary', maxLength: 10 });
  const pairs = fc.array(fc.tuple(text, text), { maxLength: 4 });
  const ordinary = (list: [string, string][]): [string, string][] => list.map(([name, value]) => [`p${name}`, value]);

  test('what is signed verifies, and not with another key or nonce', () => {
    const oauthOf = (nonce: string): Record<string, string> => ({
      oauth_consumer_key: 'k',
      oauth_nonce: nonce,
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: '1767225603',
      oauth_token: 't',
    });
    const nonces = fc.stringMatching(/^[!-~]{1,40}$/);
    fc.assert(
      fc.property(nonces, pairs.map(ordinary), pairs.map(ordinary), text, text, (nonce, query, form, one, two) => {
        const asForm = (list: [string, string][]) => list.map((pair) => pair.map(encode).join('=')).join('&');
        const path = `/12/x${query.length === 0 ? '' : `?${asForm(query)}`}`;
        const signed = sign({
          method: 'POST',
          url: `https://a.test${path}`,
          form,
          oauth: oauthOf(nonce),
          consumerSecret: one,
          tokenSecret: two,
        });
        const parts = { method: 'POST', target: path, authorization: signed.header, form: asForm(form) };
        const claim = parseRequest(parts);
        if ('reason' in claim) assert.fail(claim.detail);
        assert.ok(verify(claim, ['https://a.test'], signingKey(one, two)));
        assert.ok(!verify(claim, ['https://a.test'], signingKey(one, `${two}x`)));
        assert.ok(
          !verify({ ...claim, baseStringTail: `${claim.baseStringTail}x` }, ['https://a.test'], signingKey(one, two)),
        );
      }),
    );
  });

  test('the digest equals the HMAC of node:crypto for every key and text length', () => {
    for (const length of [0, 1, 20, 62, 63, 64, 65, 120, 500, 4031, 4032, 4033, 9000]) {
      const key = 'k'.repeat(length);
      const base = 'b'.repeat(length);
      assert.equal(
        hmacOfText(signingKey(key, ''), Buffer.alloc(0), base),
        createHmac('sha1', `${key}&`).update(base).digest('base64'),
      );
      assert.equal(
        hmacOfText(signingKey('a', 'b'), Buffer.from(base), ''),
        createHmac('sha1', 'a&b').update(base).digest('base64'),
      );
    }
  });

  test('comparison accepts only the right text', () => {
    const right = 'tnnArxj06cWHq44gCs1OSKk+jLY=';
    assert.ok(sameSignature(right, encode(right)));
    for (const wrong of ['', right.slice(0, -1), `${right}A`, `${right}%3D`, right.replace('t', 'T'), 'A'.repeat(28)]) {
      assert.ok(!sameSignature(right, encode(wrong)), wrong);
    }
  });
});
