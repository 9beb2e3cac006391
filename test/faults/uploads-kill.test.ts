import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { audienceOn, persons, update } from '../resources/people-calls.ts';
import { clientOf } from '../rig/client.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { openAccount } from '../rig/world.ts';

const CLIENTS = 8;
const PEOPLE = 100;
/** In each round the process is killed at the moment when this many uploads of the round were acknowledged. */
const MOMENTS = [1, 10, 60];

let place: Place;
let running: Running;
const start = () => startBarker(place, { flags: ['--rate-limits', 'off'] });
const clientNow = () => clientOf(running.file.sandbox_url!, running.file, systemClock);

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  running = await start();
});
after(async () => {
  await running.kill();
  await place.remove();
});

describe('a process that is killed while people are uploaded', () => {
  test('counts every acknowledged upload once, and no upload partially', async () => {
    const { path } = await openAccount(clientNow());
    const { id } = await audienceOn(clientNow(), path);
    const told = { sent: 0, acknowledged: 0 };
    for (const moment of MOMENTS) {
      await uploadUntilKilled(`${path}/custom_audiences/${id}/users`, told, moment);
      running = await start();
      const size = await settledSize(id);
      assert.equal(size % PEOPLE, 0, `${size} people`);
      const uploads = size / PEOPLE;
      assert.ok(uploads >= told.acknowledged && uploads <= told.sent, `${uploads} of ${JSON.stringify(told)}`);
    }
  });
});

/** Uploads people, all of them different, from several clients until so many uploads were acknowledged; then comes the end. */
async function uploadUntilKilled(
  path: string,
  told: { sent: number; acknowledged: number },
  moment: number,
): Promise<void> {
  const until = told.acknowledged + moment;
  const client = clientNow();
  let killed: Promise<void> | undefined;
  const keepUploading = async (): Promise<void> => {
    while (!killed) {
      const from = told.sent++ * PEOPLE;
      const reply = await client.call('POST', path, { json: [update(persons(from, from + PEOPLE))] }).catch(() => null);
      if (reply?.status !== 200) return;
      told.acknowledged += 1;
      if (told.acknowledged >= until) killed ??= running.kill();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, keepUploading));
  await killed;
}

/** How many people an audience has, once everything is processed. */
async function settledSize(id: string): Promise<number> {
  const store = storeOn(driverOn(place));
  try {
    for (;;) {
      const found = await store.read((tx) => tx.audiences.find(`audience:${id}`));
      if (found?.is_processing === 0) return found.size ?? 0;
      // Time for the process beside.
      await clientNow().call('GET', '/12/accounts');
    }
  } finally {
    await store.close();
  }
}
