import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { AudienceMembers, Subject } from '../../src/contract/store/audiences.ts';
import type { DerivedFile } from '../../src/contract/store/derived-files.ts';
import type { DirectoryIndex } from '../../src/contract/store/directory.ts';
import { PeopleDirectory } from '../../src/features/audiences/directory/directory.ts';
import { importPeople } from '../../src/features/audiences/import/import-people.ts';
import { AudienceMemberIndex } from '../../src/features/audiences/members/audience-members.ts';
import { findEntries } from '../../src/features/audiences/members/find-entries.ts';
import { openRun } from '../../src/features/audiences/members/member-run.ts';
import { audienceProcessing } from '../../src/features/audiences/members/processing-job.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { objectRemoval } from '../../src/features/platform/object-removal.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { driverOn, engine } from '../rig/databases.ts';
import { derivedIn } from '../rig/derived-files.ts';
import { anotherNode } from '../rig/nodes.ts';
import { type RemoteStore, remoteStore } from '../rig/object-stores.ts';
import { until } from '../rig/patience.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, hashOf, type Kept, persons, remove, update } from './people-calls.ts';

const PEOPLE = 3000;
/** The kind of identifier of an e-mail address. */
const EMAIL = 0;

/** What a server is for audiences: files of its own, and jobs. */
interface AudienceNode {
  readonly folder: string;
  readonly store: Store;
  readonly members: AudienceMembers;
  readonly directory: DirectoryIndex;
  readonly jobs: JobRunner;
  readonly failures: unknown[];
}

let world: World;
let objects: RemoteStore;
let bucket: string;
let a: AudienceNode;
let b: AudienceNode;
const opened: { close(): Promise<unknown> }[] = [];

function openNode(name: string, store: Store): AudienceNode {
  const folder = join(world.place.folder, name);
  const { clock } = world.service;
  const derived = derivedIn(folder, world, objects);
  const directory = new PeopleDirectory({
    ...{ store, clock, random: secureRandom, folder: join(folder, 'directory') },
    derived: derivedIn(folder, world, objects, 'images'),
  });
  const members = new AudienceMemberIndex({
    ...{ store, directory, derived, refresh_ms: 100 },
    folder: join(folder, 'memberships'),
  });
  const failures: unknown[] = [];
  const { services } = world.service;
  const jobs = new JobRunner({
    ...{ store, clock, node: anotherNode(name), random: secureRandom },
    services: { ...services, store, objects, audiences: { ...services.audiences, members, directory } },
    kinds: [audienceProcessing, objectRemoval],
    onEnded() {},
    onFailed: (_, error) => void failures.push(error),
  });
  opened.push({ close: () => jobs.stop() }, members, directory);
  return { folder, store, members, directory, jobs, failures };
}

let account: string;
before(async () => {
  world = await openWorld({ flags: { audience_matching_sandbox: 'directory', audience_size_min: 1 } });
  // The jobs of this test are done by its own nodes.
  await world.service.jobs.stop();
  bucket = join(world.place.folder, 'bucket');
  objects = remoteStore(folderObjects(bucket, secureRandom));
  a = openNode('a', world.service.store);
  // On SQLite, two processes cannot serve one database: there, only the folders differ.
  const elsewhere = engine === 'postgres' ? storeOn(driverOn(world.place)) : world.service.store;
  b = openNode('b', elsewhere);
  if (elsewhere !== world.service.store) opened.push(elsewhere);
  await settlePeople(
    world,
    Array.from({ length: PEOPLE }, (_, index) => person(String(1000 + index), { identifiers: identifierOf(index) })),
  );
  ({ path: account } = await openAccount(world.sandbox));
});
after(async () => {
  for (const each of opened) await each.close();
  await world.close();
});
beforeEach(() => {
  objects.isAway = false;
});

/** What is stored of an e-mail address: 15 bytes of its hash, and its kind. */
function identifierOf(index: number): Uint8Array {
  return Uint8Array.from([...Buffer.from(hashOf(index), 'hex').subarray(0, 15), EMAIL]);
}

const now = () => Math.floor(world.clock.now() / 1000);
const subjectOf = ({ id }: Kept): Subject => `audience:${id}`;
const usersOn = async ({ members }: AudienceNode, kept: Kept): Promise<number> =>
  (await members.usersOf({ leaf: subjectOf(kept), negate: false }, now())).length;
