import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { start } from '@barker-ads/server/testing';
import { createClient, pauseOverspent } from '../src/pause-overspent.mjs';

const RANGE = { start_time: '2026-03-02T08:00:00Z', end_time: '2026-03-04T08:00:00Z' };

let barker;
let call;
let account;
let clean;
before(async () => {
  // The same ids, keys and time in each run; people who see the ads.
  barker = await start({ seed: 7, clock: '2026-03-02T08:00:00Z', frozen: true, settings: { sample_people: 1000 } });
  call = createClient(barker.url, barker.keys);
  [{ id: account }] = await call('GET', '/12/accounts');
  clean = await barker.snapshot('clean');
});
beforeEach(() => clean.restore());
after(() => barker.close());

test('pauses the campaigns that spent more than the limit, and no others', async () => {
  await barker.clock.advance('P2D');
  const path = `/12/accounts/${account}/campaigns`;
  const statuses = async () => (await call('GET', path)).filter((each) => each.entity_status === 'ACTIVE').length;
  const active = await statuses();
  const paused = await pauseOverspent(call, account, { ...RANGE, limit_micro: 2_000_000 });
  assert.ok(paused.length > 0 && paused.length < active, `${paused} of ${active}`);
  assert.equal(await statuses(), active - paused.length);
  assert.deepEqual(await pauseOverspent(call, account, { ...RANGE, limit_micro: 2_000_000 }), []);
});

test('pauses nothing under a high limit', async () => {
  await barker.clock.advance('P2D');
  assert.deepEqual(await pauseOverspent(call, account, { ...RANGE, limit_micro: 1e12 }), []);
});

test('tries again when the server is unavailable', async () => {
  const match = { operation: 'campaigns.list' };
  const fault = await barker.faults.add({ match, times: 2, do: { reply: { status: 503 } } });
  assert.ok((await call('GET', `/12/accounts/${account}/campaigns`)).length > 0);
  assert.equal(await fault.hits(), 2);
});

test('gives up after three attempts', async () => {
  await barker.faults.add({ match: { operation: 'campaigns.list' }, times: 3, do: { reply: { status: 503 } } });
  await assert.rejects(call('GET', `/12/accounts/${account}/campaigns`), /: 503$/);
});
