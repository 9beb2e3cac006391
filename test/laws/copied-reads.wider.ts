import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { copyDatabase } from '../../src/backup/restore.ts';
import { openTestAccount } from '../behaviours/test-account.ts';
import { RECORD, sourceOn } from '../rig/copies.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { answersOf, mediaIn, READ_FLAGS, readsOf } from '../rig/reads.ts';
import { closeAll, openWorld, type World } from '../rig/world.ts';

const places: Place[] = [];
const open = new Set<World>();
after(() =>
  closeAll([...open].map(({ service }) => service)).finally(() =>
    closeAll(places.map(({ remove }) => ({ close: remove }))),
  ),
);

const other = { sqlite: 'postgres', postgres: 'sqlite' } as const;
for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`a copy of ${engine} in the other database`, () => {
    test('answers every read like the original, byte for byte, and serves the same media', async () => {
      const original = await openWorld({ which: engine, flags: READ_FLAGS });
      open.add(original);
      places.push(original.place);
      const setup = await openTestAccount(original);
      const calls = await readsOf(setup);
      const before = await answersOf(original, calls);
      const media = await mediaIn(original, before);
      const served = [...media].filter(([, { status }]) => status === 200).map(([url]) => url);
      assert.ok(served.length >= 5, `served are ${served} of ${[...media.keys()]}`);
      await original.stop();
      open.delete(original);

      // Media stays in the data folder, which both databases are served with.
      const { folder } = original.place;
      const copy = await openPlace(other[engine]);
      places.push(copy);
      const target = { folder, databaseUrl: copy.databaseUrl };
      const now = original.clock.now();
      await onPlace(original.place, (driver) =>
        copyDatabase(
          sourceOn(original.place, driver, now),
          { ...target, includesFiles: false, objects: undefined },
          RECORD,
        ),
      );
      const place = { ...target, remove: async () => {} };
      const copied = await openWorld({ place, start: new Date(now).toISOString(), flags: READ_FLAGS });
      open.add(copied);
      assert.deepEqual(await answersOf(copied, calls), before);
      assert.deepEqual(await mediaIn(copied, before), media);
    });
  });
}
