import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { json } from 'node:stream/consumers';
import OAuth from 'oauth-1.0a';
import { BarkerContainer } from './barker-container.mjs';

let barker;
before(async () => {
  barker = await new BarkerContainer().withSeed(42).withClock('2026-03-02T09:00:00Z').start();
});
after(() => barker?.stop());

/** Sends a signed request; resolves with its status and body. */
async function call(method, url) {
  const { consumer_key, consumer_secret, access_token, access_token_secret } = barker.keys;
  const oauth = new OAuth({
    consumer: { key: consumer_key, secret: consumer_secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const signed = oauth.authorize({ method, url }, { key: access_token, secret: access_token_secret });
  const response = await new Promise((resolve, reject) => {
    request(url, { method, ca: barker.ca, headers: { ...oauth.toHeader(signed) } }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode, body: await json(response) };
}

test('the demo account is there, and the sandbox is empty', async () => {
  const production = await call('GET', `${barker.url}/12/accounts`);
  assert.deepEqual([production.status, production.body.data[0].name], [200, 'Demo account']);
  assert.match(production.body.data[0].created_at, /^2026-0[23]-/);
  const sandbox = await call('GET', `${barker.sandboxUrl}/12/accounts`);
  assert.deepEqual([sandbox.status, sandbox.body.data], [200, []]);
});
