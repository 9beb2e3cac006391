import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { encode } from '../../src/base/percent.ts';
import { type Circumstances, explain } from '../../src/dev/signatures/explain.ts';
import type { KnownApplication } from '../../src/dev/signatures/known-keys.ts';
import { MISTAKE_NAMES } from '../../src/dev/signatures/mistakes.ts';
import type { SentRequest } from '../../src/dev/signatures/sent-request.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';

const NOW_S = 1_767_225_600;
const RULES: Circumstances = { now_s: NOW_S, window_s: 300 };

const LOGIN = { name: 'a login', isRequestToken: true } as const;
const DEMO = {
  name: 'Demo',
  consumerKey: 'demo-consumer-key',
  consumerSecret: 'demo-consumer-secret',
  tokens: [
    { name: 'ada', token: '1-ada-token', tokenSecret: 'ada-token-secret' },
    { name: 'bea', token: '2-bea-token', tokenSecret: 'bea-token-secret', refusal: 'token-revoked' },
    { name: 'cleo', token: '3-cleo-token', tokenSecret: 'cleo-token-secret', refusal: 'user-suspended' },
    { name: 'dora', token: '4-dora-token', tokenSecret: 'dora-token-secret', refusal: 'user-locked' },
    { ...LOGIN, token: 'request-token-1', tokenSecret: 'request-token-secret' },
    { ...LOGIN, token: 'request-token-2', tokenSecret: '', refusal: 'request-token-ended' },
  ],
} as const satisfies KnownApplication;
const OTHER: KnownApplication = {
  name: 'Other',
  consumerKey: 'other-consumer-key',
  consumerSecret: 'other-consumer-secret',
  isSuspended: true,
  tokens: [{ name: 'ada', token: '1-other-token', tokenSecret: 'other-token-secret' }],
};
const KNOWN = [DEMO, OTHER];
const SECRETS = KNOWN.flatMap(({ consumerSecret, tokens }) => [
  consumerSecret,
  ...tokens.map(({ tokenSecret }) => tokenSecret).filter((secret) => secret !== ''),
]);

const URL_OF_TEST = 'http://ads.test:8080/12/accounts?count=10';

/** Names of OAuth parameters in short, and the secrets; an empty text leaves a parameter out. */
interface Signed {
  readonly key?: string;
  readonly token?: string;
  readonly secrets?: readonly [consumer: string, token: string];
  readonly oauth?: Readonly<Record<string, string>>;
}

function header({ key = DEMO.consumerKey, token = DEMO.tokens[0].token, secrets, oauth = {} }: Signed = {}): string {
  const parameters: Record<string, string> = {
    ...{ oauth_consumer_key: key, oauth_nonce: 'n1', oauth_signature_method: 'HMAC-SHA1' },
    ...{ oauth_timestamp: String(NOW_S), oauth_token: token, oauth_version: '1.0', ...oauth },
  };
  for (const [name, value] of Object.entries(parameters)) if (value === '') delete parameters[name];
  const [consumerSecret, tokenSecret] = secrets ?? [DEMO.consumerSecret, DEMO.tokens[0].tokenSecret];
  return sign({ ...{ method: 'GET', url: URL_OF_TEST, consumerSecret, tokenSecret }, oauth: parameters }).header;
}

