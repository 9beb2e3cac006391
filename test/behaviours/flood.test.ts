// On either database: what is tried here is decided before the database is asked.
// Of one node: the limit of an address is that of a server.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { browserOf } from '../rig/browser.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';
import { fill } from './test-account.ts';

const MAX = 3;
let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_requests_per_address_per_min: MAX, trusted_proxies: '127.0.0.1' } });
});
after(() => world.close());
// A window of its own for each test.
beforeEach(() => world.clock.advance(60));

const call = (method: string, target: string, from = '192.0.2.1') =>
  rawCall(world.service.sandboxUrl, world.clock, { method, target, headers: { 'x-forwarded-for': from } });
const fillUp = async (from?: string): Promise<void> => {
  for (let count = 0; count < MAX; count++) assert.equal((await call('GET', '/12/accounts', from)).status, 401);
};

for (const { id, method, path, family } of operations) {
  test(`${id} is answered with 429 before any credential is checked`, async () => {
    await fillUp();
    const reply = await call(method, fill(path, { account_id: 'a1' }));
    assert.equal(reply.status, 429, reply.text);
    const says = {
      ads: 'TOO_MANY_REQUESTS',
      numeric: 88,
      flat: 88,
      problem: 'Too Many Requests',
    }[family];
    assert.equal(family === 'problem' ? reply.body.title : reply.body.errors[0].code, says);
    const named = ['retry-after', 'x-rate-limit-limit', 'x-rate-limit-remaining', 'x-access-level'];
    assert.deepEqual(
      named.map((name) => reply.headers.get(name)),
      ['60', String(MAX), '0', null],
    );
    assert.equal(Number(reply.headers.get('x-rate-limit-reset')), world.clock.now() / 1000 + 60);
  });
}

test('a minute later the address may continue; others were never limited', async () => {
  await fillUp();
  assert.equal((await call('GET', '/12/accounts')).status, 429);
  assert.equal((await call('GET', '/12/accounts', '192.0.2.2')).status, 401);
  world.clock.advance(59);
  assert.equal((await call('GET', '/12/accounts')).headers.get('retry-after'), '1');
  world.clock.advance(1);
  assert.equal((await call('GET', '/12/accounts')).status, 401);
});

test('both listeners, the pages and media share one count', async () => {
  const from = { 'x-forwarded-for': '192.0.2.3' };
  const browser = browserOf(world.service.url);
  await browser.get('/login', from);
  await browser.post('/logout', {}, from);
  await call('GET', '/2/users/me', '192.0.2.3');
  const page = await browser.get('/login', from);
  assert.deepEqual([page.status, page.headers.get('retry-after')], [429, '60']);
  assert.match(page.html, /<h1>Too many requests<\/h1>/);
  assert.equal((await browser.post('/logout', {}, from)).status, 429);
  const media = await browser.get('/media/0123456789abcdef.jpg', from);
  assert.deepEqual([media.status, media.html, media.headers.get('retry-after')], [429, 'Too many requests', '60']);
});

test('with limits off nobody is limited', async () => {
  const open = await openWorld({ flags: { rate_requests_per_address_per_min: 1, rate_limits: 'off' } });
  try {
    for (let count = 0; count < 3; count++) {
      assert.equal((await open.sandbox.call('GET', '/12/accounts')).status, 200);
    }
  } finally {
    await open.close();
  }
});
