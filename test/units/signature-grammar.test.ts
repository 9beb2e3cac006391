import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hmacOfText } from '../../src/base/hmac.ts';
import { origin } from '../../src/base/origin.ts';
import { encode } from '../../src/base/percent.ts';
import { normalizeParameters, parseForm } from '../../src/features/auth/oauth1/parameters.ts';
import {
  type ParsedRequest,
  type ParseError,
  parseRequest,
  type SignedParts,
  sign,
  signingKey,
} from '../../src/features/auth/oauth1/signature.ts';
import { baseStrings, baseUri, normalizedParameters } from '../rig/base-strings.ts';

type Parameters = Readonly<Record<string, string>>;

/** A correct set of protocol parameters, to be spoilt. */
const GOOD: Parameters = {
  oauth_consumer_key: 'k3yC0nsumerExample0000001',
  oauth_nonce: 'n0nceAAA4',
  oauth_signature: 'e43PbaldtBTOBJAKeIbDbK13l64=',
  oauth_signature_method: 'HMAC-SHA1',
  oauth_timestamp: '1767225603',
  oauth_token: 'tok',
  oauth_version: '1.0',
};

function headerOf(parameters: Parameters): string {
  const pieces = Object.entries(parameters).map(([name, value]) => `${encode(name)}="${encode(value)}"`);
  return `OAuth ${pieces.join(', ')}`;
}

function formOf(parameters: Parameters): string {
  const pieces = Object.entries(parameters).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pieces.join('&');
}

function without(...names: string[]): Parameters {
  return Object.fromEntries(Object.entries(GOOD).filter(([name]) => !names.includes(name)));
}

function parts(authorization: string | undefined, change: Partial<SignedParts> = {}): SignedParts {
  return { method: 'POST', target: '/12/accounts', authorization, form: undefined, ...change };
}

function parsedRequestOf(request: SignedParts): ParsedRequest {
  const claim = parseRequest(request);
  if ('reason' in claim) assert.fail(`${claim.reason}: ${claim.detail}`);
  return claim;
}

function parseErrorOf(request: SignedParts): ParseError {
  const refusal = parseRequest(request);
  assert.ok('reason' in refusal, 'a refusal is expected');
  return refusal;
}

function isMalformed(request: SignedParts, parameter?: string): void {
  const refusal = parseErrorOf(request);
  assert.equal(refusal.reason, 'malformed');
  assert.equal(refusal.parameter, parameter);
}

describe('shape of the protocol parameters', () => {
  for (const name of ['oauth_consumer_key', 'oauth_signature_method', 'oauth_signature', 'oauth_timestamp']) {
    test(`${name} is mandatory`, () => isMalformed(parts(headerOf(without(name))), name));
  }
  const refused: Record<string, readonly string[]> = {
    oauth_consumer_key: ['', 'k\u00e9y', 'k\ney', 'k\x7f'],
    oauth_signature_method: ['', 'PLAINTEXT', 'RSA-SHA1', 'HMAC-SHA256', 'hmac-sha1', 'HMAC-SHA1\n'],
    oauth_nonce: ['', '\u00e9', 'a b', 'a\n', 'n'.repeat(256)],
    oauth_version: ['', '2.0', '1.0a', '1.0\n', '1'],
  };
  for (const [name, values] of Object.entries(refused)) {
    for (const value of values) {
      test(`${name} ${JSON.stringify(value.slice(0, 12))} is refused`, () =>
        isMalformed(parts(headerOf({ ...GOOD, [name]: value })), name));
    }
  }
  test('nonce and version may take every legal form', () => {
    for (const nonce of ['5', '!', '~', 'n'.repeat(255), '"\\,=%', 'aGk+/w==']) {
      assert.equal(parsedRequestOf(parts(headerOf({ ...GOOD, oauth_nonce: nonce }))).nonce, nonce);
    }
    parsedRequestOf(parts(headerOf(without('oauth_version'))));
  });
  test('what only the look-up or the clock can judge is accepted', () => {
    const long = { oauth_consumer_key: 'k'.repeat(65), oauth_token: 't'.repeat(129), oauth_timestamp: '-1 s' };
    const claim = parsedRequestOf(parts(headerOf({ ...GOOD, ...long })));
    assert.deepEqual([claim.consumerKey, claim.token, claim.timestamp], Object.values(long));
    assert.equal(parsedRequestOf(parts(headerOf({ ...GOOD, oauth_timestamp: '' }))).timestamp, '');
    assert.equal(parsedRequestOf(parts(headerOf({ ...GOOD, oauth_signature: '' }))).signature, '');
  });
  test('an empty token counts as absent and stays in the base string', () => {
    const empty = parsedRequestOf(parts(headerOf({ ...GOOD, oauth_token: '' })));
    const absent = parsedRequestOf(parts(headerOf(without('oauth_token'))));
    assert.deepEqual([empty.token, absent.token], ['', '']);
    assert.match(normalizedParameters(empty), /&oauth_token=&/);
    assert.doesNotMatch(normalizedParameters(absent), /oauth_token/);
  });
  test('callback, verifier and body hash are handed over, unknown names are signed', () => {
    const more = { oauth_callback: 'http://a.test/?b=c', oauth_verifier: '0731946', oauth_body_hash: 'x/y=' };
    const claim = parsedRequestOf(
      parts(headerOf({ ...GOOD, ...more, oauth_other: '1', ext_auth_access_type: 'read' })),
    );
    assert.deepEqual([claim.callback, claim.verifier, claim.bodyHash], Object.values(more));
    assert.match(normalizedParameters(claim), /^ext_auth_access_type=read&.*&oauth_other=1&/);
  });
});

