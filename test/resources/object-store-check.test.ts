import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { checkObjectStore, OtherObjectStore } from '../../src/features/platform/object-store-check.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { driverOn, engine, onPlace, openPlace, type Place } from '../rig/databases.ts';
import { inTime } from '../rig/patience.ts';
import { startS3 } from '../rig/s3.ts';
import { serve } from '../rig/serving.ts';

let place: Place;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true, isInMemory: true });
});
after(() => place.remove());

/** Servers of one database need a Redis, which may be away. */
const SHARED = engine === 'postgres' ? { redis_url: 'redis://127.0.0.1:1' } : {};
const idsIn = (folder: string): string[] =>
  readdirSync(join(place.folder, folder, 'identity')).filter((name) => name !== 'incoming');
const start = (folder: string, flags: Readonly<Record<string, unknown>> = {}) =>
  serve(place, { ...SHARED, object_store: join(place.folder, folder), ...flags });
const forget = () => onPlace(place, (driver) => driver.write((session) => session.runRaw('delete from object_stores')));
const refusal = (id: string) => ({
  name: 'OtherObjectStore',
  message: `object_store is not the one of this database, which has an object identity/${id}: give all servers of a database the same one; a folder must be the same folder for all of them. If the objects were moved, copy that one too`,
  flag: '--object-store',
});

describe('a server whose object store is not that of its database', () => {
  test('is refused, until the objects are moved there, with the one by which the store is recognized', async () => {
    await (await start('first')).close();
    const [id] = idsIn('first') as [string];
    await assert.rejects(start('second'), refusal(id));
    // The data folder is a store too.
    await assert.rejects(serve(place), refusal(id));
    await (await start('first')).close();
    cpSync(join(place.folder, 'first'), join(place.folder, 'second'), { recursive: true });
    await (await start('second')).close();
    assert.deepEqual([idsIn('first'), idsIn('second')], [[id], [id]]);
    await forget();
  });

  test('is refused beside another server', { skip: engine === 'sqlite' && 'it has one server' }, async () => {
    const first = await start('of one machine');
    const data_folder = join(place.folder, 'another machine');
    await assert.rejects(start('of another', { data_folder }), refusal(idsIn('of one machine')[0]!));
    await (await start('of one machine', { data_folder })).close();
    await first.close();
    await forget();
  });

  test('starts while the store is away, and is stopped when it turns out', async () => {
    const [own, other] = [await startS3(), await startS3()];
    await (await serve(place, { ...SHARED, ...own.flags })).close();
    other.proxy.refuse();
    const service = await serve(place, { ...SHARED, ...other.flags });
    own.proxy.refuse();
    other.proxy.mend();
    assert.match(await inTime(service.superseded), /^object_store is not the one of this database/);
    await service.close();
    await forget();
    await Promise.all([own.close(), other.close()]);
  });
});

test('a database without an object store gets none recorded while a data folder is its store', async () => {
  await (await serve(place)).close();
  assert.equal(await onPlace(place, (driver) => storeOn(driver).read((tx) => tx.objectStoreId.find())), undefined);
});

test('of two servers that use a store first, at once, with different stores one is refused', async () => {
  const driver = driverOn(place);
  const store = storeOn(driver);
  const folders = ['a', 'b'].map((name) => folderObjects(join(place.folder, name), secureRandom));
  const check = async (objects: (typeof folders)[number]) =>
    checkObjectStore({ store, objects }, secureRandom).then(
      () => 'accepted',
      (error) => (error instanceof OtherObjectStore ? 'refused' : Promise.reject(error)),
    );
  for (let round = 0; round < 5; round++) {
    assert.deepEqual((await Promise.all(folders.map(check))).sort(), ['accepted', 'refused']);
    await driver.write((session) => session.runRaw('delete from object_stores'));
    assert.deepEqual(await Promise.all([folders[0]!, folders[0]!].map(check)), ['accepted', 'accepted']);
    await driver.write((session) => session.runRaw('delete from object_stores'));
  }
  // Each round leaves the one that was recorded, twice.
  assert.equal(idsIn('a').length + idsIn('b').length, 10);
  await driver.close();
});