function request(authorization: string | undefined, changes: Partial<SentRequest> = {}): SentRequest {
  return {
    ...{ method: 'GET', target: '/12/accounts?count=10', origins: ['http://ads.test:8080'] },
    ...{ hostSpellings: [], otherOrigins: [], contentType: undefined, body: undefined, authorization },
    ...changes,
  };
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const hashOf = (text: string, algorithm = 'sha1'): string => createHash(algorithm).update(text).digest('base64');
const FORM = { contentType: 'application/x-www-form-urlencoded', body: '' };
const JSON_BODY = { contentType: 'application/json', body: '{"a":1}' };
const { consumerSecret } = DEMO;
const tokenOf = (name: string) => DEMO.tokens.find((each) => each.name === name)!;
const own = (name: string): Signed => ({
  token: tokenOf(name).token,
  secrets: [consumerSecret, tokenOf(name).tokenSecret],
});

type Row = readonly [
  about: string,
  sent: SentRequest,
  circumstances: Partial<Circumstances>,
  outcome: string,
  names: readonly string[],
];
const signed = (about: string, how: Signed, ...names: string[]): Row => [
  about,
  request(header(how)),
  {},
  'mistakes',
  names,
];
const sentAs = (
  about: string,
  authorization: string | undefined,
  needed: Circumstances['needed'],
  ...names: string[]
): Row => [about, request(authorization), { needed }, 'mistakes', names];

/** A request without a mistake that was refused. */
const refused = (about: string, refusal: string, name: string): Row => {
  return [about, request(header()), { refusal }, 'mistakes', [name]];
};

const ROWS: readonly Row[] = [
  ['a right signature', request(header()), {}, 'right', []],
  ['a right signature where it is known what is needed', request(header()), { needed: 'user' }, 'right', []],

  // Keys and tokens.
  signed('an unknown key', { key: 'nobody' }, 'unknown-consumer-key'),
  signed('an unknown key and token', { key: 'nobody', token: 'nobody-s' }, 'unknown-consumer-key'),
  signed('the secret as key', { key: consumerSecret }, 'secret-sent-as-consumer-key'),
  signed('the token as key', { key: DEMO.tokens[0].token }, 'token-sent-as-consumer-key'),
  signed('key and token swapped', { key: DEMO.tokens[0].token, token: DEMO.consumerKey }, 'token-sent-as-consumer-key'),
  signed('the token secret as token', { token: DEMO.tokens[0].tokenSecret }, 'secret-sent-as-token'),
  signed('the key as token', { token: DEMO.consumerKey }, 'consumer-key-sent-as-token'),
  signed(
    'the token of another application',
    { token: '1-other-token', secrets: [consumerSecret, 'other-token-secret'] },
    'token-of-another-application',
  ),
  signed('a revoked token', own('bea'), 'token-revoked'),
  signed('a suspended user', own('cleo'), 'user-suspended'),
  signed('a locked user', own('dora'), 'user-locked'),
  signed(
    'a suspended application',
    { key: OTHER.consumerKey, token: '1-other-token', secrets: [OTHER.consumerSecret, 'other-token-secret'] },
    'application-suspended',
  ),
  signed(
    'one secret in both places',
    { secrets: [DEMO.tokens[0].tokenSecret, DEMO.tokens[0].tokenSecret] },
    'one-secret-twice',
  ),
  signed('the other secret in both places', { secrets: [consumerSecret, consumerSecret] }, 'one-secret-twice'),
  signed(
    'the secret of another token',
    { secrets: [consumerSecret, 'other-token-secret'] },
    'secret-of-something-else',
  ),

  // Which kind of token.
  ['no token for a user', request(header({ token: '' })), { needed: 'user' }, 'mistakes', ['token-missing']],
  [
    'a token at the beginning of a login',
    request(header()),
    { needed: 'consumer' },
    'mistakes',
    ['token-where-none-belongs'],
  ],
  [
    'no request token',
    request(header({ token: '', secrets: [consumerSecret, ''] })),
    { needed: 'request-token' },
    'mistakes',
    ['request-token-missing'],
  ],
  [
    'the beginning of a login, signed right',
    request(header({ token: '', secrets: [consumerSecret, ''] })),
    { needed: 'consumer' },
    'right',
    [],
  ],
  [
    'a request token for a user',
    request(header({ token: 'request-token-1', secrets: [consumerSecret, 'request-token-secret'] })),
    { needed: 'user' },
    'mistakes',
    ['request-token-instead-of-access-token'],
  ],
  [
    'an access token in a login',
    request(header()),
    { needed: 'request-token' },
    'mistakes',
    ['access-token-instead-of-request-token'],
  ],
  [
    'a request token, signed right',
    request(header({ token: 'request-token-1', secrets: [consumerSecret, 'request-token-secret'] })),
    { needed: 'request-token' },
    'right',
    [],
  ],
  [
    'an ended request token',
    request(header({ token: 'request-token-2', secrets: [consumerSecret, ''] })),
    { needed: 'request-token' },
    'mistakes',
    ['request-token-ended'],
  ],

  // Parameters of the protocol.
  signed('another method', { oauth: { oauth_signature_method: 'HMAC-SHA256' } }, 'other-signature-method'),
  signed('another version', { oauth: { oauth_version: '1.0a' } }, 'other-version'),
  signed('no nonce', { oauth: { oauth_nonce: '' } }, 'parameter-missing'),
  signed('no timestamp', { oauth: { oauth_timestamp: '' } }, 'parameter-missing'),
  signed('milliseconds', { oauth: { oauth_timestamp: `${NOW_S}000` } }, 'timestamp-in-milliseconds'),
  signed('a date', { oauth: { oauth_timestamp: '2026-01-01' } }, 'timestamp-not-seconds'),
  signed('a clock that is behind', { oauth: { oauth_timestamp: String(NOW_S - 301) } }, 'timestamp-out-of-bounds'),
  signed('a clock that is ahead', { oauth: { oauth_timestamp: String(NOW_S + 301) } }, 'timestamp-out-of-bounds'),
  ['a clock at the edge', request(header({ oauth: { oauth_timestamp: String(NOW_S - 300) } })), {}, 'right', []],
  [
    'a request of before a restore',
    request(header()),
    { notBefore_s: NOW_S + 1 },
    'mistakes',
    ['signed-before-restore'],
  ],
  ['a request of after a restore', request(header()), { notBefore_s: NOW_S }, 'right', []],
  signed('a nonce with a space', { oauth: { oauth_nonce: 'a b' } }, 'credentials-malformed'),

  // Hashes of bodies.
  [
    'a right body hash',
    request(header({ oauth: { oauth_body_hash: hashOf(JSON_BODY.body) } }), JSON_BODY),
    {},
    'right',
    [],
  ],
  ...(
    [
      ['another body', hashOf('{"a":2}'), JSON_BODY, 'body-hash-wrong'],
      ['an empty body', hashOf(''), JSON_BODY, 'body-hash-wrong'],
      ['SHA-256', hashOf(JSON_BODY.body, 'sha256'), JSON_BODY, 'body-hash-wrong'],
      ['a form', hashOf(''), FORM, 'body-hash-with-form'],
    ] as const
  ).map(
    ([about, oauth_body_hash, body, name]): Row => [
      `the body hash of ${about}`,
      request(header({ oauth: { oauth_body_hash } }), body),
      {},
      'mistakes',
      [name],
    ],
  ),
  [
    'a body hash of which only the beginning of the body is known',
    request(header({ oauth: { oauth_body_hash: hashOf('other') } }), { ...JSON_BODY, isBodyCut: true }),
    {},
    'right',
    [],
  ],

  // Other schemes, and none.
  sentAs('nothing', undefined, 'user', 'credentials-missing'),
  sentAs('an empty header', ' ', 'user', 'credentials-missing'),
  sentAs('no scheme', header().replace('OAuth ', ''), 'user', 'scheme-missing'),
  sentAs('another scheme', 'Digest a="b"', 'user', 'other-scheme'),
  sentAs('a bearer token for a user', 'Bearer AAAA', 'user', 'bearer-instead-of-signature'),
  sentAs('a bearer token for key and secret', 'Bearer AAAA', 'basic', 'bearer-instead-of-basic'),
  sentAs('an empty bearer token', 'Bearer ', 'bearer', 'bearer-empty'),
  sentAs('a quoted bearer token', 'Bearer "AAAA"', 'bearer', 'bearer-quoted'),
  sentAs('a secret as bearer token', `Bearer ${consumerSecret}`, 'bearer', 'secret-sent-as-bearer'),
  sentAs('a key as bearer token', `Bearer ${DEMO.consumerKey}`, 'bearer', 'consumer-key-sent-as-bearer'),
  sentAs('an access token as bearer token', `Bearer ${DEMO.tokens[0].token}`, 'bearer', 'access-token-sent-as-bearer'),
  ...(['unknown', 'revoked'] as const).map(
    (bearer): Row => [
      `a bearer token that is ${bearer}`,
      request('Bearer AAAA'),
      { needed: 'bearer', bearer },
      'mistakes',
      [`bearer-${bearer}`],
    ],
  ),
  [
    'a bearer token of a suspended application',
    request('Bearer AAAA'),
    { needed: 'user-or-bearer', bearer: 'suspended' },
    'mistakes',
    ['application-suspended'],
  ],
  ['a right bearer token', request('Bearer AAAA'), { needed: 'bearer', bearer: 'valid' }, 'right', []],
  ['a bearer token that was not looked up', request('Bearer AAAA'), {}, 'unreadable', []],
  sentAs(
    'key and secret for a user',
    basic(`${DEMO.consumerKey}:${consumerSecret}`),
    'user',
    'basic-instead-of-signature',
  ),
  sentAs(
    'key and secret for a bearer token',
    basic(`${DEMO.consumerKey}:${consumerSecret}`),
    'bearer',
    'basic-instead-of-bearer',
  ),
  sentAs('unreadable key and secret', 'Basic !', 'basic', 'basic-unreadable'),
  sentAs('secret and key', basic(`${consumerSecret}:${DEMO.consumerKey}`), 'basic', 'basic-swapped'),
  sentAs('a token as key', basic(`${DEMO.tokens[0].token}:x`), 'basic', 'token-sent-as-basic'),
  sentAs('an unknown key of Basic', basic('nobody:x'), 'basic', 'unknown-consumer-key'),
  sentAs('a wrong secret', basic(`${DEMO.consumerKey}:wrong`), 'basic', 'basic-wrong-secret'),
  sentAs('a secret with a line break', basic(`${DEMO.consumerKey}:${consumerSecret}\n`), 'basic', 'space-in-secret'),
  sentAs('a token secret', basic(`${DEMO.consumerKey}:ada-token-secret`), 'basic', 'token-secret-sent-as-basic'),
  ['right key and secret', request(basic(`${DEMO.consumerKey}:${consumerSecret}`)), { needed: 'basic' }, 'right', []],
  sentAs('a signature for a bearer token', header(), 'bearer', 'signature-where-none-belongs'),
  ['a header that cannot be read', request('OAuth oauth_nonce'), {}, 'unreadable', []],

  // What only the service knows.
  ['a nonce used twice', request(header()), { refusal: 'nonce used before' }, 'mistakes', ['nonce-used-twice']],
  [
    'two headers',
    request(header()),
    { refusal: 'more than one Authorization header' },
    'mistakes',
    ['authorization-repeated'],
  ],
  refused('a token that was revoked in the meantime', 'revoked token', 'token-revoked'),
  ['what both know', request(header(own('bea'))), { refusal: 'revoked token' }, 'mistakes', ['token-revoked']],
  refused('a clock that was set back', 'the clock was set back', 'nonce-forgotten'),
  refused('too many wrong secrets', 'too many wrong secrets', 'too-many-wrong-secrets'),
  refused('another reason', 'a reason', 'refused'),
];

/** Named by the tests of wrong signatures, and below. */
const ELSEWHERE = ['signature-encoded-twice', 'signature-not-encoded', 'signature-with-space', 'unknown-token'];

describe('an explanation', () => {
  for (const [about, sent, circumstances, outcome, names] of ROWS) {
    test(`names ${about}`, () => {
      const explanation = explain(sent, KNOWN, { ...RULES, ...circumstances, triesMax: 3000 });
      assert.deepEqual(
        [explanation.outcome, names.length === 0 ? explanation.mistakes : explanation.mistakes[0]?.name],
        [outcome, names.length === 0 ? [] : names[0]],
        explanation.summary,
      );
      const text = JSON.stringify(explanation);
      for (const secret of SECRETS) assert.ok(!text.includes(secret), text);
    });
  }

  test('names every mistake of keys and tokens in a row above', () => {
    const named = new Set(ROWS.flatMap(([, , , , names]) => names));
    const missing = MISTAKE_NAMES.filter((name) => !named.has(name) && !ELSEWHERE.includes(name));
    assert.deepEqual(missing, []);
  });

  test('says whose secret was confused', () => {
    const { summary } = explain(request(header({ secrets: [consumerSecret, 'other-token-secret'] })), KNOWN, RULES);
    assert.match(summary, /token was used: the token secret of ada for Other\. /);
  });

  test('names an unknown token', () => {
    const { mistakes } = explain(request(header({ token: '9-unknown' })), KNOWN, { ...RULES, triesMax: 100 });
    assert.equal(mistakes[0]?.name, 'unknown-token');
  });

  test('has the base string also for an unknown key', () => {
    const { expected } = explain(request(header({ key: 'nobody', token: 'none' })), KNOWN, RULES);
    assert.match(
      expected!.baseString,
      /^GET&http%3A%2F%2Fads\.test%3A8080%2F12%2Faccounts&count%3D10%26oauth_consumer_key%3Dnobody/,
    );
  });

  test('accepts OAuth parameters in the query, with one copy or with all', () => {
    const parameters = { oauth_consumer_key: DEMO.consumerKey, oauth_nonce: 'n2' };
    const query = Object.entries(parameters)
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join('&');
    const target = `/12/accounts?count=10&${query}`;
    for (const url of [URL_OF_TEST, `http://ads.test:8080${target}`]) {
      const authorization = sign({
        ...{ method: 'GET', url, consumerSecret, tokenSecret: DEMO.tokens[0].tokenSecret },
        oauth: {
          ...{ ...parameters, oauth_signature_method: 'HMAC-SHA1', oauth_timestamp: String(NOW_S) },
          oauth_token: DEMO.tokens[0].token,
        },
      }).header;
      assert.equal(explain(request(authorization, { target }), KNOWN, RULES).outcome, 'right');
    }
  });

  test('has the right signature only where the secrets were right', () => {
    const wrong = { url: 'http://ads.test/12/accounts?count=10', method: 'GET', oauth: {} };
    const oauth = {
      ...{ oauth_consumer_key: DEMO.consumerKey, oauth_nonce: 'n1', oauth_signature_method: 'HMAC-SHA1' },
      ...{ oauth_timestamp: String(NOW_S), oauth_token: DEMO.tokens[0].token },
    };
    const { header: withoutPort } = sign({ ...wrong, oauth, consumerSecret, tokenSecret: DEMO.tokens[0].tokenSecret });
    const right = sign({ ...wrong, url: URL_OF_TEST, oauth, consumerSecret, tokenSecret: DEMO.tokens[0].tokenSecret });
    assert.equal(explain(request(withoutPort), KNOWN, RULES).expectedSignature, right.signature);
    const { header: withoutSecret } = sign({ ...wrong, url: URL_OF_TEST, oauth, consumerSecret, tokenSecret: '' });
    const { mistakes, expectedSignature } = explain(request(withoutSecret), KNOWN, RULES);
    assert.deepEqual([mistakes[0]?.name, expectedSignature], ['token-secret-left-out', undefined]);
  });

  test('does not repeat secrets of PLAINTEXT, bearer tokens and fields', () => {
    const plaintext = 'OAuth oauth_signature_method="PLAINTEXT", oauth_signature="unknown-secret-1%26unknown-secret-2"';
    const bearer = request('Bearer unknown-bearer-3');
    const field = request(header(), { target: '/12/accounts?client_secret=unknown-secret-4' });
    for (const sent of [request(plaintext), bearer, field]) {
      assert.doesNotMatch(
        JSON.stringify(explain(sent, KNOWN, { ...RULES, triesMax: 500 })),
        /unknown-(?:secret|bearer)/,
      );
    }
  });
});