describe('where a credential may stand', () => {
  test('in the header, query or form, or in several', () => {
    const { oauth_token, ...rest } = GOOD;
    const inHeader = parsedRequestOf(parts(headerOf(GOOD)));
    const ways = [
      parts(undefined, { target: `/12/accounts?${formOf(GOOD)}` }),
      parts(undefined, { form: formOf(GOOD) }),
      parts(headerOf(rest), { form: `oauth_token=${oauth_token}` }),
      parts(headerOf(rest), { target: `/12/accounts?oauth_token=${oauth_token}` }),
      parts('Basic YTpi', { form: formOf(GOOD) }),
    ];
    for (const way of ways) assert.deepEqual(parsedRequestOf(way), inHeader);
  });
  test('no parameter of a signed request means no credential', () => {
    const requests = [
      parts(undefined),
      parts(''),
      parts('Bearer abc'),
      parts('OAuthX oauth_nonce="a"'),
      parts(undefined, { target: '/oauth/authorize?oauth_token=a&oauth_callback=b' }),
      parts(undefined, { target: '/search?q=100%', form: '%zz' }),
      parts('Bearer abc', { target: '/\xff' }),
    ];
    for (const request of requests) assert.equal(parseErrorOf(request).reason, 'absent');
  });
  test('an OAuth header without parameters is malformed, not absent', () => {
    for (const header of ['OAuth', 'OAuth ', 'oauth ,', 'OAuth realm="x"']) {
      isMalformed(parts(header), 'oauth_consumer_key');
    }
  });
});

describe('duplicates', () => {
  test('equal values in two sources: one copy is tried, then all', () => {
    const claim = parsedRequestOf(
      parts(headerOf(GOOD), { form: 'oauth_token=tok&a=1', target: '/x?a=1&oauth_version=1.0' }),
    );
    const [one, all, ...more] = baseStrings(claim, ['https://a.test']);
    assert.equal(more.length, 0);
    assert.equal(one!.split('oauth_token').length, 2);
    assert.equal(all!.split('oauth_token').length, 3);
    assert.equal(all!.split('oauth_version').length, 3);
    assert.ok([one, all].every((text) => text!.includes('&a%3D1%26a%3D1%26')));
  });
  test('a signature in two sources never enters the base string', () => {
    const claim = parsedRequestOf(parts(headerOf(GOOD), { form: `oauth_signature=${encode(GOOD.oauth_signature!)}` }));
    for (const text of baseStrings(claim, ['https://a.test'])) assert.ok(!text.includes('oauth_signature%3D'));
  });
  test('two values are refused', () => {
    isMalformed(parts(headerOf(GOOD), { form: 'oauth_token=other' }), 'oauth_token');
    isMalformed(parts(headerOf(GOOD), { form: 'oauth_token=' }), 'oauth_token');
    isMalformed(parts(headerOf(GOOD), { target: '/x?oauth_signature=a' }), 'oauth_signature');
  });
  test('two copies in one source are refused', () => {
    isMalformed(parts(`${headerOf(GOOD)}, oauth_token="tok"`), 'oauth_token');
    isMalformed(parts(`${headerOf(GOOD)}, oauth_nonce="n0nceAAA4"`), 'oauth_nonce');
    isMalformed(parts(headerOf(GOOD), { form: 'oauth_verifier=1&oauth_verifier=1' }), 'oauth_verifier');
  });
  test('a realm in the header is dropped, one in the query is signed', () => {
    const claim = parsedRequestOf(parts(`${headerOf(GOOD)}, realm="a", Realm="b"`, { target: '/x?realm=c' }));
    assert.match(normalizedParameters(claim), /&realm=c$/);
  });
});

