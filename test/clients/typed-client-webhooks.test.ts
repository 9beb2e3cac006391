// On either database: the webhook is one of this file.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openTypedProject, type TypedModule, type TypedProject } from './typed-client.ts';

let project: TypedProject;
let client: TypedModule;
before(async () => {
  project = await openTypedProject();
  client = await project.load();
});
after(() => project.remove());

describe('a webhook', () => {
  const [consumerSecret, webhookSecret] = ['the secret', `whsec_${btoa('a key of the webhook')}`];
  const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');
  const body = '{"data":{"event_type":"dm.sent"}}';
  const now_s = () => Math.floor(Date.now() / 1000);
  const signed = (text = body, timestamp = now_s()) => ({
    'x-ext-webhooks-signature': `sha256=${hmac(consumerSecret, text)}`,
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,AAAA v1,${hmac('a key of the webhook', `msg_1.${timestamp}.${text}`)}`,
  });
  let hook: Server;
  let address: string;
  let got: unknown[];
  let onMessage: (message: unknown, id: unknown) => void;
  before(async () => {
    const { webhookHandler, nodeListener } = client as unknown as Record<string, (given: unknown) => unknown>;
    const options = { consumerSecret, webhookSecret, onMessage: (...all: [unknown, unknown]) => onMessage(...all) };
    hook = createServer(nodeListener!(webhookHandler!(options)) as () => void);
    await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/in`;
  });
  after(() => hook.close());
  beforeEach(() => {
    got = [];
    onMessage = (...all) => void got.push(all);
  });
  const post = async (headers: Record<string, string>, text = body) => {
    return (await fetch(address, { method: 'POST', headers, body: text })).status;
  };

  test('takes a message that is signed with both secrets', async () => {
    assert.equal(await post(signed()), 200);
    assert.deepEqual(got, [[JSON.parse(body), 'msg_1']]);
  });

  test('refuses messages that are changed, unsigned, old or signed with one secret', async () => {
    const { 'webhook-signature': _, ...half } = signed();
    const refused = [
      await post(signed(), `${body} `),
      await post({}),
      await post(signed(body, now_s() - 400)),
      await post({ ...signed(), 'webhook-timestamp': '' }),
      await post(half),
      await post({ ...signed(), 'x-ext-webhooks-signature': `sha256=${hmac('other', body)}` }),
    ];
    assert.deepEqual([refused, got], [Array(6).fill(401), []]);
  });

  test('asks for a repetition when the program fails', async () => {
    onMessage = () => {
      throw new Error('the program failed, as this test wants');
    };
    assert.equal(await post(signed()), 500);
  });

  test('answers challenges of the server, and no others', async () => {
    const token = 'ab'.repeat(32);
    const ask = async (query: string, signature = hmac(consumerSecret, query)) => {
      const response = await fetch(`${address}?${query}`, {
        headers: { 'x-ext-webhooks-signature': `sha256=${signature}` },
      });
      return response.ok ? await response.json() : response.status;
    };
    const answer = { response_token: `sha256=${hmac(consumerSecret, token)}` };
    assert.deepEqual(await ask(`crc_token=${token}&nonce=1`), answer);
    assert.equal(await ask(`crc_token=${token}&nonce=1`, hmac('other', token)), 401);
    assert.equal(await ask('crc_token=any%20text'), 400);
    assert.equal((await fetch(address, { method: 'PUT' })).status, 405);
  });
});

test('amounts are exact', () => {
  const { micros, fromMicros, formatMicros } = client as unknown as Record<string, (...given: unknown[]) => unknown>;
  const pairs = [
    ['12.34', 12_340_000],
    ['0.000001', 1],
    ['-0.5', -500_000],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
    ['1.005', 1_005_000],
  ] as const;
  for (const [text, amount] of pairs) {
    assert.equal(micros!(text), amount);
    assert.equal(micros!(fromMicros!(amount)), amount);
  }
  assert.equal(micros!(1.5), 1_500_000);
  assert.deepEqual(
    [12_340_000, 1, 0, -500_000].map((each) => fromMicros!(each)),
    ['12.34', '0.000001', '0.00', '-0.50'],
  );
  assert.equal(formatMicros!(1_234_500_000, 'USD', 'en-US'), '$1,234.50');
  for (const wrong of ['', '1,5', '1e3', '0.0000001', 'ten', Number.NaN, '9007199254.740992']) {
    assert.throws(() => micros!(wrong), RangeError, String(wrong));
  }
});