const upload = async (kept: Kept, operation: unknown) => assert.equal((await kept.upload([operation])).status, 200);
const recorded = (kept: Kept) => world.service.store.read((tx) => tx.derivedFiles.list(subjectOf(kept)));

async function untilSeen(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  rest: () => unknown = () => '',
): Promise<void> {
  await until(
    () => `${what}: ${rest()}`,
    async () => {
      if (await isSo()) return true;
      // What other processes have changed; a server looks by itself.
      await b.store.fence?.();
      return false;
    },
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The files, wherever they are, that contain the identifier of a person: runs by column, and any other bytes. */
function filesWith(index: number, folders: readonly string[]): string[] {
  const bytes = Buffer.from(identifierOf(index));
  const words = new Uint32Array(4);
  for (let part = 0; part < 4; part++) words[part] = bytes.readUInt32BE(part * 4);
  bytes.swap32();
  // Files come and go meanwhile.
  return folders.flatMap(filesBelow).filter((path) => {
    if (!existsSync(path)) return false;
    const run = openRun(path);
    const isFound = run && findEntries([run], words).hasEntry[0] === 1;
    run?.close();
    return isFound || readFileSync(path).includes(bytes);
  });
}
const everywhere = () => [a.folder, b.folder, bucket];

async function audienceOf(from: number, to: number): Promise<Kept> {
  const kept = await audienceOn(world.sandbox, account);
  await upload(kept, update(persons(from, to)));
  await a.jobs.runDue();
  assert.deepEqual(a.failures, []);
  return kept;
}

describe('the image of the directory', () => {
  const everybody = { anyOf: [], allOf: [], noneOf: [] };
  const countOn = ({ directory }: AudienceNode): Promise<number> => directory.count(everybody, 0);
  const imagesOf = ({ folder }: AudienceNode): string[] => readdirSync(join(folder, 'directory'));
  const quiet = { stored() {}, rejected() {} };
  const importOn = ({ directory, store }: AudienceNode, name: string, ids: readonly number[]) => {
    const people = () => ids.map((index) => person(String(1000 + index), { identifiers: identifierOf(index) }));
    return importPeople({ store, clock: world.service.clock, directory }, { name, people }, quiet);
  };
  let people = PEOPLE;

  test('is built once, by whoever imports, and fetched by others', async () => {
    await importOn(a, 'more', [people++, people++]);
    const fetched = objects.fetched;
    assert.equal(await countOn(b), people);
    assert.equal(objects.fetched, fetched + 3, 'each of its files');
    assert.deepEqual(imagesOf(b).slice(-1), imagesOf(a).slice(-1));
    assert.equal(await countOn(a), people);
  });

  test('is recorded by the node that needs it first, when it is missing', async () => {
    await settlePeople(world, [person(String(1000 + people++))]);
    assert.equal(await countOn(a), people);
    const fetched = objects.fetched;
    assert.equal(await countOn(b), people);
    assert.equal(objects.fetched, fetched + 3);
  });

  test('is built on each node while the object store is away', async () => {
    await settlePeople(world, [person(String(1000 + people++))]);
    objects.isAway = true;
    for (const node of [a, b]) assert.equal(await countOn(node), people);
    objects.isAway = false;
    for (const node of [a, b]) assert.equal(await countOn(node), people);
  });

  test('does not replace that of another import that was settled meanwhile', async () => {
    const { directory, store } = a;
    const next = await store.read((tx) => tx.directory.findNext('first'));
    const built = await directory.build(next);
    await importOn(b, 'second', [people++]);
    assert.equal(await store.write((tx) => tx.derivedFiles.record(built, formatInstant(world.clock.now()))), 'refused');
    for (const node of [a, b]) assert.equal(await countOn(node), people);
    world.clock.advance(3700);
    await a.jobs.runDue();
    const left = filesBelow(bucket).map((path) => path.slice(bucket.length + 1));
    const images = left.filter((key) => key.startsWith('audiences/images/'));
    const now_recorded = await store.read((tx) => tx.derivedFiles.list('directory'));
    assert.deepEqual(images.sort(), now_recorded.map(({ object_key }) => object_key).sort());
  });

  test('that is damaged, here and in its objects, is built and recorded again', async () => {
    await importOn(a, 'last', [people++]);
    assert.equal(await countOn(b), people);
    for (const { object_key } of await a.store.read((tx) => tx.derivedFiles.list('directory')))
      writeFileSync(join(bucket, object_key), '');
    rmSync(b.folder, { recursive: true });
    assert.equal(await countOn(b), people);
    rmSync(a.folder, { recursive: true });
    const fetched = objects.fetched;
    assert.equal(await countOn(a), people);
    assert.equal(objects.fetched, fetched + 3);
  });
});

test('an audience to which nobody was uploaded is processed without an image of the directory, and has no files', async () => {
  const kept = await audienceOn(world.sandbox, account);
  const folder = join(world.place.folder, 'nobody');
  const members = new AudienceMemberIndex({
    store: world.service.store,
    directory: { files: () => assert.fail('nobody needs the directory') },
    derived: derivedIn(folder, world, objects),
    folder: join(folder, 'memberships'),
  });
  opened.push(members);
  const { built, ...counted } = await members.mergeAndCount(subjectOf(kept), 'directory', now());
  assert.deepEqual(counted, { merged: 0, size: 0, next_change_at: undefined });
  assert.deepEqual(built, [{ owner: subjectOf(kept), former: [], files: [] }]);
});

describe('files of an audience that one node has built', () => {
  test('are found by another as soon as the job has ended', async () => {
    const kept = await audienceOf(0, 10);
    assert.equal(await usersOn(b, kept), 10);
    await upload(kept, update(persons(10, 1010)));
    await a.jobs.runDue();
    assert.equal((await kept.show()).audience_size, 1000);
    assert.equal(await usersOn(b, kept), 1010);
    assert.equal(await usersOn(a, kept), 1010);
    const fetched = objects.fetched;
    assert.equal(await usersOn(b, kept), 1010);
    assert.equal(objects.fetched, fetched, 'a copy is fetched once');
    assert.deepEqual(
      filesBelow(join(b.folder, 'memberships', '..')).filter((path) => /\.runs/.test(path)),
      [],
    );
  });

  test('are continued by another, which replaces them', async () => {
    const kept = await audienceOf(2000, 2300);
    const first = await recorded(kept);
    await upload(kept, remove(persons(2000, 2100)));
    await b.jobs.runDue();
    assert.deepEqual(b.failures, []);
    for (const node of [a, b]) assert.equal(await usersOn(node, kept), 200);
    const second = await recorded(kept);
    const names = (files: readonly DerivedFile[]) => files.map(({ name }) => name);
    assert.deepEqual(names(second), ['matched', 'members-1-1', 'members-2-2']);
    const keyOf = (files: readonly DerivedFile[], name: string) => files.find((file) => file.name === name)?.object_key;
    assert.equal(keyOf(second, 'members-1-1'), keyOf(first, 'members-1-1'), 'what has not changed stays');
    assert.notEqual(keyOf(second, 'matched'), keyOf(first, 'matched'));
    // Eight runs are made one.
    for (let at = 2290; at < 2296; at++) {
      await upload(kept, update(persons(at, at + 1)));
      await b.jobs.runDue();
    }
    assert.deepEqual(names(await recorded(kept)), ['matched', 'members-1-8']);
    for (const node of [a, b]) assert.equal(await usersOn(node, kept), 200);
    const left = () => filesWith(2000, [a.folder]);
    await untilSeen('the old files of the first node are gone', () => left().length === 0, left);
    world.clock.advance(60);
    await a.jobs.runDue();
    assert.deepEqual(filesWith(2000, [bucket]), [], 'replaced objects are removed after a while');
    assert.ok(filesWith(2250, [bucket]).length > 0);
  });

  test('are on no disk and in no bucket when the audience has been deleted', async () => {
    const kept = await audienceOf(2400, 2500);
    await upload(kept, update(persons(2500, 2550)));
    await b.jobs.runDue();
    for (const node of [a, b]) assert.equal(await usersOn(node, kept), 150);
    assert.ok(filesWith(2450, [bucket]).length > 0);
    assert.ok(filesWith(2450, [b.folder]).length > 0);
    assert.equal((await world.sandbox.call('DELETE', kept.path)).status, 200);
    await a.jobs.runDue();
    // A node may still have been fetching what was replaced just before.
    world.clock.advance(60);
    await a.jobs.runDue();
    const left = () => filesWith(2450, everywhere());
    await untilSeen('nothing is left', () => left().length === 0, left);
    assert.deepEqual(await recorded(kept), []);
  });

  test('are removed when the node that stored them ended before it could record them', async () => {
    const kept = await audienceOf(600, 650);
    const before = filesBelow(bucket).length;
    const recordedBefore = new Set((await recorded(kept)).map(({ object_key }) => object_key));
    await upload(kept, update(persons(650, 660)));
    const { built } = await a.members.mergeAndCount(subjectOf(kept), 'directory', now());
    assert.equal(filesBelow(bucket).length, before + 2);
    assert.equal(await usersOn(b, kept), 50, 'nobody sees what is not recorded');
    world.clock.advance(3700);
    await b.jobs.runDue();
    assert.equal(await usersOn(b, kept), 60, 'the job was done again');
    world.clock.advance(120);
    await b.jobs.runDue();
    const left = new Set(filesBelow(bucket).map((path) => path.slice(bucket.length + 1)));
    const unrecorded = built[0]!.files.filter(({ object_key }) => !recordedBefore.has(object_key));
    for (const { object_key } of unrecorded) assert.ok(!left.has(object_key), object_key);
    for (const { object_key } of await recorded(kept)) assert.ok(left.has(object_key), object_key);
    const stale = await world.service.store.write((tx) =>
      tx.derivedFiles.record(built[0]!, formatInstant(world.clock.now())),
    );
    assert.equal(stale, 'refused', 'what was built from former files is not recorded any more');
  });

  test('are searched while the object store is away, and the job waits for it', async () => {
    const kept = await audienceOf(700, 750);
    assert.equal(await usersOn(b, kept), 50);
    await upload(kept, update(persons(750, 800)));
    objects.isAway = true;
    assert.equal(await usersOn(b, kept), 50);
    const ended = a.jobs.runDue();
    await untilSeen('the job was tried', async () => {
      const { attempts } = await attemptsOf(kept);
      return attempts > 1;
    });
    assert.equal(await usersOn(b, kept), 50);
    objects.isAway = false;
    await ended;
    await a.jobs.runDue();
    assert.deepEqual(a.failures, []);
    for (const node of [a, b]) assert.equal(await usersOn(node, kept), 100);
  });

  test('replace former copies of them, even if they cannot be fetched at first', async () => {
    const kept = await audienceOf(1500, 1550);
    assert.equal(await usersOn(b, kept), 50);
    const copy = join(b.folder, 'members-copies', `audience-${kept.id}`);
    const former = readdirSync(copy);
    objects.failing = 1;
    await upload(kept, update(persons(1550, 1560)));
    await a.jobs.runDue();
    await untilSeen('the copy was replaced', () => readdirSync(copy).every((name) => !former.includes(name)));
    assert.equal(objects.failing, 0);
    assert.equal(await usersOn(b, kept), 60);
  });

  test('that are neither here nor can be fetched are an unavailable store, not an empty audience', async () => {
    const kept = await audienceOf(800, 810);
    objects.isAway = true;
    await assert.rejects(usersOn(b, kept), StoreUnavailable);
    objects.isAway = false;
    assert.equal(await usersOn(b, kept), 10);
  });

  for (const [what, damage] of [
    ['lost', (path: string) => rmSync(path)],
    ['damaged', (path: string) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
    ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 70))],
  ] as const) {
    test(`are built and stored again when they were ${what}`, async () => {
      const kept = await audienceOf(820, 850);
      const first = await recorded(kept);
      for (const { object_key } of first) damage(join(bucket, object_key));
      for (const { folder } of [a, b]) {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
      }
      assert.equal(await usersOn(b, kept), 30);
      await a.jobs.runDue();
      const second = await recorded(kept);
      assert.ok(second.every(({ object_key }) => !first.some((file) => file.object_key === object_key)));
      rmSync(b.folder, { recursive: true });
      assert.equal(await usersOn(b, kept), 30);
    });
  }
});

async function attemptsOf(kept: Kept): Promise<{ attempts: number }> {
  const driver = driverOn(world.place);
  try {
    const sql = `select attempts from jobs where kind = 'audience-processing' and key = '${subjectOf(kept)}'`;
    const [row] = await driver.read((session) => session.allRaw<{ attempts: number }>(sql));
    return row ?? { attempts: 0 };
  } finally {
    await driver.close();
  }
}