describe('grammar', () => {
  const broken = {
    'a bad escape': 'oauth_nonce="%zz"',
    'a cut escape': 'oauth_nonce="a%4"',
    'escapes that are not UTF-8': 'oauth_nonce="%C3%28"',
    'an open quote': 'oauth_nonce="a',
    'a quote in a bare value': 'oauth_nonce=a"b',
    'no comma': 'oauth_nonce="a" oauth_x="b"',
    'no value': 'oauth_nonce',
    'no name': '="a"',
    'a backslash': 'oauth_nonce="a\\b"',
    'a control character': 'oauth_nonce="a\x01"',
    'bytes that are not UTF-8': 'oauth_nonce="\xff"',
    'a bad escape in a name': 'oauth%zz="a"',
  };
  const { oauth_nonce: _, ...rest } = GOOD;
  for (const [name, piece] of Object.entries(broken)) {
    test(`${name} is malformed`, () => {
      assert.equal(parseErrorOf(parts(`${headerOf(rest)}, ${piece}`)).reason, 'malformed');
      assert.equal(parseErrorOf(parts(`OAuth ${piece}, ${headerOf(rest).slice(6)}`)).reason, 'malformed');
    });
  }
  test('a plus sign in the header is a plus sign, unescaped characters are tolerated', () => {
    const text = headerOf(without('oauth_signature'));
    const claim = parsedRequestOf(parts(`${text}, oauth_signature="a+b/c=", x="a b\xc3\xa9"`));
    assert.equal(claim.signature, 'a+b/c=');
    assert.match(normalizedParameters(claim), /&x=a%20b%C3%A9$/);
  });
  test('a broken query or body of a signed request is malformed', () => {
    isMalformed(parts(headerOf(GOOD), { target: '/x?q=100%' }), 'q');
    isMalformed(parts(headerOf(GOOD), { form: 'q=%C3' }), 'q');
    isMalformed(parts(headerOf(GOOD), { target: '/\xff' }));
  });
  test('a path of raw UTF-8 bytes is encoded byte by byte', () => {
    const claim = parsedRequestOf(parts(headerOf(GOOD), { target: '/\xc3\x87/%C3%87' }));
    assert.ok(
      baseStrings(claim, ['https://a.test'])[0]!.startsWith('POST&https%3A%2F%2Fa.test%2F%C3%87%2F%25C3%2587&'),
    );
  });
});

describe('normalisation', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['name', 'name='],
    ['a=b', 'a=b'],
    ['a=b&c=d', 'a=b&c=d'],
    ['a=x!y&a=x y', 'a=x%20y&a=x%21y'],
    ['x!y=a&x=a', 'x=a&x%21y=a'],
    ['a-=2&a=1', 'a=1&a-=2'],
    ['a1=2&a=1', 'a=1&a1=2'],
    ['aZ=2&a[=1', 'a%5B=1&aZ=2'],
    ['a=2&a=10', 'a=10&a=2'],
    ['', ''],
    ['&&a=1&&', 'a=1'],
    ['=v&a==b', '=v&a=%3Db'],
    ['oauth_signature=x&a=1', 'a=1'],
  ];
  for (const [text, expected] of cases) {
    test(`of ${text}`, () => {
      const pairs = parseForm(text);
      assert.ok(!('reason' in pairs));
      assert.equal(normalizeParameters(pairs), expected);
      assert.equal(normalizeParameters(pairs.toReversed()), expected);
    });
  }
  const uris = [
    ['http', 'EXAMPLE.COM:80', '/r%20v/X?id=123', 'http://example.com/r%20v/X'],
    ['https', 'www.example.net:8080', '/?q=1', 'https://www.example.net:8080/'],
    ['https', 'example.com:443', '/a', 'https://example.com/a'],
    ['https', 'example.com:80', '/a', 'https://example.com:80/a'],
    ['http', 'example.com:443', '/a', 'http://example.com:443/a'],
    ['http', 'example.com', '', 'http://example.com/'],
    ['http', 'example.com:8080', '?q=/', 'http://example.com:8080/'],
    ['http', '[::1]:3000', '/x', 'http://[::1]:3000/x'],
    ['http', '[2001:DB8::80]', '/x', 'http://[2001:db8::80]/x'],
    ['https', '[::1]:443', '/x//y/../z', 'https://[::1]/x//y/../z'],
    ['https', 'a.test', 'HTTPS://other.test/x?y#z', 'https://a.test/x'],
  ] as const;
  for (const [scheme, host, target, expected] of uris) {
    test(`base URI ${expected}`, () => assert.equal(baseUri(origin(scheme, host), target), expected));
  }
  test('simple base string and digests', () => {
    const signed = sign({
      method: 'get',
      url: 'http://example.com?n=v',
      oauth: {},
      consumerSecret: '',
      tokenSecret: '',
    });
    assert.equal(signed.baseString, 'GET&http%3A%2F%2Fexample.com%2F&n%3Dv');
    assert.equal(hmacOfText(signingKey('cs', ''), Buffer.from('b'), 's'), 'egQqG5AJep5sJ7anhXju1unge2I=');
    assert.equal(hmacOfText(signingKey('cs', 'ts'), Buffer.from('bs'), ''), 'VZVjXceV7JgPq/dOTnNmEfO0Fv8=');
  });
  test('signing refuses an invalid URL', () => {
    const request = { method: 'GET', oauth: {}, consumerSecret: '', tokenSecret: '' };
    assert.throws(() => sign({ ...request, url: '/relative' }), TypeError);
    assert.throws(() => sign({ ...request, url: 'https://a.test/?q=%' }), TypeError);
  });
});
