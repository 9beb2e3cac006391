// On either database: snapshots are of SQLite.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { callDev, contentsOf } from '../rig/snapshots.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const ROUNDS = 100;
/** Rounds before the first measurement: what is loaded and cached once. */
const FIRST = 20;
/** More than the noise of a heap after collection, and less than a hundredth of a world for each round. */
const GROWTH_BYTES_MAX = 8_000_000;

let world: World;
before(async () => {
  world = await openWorld({ which: 'sqlite', flags: { rate_limits: 'off' } });
});
after(() => world.close());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What the process holds: files, resources that keep it alive, threads, and bytes after a collection. */
function held() {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    files: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
    resources: process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap').length,
    bytes: heapUsed + external,
    rss,
  };
}

test(`${ROUNDS} rounds of snapshot and restore give the same contents and leave nothing behind`, async (t) => {
  const { path, instrument } = await openAccount(world.sandbox);
  const times_ms: number[] = [];
  let start: ReturnType<typeof held> | undefined;
  for (let round = 0; round < FIRST + ROUNDS; round++) {
    if (round === FIRST) start = held();
    const from = performance.now();
    assert.equal((await callDev(world, 'PUT', '/snapshots/round')).status, 200);
    const before = performance.now();
    const contents = await contentsOf(world);
    const params = { name: `${round}`, funding_instrument_id: instrument, daily_budget_amount_local_micro: 1_000_000 };
    assert.equal((await world.sandbox.call('POST', `${path}/campaigns`, { params })).status, 200);
    const then = performance.now();
    assert.equal((await callDev(world, 'POST', '/snapshots/round/restore')).status, 200);
    times_ms.push(before - from + performance.now() - then);
    assert.deepEqual(await contentsOf(world), contents);
  }
  const end = held();
  times_ms.sort((a, b) => a - b);
  t.diagnostic(`snapshot and restore together: median ${times_ms[times_ms.length >> 1]!.toFixed(1)} ms`);
  t.diagnostic(`before ${JSON.stringify(start)}, after ${JSON.stringify(end)}`);
  assert.ok(end.files <= start!.files + 2, `${end.files} open files, ${start!.files} before`);
  assert.ok(end.threads <= start!.threads + 1, `${end.threads} threads, ${start!.threads} before`);
  assert.ok(end.resources <= start!.resources + 3, `${end.resources} resources, ${start!.resources} before`);
  assert.ok(end.bytes < start!.bytes + GROWTH_BYTES_MAX, `${end.bytes} bytes, ${start!.bytes} before`);
});
