import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Reply } from '../../rig/client.ts';
import { type Api, type CallOptions, FORM } from '../api.ts';
import { expectError, expectProblem, expectStatus } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { askRequestToken, readOf } from './steps.ts';

/** A signed read. Unknown parameters in a longer query are signed, and otherwise ignored. */
function reads(api: Api, { query = '', ...options }: Partial<CallOptions> & { query?: string } = {}): Promise<Reply> {
  return api.call({ path: `${readOf(api)}${query && `&${query}`}`, ...options });
}

/** A request token whose callback is in a form, with other pairs. */
function asksByForm(api: Api, pairs: CallOptions['form'] = []): CallOptions {
  const form = [['oauth_callback', 'oob'] as const, ...pairs];
  return { method: 'POST', path: '/oauth/request_token', as: api.consumer, form };
}

/** A body hash, as the draft has it. */
const bodyHash = (body: string): string => createHash('sha1').update(body).digest('base64');

/** Invalid, so that nothing is created; refused after the signature was found right. */
const SUBSCRIPTION = { method: 'POST', path: '/2/activity/subscriptions', json: { event_type: 'no.such.type' } };

/** Checks of sections 2.1 and 2.2. */
const baseStringRules: readonly Rule[] = [
  rule('authentication 2.1.1', async (api) => {
    expectStatus(await reads(api), 200);
    const { url, ...sent } = api.prepare({ path: readOf(api) });
    expectError(await api.send({ ...sent, url: `${url}&a=1` }), 401, 32);
    const head = api.prepare({ path: readOf(api), method: 'HEAD' });
    expectError(await api.send({ ...head, method: 'GET' }), 401, 32);
  }),
  rule('authentication 2.1.5', async (api) => {
    expectStatus(await reads(api, { query: `note=${encodeURIComponent('ç 日本 %&=')}%21%2A%27%28%29-._~` }), 200);
  }),
  rule('authentication 2.1.6', async (api) => {
    const call = asksByForm(api, [['note', 'a b+c&d']]);
    expectStatus(await api.call(call), 200);
    const sent = api.prepare(call);
    expectError(await api.send({ ...sent, body: sent.body!.replace('note=a', 'note=b') }), 401, 32);
    const withCharset = api.prepare(call);
    const headers = withCharset.headers.map(([name, value]) => [name, value.replace(FORM, `${FORM}; charset=utf-8`)]);
    expectStatus(await api.send({ ...withCharset, headers: headers as [string, string][] }), 200);
  }),
  rule('authentication 2.1.7', async (api) => {
    expectStatus(await reads(api, { query: 'note=a+b%2Bc' }), 200);
    expectStatus(await api.call(asksByForm(api, [['note', 'a b+c']])), 200);
    // In the header a plus sign is one.
    const header = (signed: string) => signed.replace('a%2Bb', 'a+b');
    expectStatus(await reads(api, { oauth: { note: 'a+b' }, header }), 200);
  }),
  rule('authentication 2.1.8', async (api) => {
    expectStatus(await reads(api, { query: 'note' }), 200);
    expectStatus(await reads(api, { query: 'note=' }), 200);
  }),
  rule('authentication 2.1.9', async (api) => {
    for (const query of ['a-=2&a=1', 'a1=2&a=1', 'aZ=2&a%5B=1']) expectStatus(await reads(api, { query }), 200);
  }),
  rule('authentication 2.1.10', async (api) => {
    expectStatus(await askRequestToken(api), 200);
    // The keys are those of an application, so its secret alone does not sign for a user.
    expectError(await reads(api, { as: { ...api.user, access_token_secret: '' } }), 401, 32);
  }),
  rule('authentication 2.1.11', async (api) => {
    const wrong = await reads(api, { header: (signed) => signed.replace(/%3D"/, '"') });
    expectError(wrong, 401, 32);
  }),
  rule('authentication 2.1.12', async (api) => {
    expectProblem(await api.call(SUBSCRIPTION), 400, 'invalid-request');
    const changed = { ...api.prepare(SUBSCRIPTION), body: '{"event_type":"no.other.type"}' };
    expectProblem(await api.send(changed), 400, 'invalid-request');
  }),
  rule('authentication 2.1.13', async (api) => {
    expectStatus(await api.call({ path: '/12/accounts?count=1' }), 200);
  }),

  rule('authentication 2.2.1', async (api) => {
    for (const separator of [',', ' , ', ',  ', '\t,\t']) {
      expectStatus(await reads(api, { header: (signed) => signed.replaceAll(', ', separator) }), 200);
    }
  }),
  rule('authentication 2.2.2', async (api) => {
    const changes: ((signed: string) => string)[] = [
      (signed) => `${signed},`,
      (signed) => signed.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
      (signed) => signed.replace(/oauth_version="1\.0"/, 'oauth_version=1.0'),
    ];
    for (const header of changes) expectStatus(await reads(api, { header }), 200);
    const tilde = { oauth: { oauth_note: 'a~b' }, header: (signed: string) => signed.replace('a~b', 'a%7Eb') };
    expectStatus(await reads(api, tilde), 200);
  }),
  rule('authentication 2.2.3', async (api) => {
    expectStatus(await reads(api, { header: (signed) => signed.replace('OAuth ', 'OAuth realm="Anywhere", ') }), 200);
    expectStatus(await reads(api, { header: (signed) => `${signed}, realm="Anywhere"` }), 200);
  }),
  rule('authentication 2.2.4', async (api) => {
    expectStatus(await reads(api, { oauth: { note: 'a b' } }), 200);
    const changed = await reads(api, {
      oauth: { note: 'before' },
      header: (signed) => signed.replace('before', 'after'),
    });
    expectError(changed, 401, 32);
  }),
  rule('authentication 2.2.5', async (api) => {
    expectError(await reads(api, { oauth: { note: 'x'.repeat(9000) } }), 431, 215);
  }),
  rule('authentication 2.2.6', async (api) => {
    for (const bad of ['%zz', '%', '%C3%28']) {
      expectError(await reads(api, { header: (signed) => `${signed}, note="${bad}"` }), 400, 215);
    }
  }),
];

/** Checks of sections 2.3 to 2.7. */
const parameterRules: readonly Rule[] = [
  rule('authentication 2.3.1', async (api) => {
    expectError(await reads(api, { oauth: { oauth_consumer_key: undefined } }), 400, 215);
    expectError(await reads(api, { oauth: { oauth_consumer_key: '' } }), 400, 215);
    expectError(await reads(api, { oauth: { oauth_consumer_key: 'nobody' } }), 401, 32);
  }),
  rule('authentication 2.3.2', async (api) => {
    for (const method of ['PLAINTEXT', 'RSA-SHA1', 'HMAC-SHA256', 'hmac-sha1', undefined]) {
      expectError(await reads(api, { oauth: { oauth_signature_method: method } }), 400, 215);
    }
  }),
  rule('authentication 2.3.3', async (api) => {
    const without = /, oauth_signature="[^"]*"|oauth_signature="[^"]*", /;
    expectError(await reads(api, { header: (signed) => signed.replace(without, '') }), 400, 215);
    for (const value of ['AAAA', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D']) {
      const header = (signed: string) => signed.replace(/oauth_signature="[^"]*"/, `oauth_signature="${value}"`);
      expectError(await reads(api, { header }), 401, 32);
    }
  }),
  rule('authentication 2.3.4', async (api) => {
    expectError(await reads(api, { oauth: { oauth_timestamp: undefined } }), 400, 215);
    for (const time of [String(Date.now()), '1', '+1767225600', ' 1767225600', 'now', '1767225600.5']) {
      expectError(await reads(api, { oauth: { oauth_timestamp: time } }), 401, 135);
    }
  }),
  rule('authentication 2.3.5', async (api) => {
    for (const nonce of [undefined, '', 'é', 'a b', 'x'.repeat(256)]) {
      expectError(await reads(api, { oauth: { oauth_nonce: nonce } }), 400, 215);
    }
    const longest = `${Date.now()}`.padEnd(255, 'x');
    expectStatus(await reads(api, { oauth: { oauth_nonce: longest } }), 200);
  }),
  rule('authentication 2.3.6', async (api) => {
    expectStatus(await reads(api, { oauth: { oauth_version: undefined } }), 200);
    for (const version of ['2.0', '1.0A', '']) {
      expectError(await reads(api, { oauth: { oauth_version: version } }), 400, 215);
    }
  }),
  rule('authentication 2.3.7', async (api) => {
    expectStatus(await askRequestToken(api, { oauth: { oauth_token: '' } }), 200);
    expectError(await reads(api, { as: api.consumer, oauth: { oauth_token: '' } }), 400, 215);
  }),
  rule('authentication 2.3.8', async (api) => {
    expectStatus(await reads(api, { oauth: { oauth_something: 'of ours' } }), 200);
  }),
  rule('authentication 2.3.9', async (api) => {
    // Not now: others may use short nonces too.
    const oauth_timestamp = String(Math.floor(Date.now() / 1000) - 7);
    expectStatus(await reads(api, { oauth: { oauth_nonce: '5', oauth_timestamp } }), 200);
    expectStatus(await reads(api, { oauth: { oauth_nonce: `!"#$%&'()*+,/:;<=>?@${Date.now()}` } }), 200);
  }),

  rule('authentication 2.4.1', async (api) => {
    const header = { oauth: { oauth_callback: 'oob' } };
    const once = api.prepare({ ...asksByForm(api, []), form: [['note', 'a']], ...header });
    expectStatus(await api.send({ ...once, body: `${once.body}&oauth_callback=oob` }), 200);
    expectStatus(await api.call({ ...asksByForm(api), ...header }), 200);
  }),
  rule('authentication 2.4.2', async (api) => {
    const call = { ...asksByForm(api), oauth: { oauth_callback: 'https://client.example.test/other' } };
    expectError(await api.call(call), 400, 215);
  }),
  rule('authentication 2.4.3', async (api) => {
    expectError(await reads(api, { header: (signed) => `${signed}, oauth_version="1.0"` }), 400, 215);
  }),
  rule('authentication 2.4.4', async (api) => {
    expectError(await reads(api, { query: `user_id=${api.userId}` }), 400, 44);
  }),

  rule('authentication 2.5.1', async (api) => {
    for (const skew_s of [-290, 290]) expectStatus(await reads(api, { skew_s }), 200);
    for (const skew_s of [-310, 310]) expectError(await reads(api, { skew_s }), 401, 135);
  }),
  rule('authentication 2.5.2', async (api) => {
    for (const skew_s of [60, -60, 0]) expectStatus(await reads(api, { skew_s }), 200);
  }),
  rule('authentication 2.5.3', async (api) => {
    const oauth = { oauth_nonce: `n${Date.now()}` };
    const oauth_timestamp = String(Math.floor(Date.now() / 1000));
    expectStatus(await reads(api, { oauth: { ...oauth, oauth_timestamp } }), 200);
    expectError(await reads(api, { query: 'note=2', oauth: { ...oauth, oauth_timestamp } }), 401, 32);
    expectStatus(await reads(api, { oauth, skew_s: -30 }), 200);
    // Of no token, it is another one.
    expectStatus(await askRequestToken(api, { oauth: { ...oauth, oauth_timestamp, oauth_callback: 'oob' } }), 200);
  }),
  rule('authentication 2.5.5', async (api) => {
    const sent = api.prepare({ path: readOf(api) });
    await api.send(sent);
    expectError(await api.send(sent), 401, 32, 'Could not authenticate you.');
    expectError(await reads(api, { skew_s: -310 }), 401, 135, 'Timestamp out of bounds.');
  }),
  rule('authentication 2.5.6', async (api) => {
    const { body } = await reads(api, { skew_s: -310 });
    assert.deepEqual(body, { errors: [{ code: 135, message: 'Timestamp out of bounds.' }] });
  }),

  rule('authentication 2.6.1', async (api) => {
    const oauth = { oauth_body_hash: bodyHash('') };
    const header = (signed: string) => signed.replace('2jmj', '2JMJ');
    expectError(await reads(api, { oauth, header }), 401, 32);
  }),
  rule('authentication 2.6.2', async (api) => {
    expectStatus(await reads(api, { oauth: { oauth_body_hash: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=' } }), 200);
    expectError(await reads(api, { oauth: { oauth_body_hash: bodyHash('other') } }), 401, 32);
    const oauth = { oauth_body_hash: bodyHash(JSON.stringify(SUBSCRIPTION.json)) };
    expectProblem(await api.call({ ...SUBSCRIPTION, oauth }), 400, 'invalid-request');
    expectStatus(await api.call({ ...SUBSCRIPTION, oauth: { oauth_body_hash: bodyHash('other') } }), 401);
  }),
  rule('authentication 2.6.3', async (api) => {
    const call = asksByForm(api);
    const oauth = { oauth_body_hash: bodyHash(api.prepare(call).body!) };
    expectError(await api.call({ ...call, oauth }), 401, 32);
  }),

  rule('authentication 2.7.1', async (api) => {
    expectStatus(await reads(api, { place: 'query' }), 200);
    expectStatus(await askRequestToken(api, { place: 'query' }), 200);
    expectStatus(await askRequestToken(api, { place: 'form' }), 200);
  }),
  rule('authentication 2.7.2', async (api) => {
    expectStatus(await askRequestToken(api, { method: 'GET' }), 200);
    expectStatus(await askRequestToken(api, { method: 'GET', place: 'query' }), 200);
  }),
];

/** Checks of section 2. */
export const signingRules: readonly Rule[] = [...baseStringRules, ...parameterRules];
