import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import type { DirectoryIndex, DirectoryState, Person } from '../../src/contract/store/directory.ts';
import { samplePeople } from '../../src/dev/samples/sample-people.ts';
import { PeopleDirectory } from '../../src/features/audiences/directory/directory.ts';
import { imageName } from '../../src/features/audiences/directory/image-writer.ts';
import { importPeople } from '../../src/features/audiences/import/import-people.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { derivedIn } from '../rig/derived-files.ts';
import { remoteStore } from '../rig/object-stores.ts';
import { openWorld, type World } from '../rig/world.ts';

/** More than two batches of an import. */
const PEOPLE = 5000;
const SILENT = { stored: () => {}, rejected: () => {} };

let world: World;
let folder: string;
let directory: DirectoryIndex;
const opened: DirectoryIndex[] = [];
beforeEach(async () => {
  world = await openWorld();
  ({ directory, folder } = directoryOf('first'));
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await world.close();
});

function directoryOf(name: string): { directory: DirectoryIndex; folder: string } {
  const { store, clock } = world.service;
  const parent = join(world.place.folder, name);
  const objects = remoteStore(folderObjects(join(parent, 'objects'), secureRandom));
  const folder = join(parent, 'directory');
  const made = new PeopleDirectory({
    ...{ store, clock, random: secureRandom, folder },
    derived: derivedIn(parent, world, objects, 'images'),
  });
  opened.push(made);
  return { directory: made, folder };
}

const madeUp = samplePeople({ seed: 3, users: PEOPLE, registered: ['900000001'], now: 1_770_000_000 });
const some = (from: number, to: number): Person[] =>
  Array.from({ length: to - from }, (_, index) => madeUp(from + index).person);

/** Imports people, and tells whether the image that was begun became that of the new state. */
async function take(people: () => AsyncIterable<Person> | Iterable<Person>): Promise<boolean> {
  let isFinished = false;
  const watched: Pick<DirectoryIndex, 'begin' | 'build'> = {
    begin(version) {
      const image = directory.begin(version);
      return {
        add: (more) => image.add(more),
        discard: () => image.discard(),
        async finish(state) {
          isFinished = await image.finish(state);
          return isFinished;
        },
      };
    },
    build: (state, begun) => directory.build(state, begun),
  };
  const { store, clock } = world.service;
  await importPeople({ store, clock, directory: watched }, { name: 'people', people }, SILENT);
  return isFinished;
}

const stateNow = (): Promise<DirectoryState> => world.service.store.read((tx) => tx.directory.findState());

/** The image of the present state, as the import made it and as it is made from the database, file by file. */
async function assertSameImage(people: number): Promise<void> {
  const state = await stateNow();
  assert.equal(state.people, people);
  const other = directoryOf('other');
  await other.directory.build(state);
  const [own, rebuilt] = [folder, other.folder].map((parent) => join(parent, imageName(state)));
  const names = readdirSync(rebuilt!);
  assert.deepEqual(readdirSync(own!), names);
  for (const name of names) {
    assert.ok(readFileSync(join(own!, name)).equals(readFileSync(join(rebuilt!, name))), `${name} differs`);
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('making-')),
    [],
  );
}

describe('the image of the first people', () => {
  test('is written while they are stored', async () => {
    assert.equal(await take(() => some(0, PEOPLE)), true);
    await assertSameImage(PEOPLE);
  });

  test('is read from the database when somebody occurs in two batches', async () => {
    assert.equal(await take(() => [...some(0, PEOPLE), { ...madeUp(7).person, age: 99 }]), false);
    await assertSameImage(PEOPLE);
  });

  test('is read from the database when others are stored meanwhile', async () => {
    async function* people() {
      yield* some(0, 2000);
      // The batch is stored when the next person is asked for.
      yield* some(2000, 2001);
      await world.service.store.write((tx) => tx.directory.put(some(2001, 2010)));
      yield* some(2010, PEOPLE);
    }
    assert.equal(await take(people), false);
    await assertSameImage(PEOPLE);
  });

  test('is read from the database when another import changed some meanwhile', async () => {
    async function* people() {
      yield* some(0, 2001);
      await world.service.store.write(async (tx) => {
        await tx.directory.put([{ ...madeUp(7).person, age: 99 }]);
        await tx.directory.commitState('another');
      });
      yield* some(2001, PEOPLE);
    }
    assert.equal(await take(people), false);
    await assertSameImage(PEOPLE);
  });

  test('is not begun for later people', async () => {
    await take(() => some(0, 10));
    assert.equal(await take(() => some(10, PEOPLE)), false);
    await assertSameImage(PEOPLE);
  });

  test('leaves nothing behind when the import fails', async () => {
    const people = function* () {
      yield* some(0, 4001);
      throw new Error('the file ends too soon');
    };
    await assert.rejects(
      take(() => people()),
      /ends too soon/,
    );
    assert.deepEqual(existsSync(folder) ? readdirSync(folder) : [], []);
    assert.equal((await stateNow()).people, 0);
  });
});
