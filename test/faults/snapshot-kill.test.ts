// On either database: snapshots are of SQLite, whose files lie beside them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { request } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { clientOf } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { openAccount } from '../rig/world.ts';

let place: Place;
let running: Running;
before(async () => {
  place = await openPlace('sqlite', { hasSchema: true });
  running = await startBarker(place, { flags: ['--rate-limits', 'off'] });
});
after(async () => {
  await running.kill();
  await place.remove();
});

async function dev(method: 'PUT' | 'POST', path: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const reply = await request(`${running.file.base_url}/_dev/snapshots/${path}`, { method, headers, body: '{}' });
  await reply.body.dump();
  return reply.statusCode;
}

/** The names of all campaigns of the account. */
async function names(path: string): Promise<string[]> {
  const client = clientOf(running.file.sandbox_url!, running.file, systemClock);
  const { body } = await client.call('GET', `${path}/campaigns`, { params: { count: 1000 } });
  return body.data.map(({ name }: { name: string }) => name).sort();
}

/** After so many milliseconds of a restore the process is killed: before, during and after the copying. */
const MOMENTS_MS = [0, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40];

test('a restore that is killed leaves the former state whole, or the snapshot', { timeout: 120_000 }, async () => {
  const client = clientOf(running.file.sandbox_url!, running.file, systemClock);
  const { path, instrument } = await openAccount(client);
  const create = async (name: string): Promise<void> => {
    const own = clientOf(running.file.sandbox_url!, running.file, systemClock);
    const params = { name, funding_instrument_id: instrument, daily_budget_amount_local_micro: 1_000_000 };
    assert.equal((await own.call('POST', `${path}/campaigns`, { params })).status, 200);
  };
  await create('one');
  await create('two');
  assert.equal(await dev('PUT', 'two'), 200);
  for (const moment_ms of MOMENTS_MS) {
    const isThird = (await names(path)).length === 3;
    if (!isThird) await create('three');
    const restoring = dev('POST', 'two/restore').catch(() => 0);
    await new Promise((resolve) => setTimeout(resolve, moment_ms));
    await running.kill();
    await restoring;
    running = await startBarker(place, { flags: ['--rate-limits', 'off'] });
    assert.match((await names(path)).join(), /^one,(three,)?two$/);
  }
  // A last one that nobody disturbs.
  assert.equal(await dev('POST', 'two/restore'), 200);
  assert.deepEqual(await names(path), ['one', 'two']);
});
