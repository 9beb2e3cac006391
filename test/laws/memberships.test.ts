import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { AudienceMembers, Subject } from '../../src/contract/store/audiences.ts';
import type { BuiltFiles, DerivedFile } from '../../src/contract/store/derived-files.ts';
import { AudienceMemberIndex } from '../../src/features/audiences/members/audience-members.ts';
import { openMembers } from '../../src/features/audiences/members/member-runs.ts';
import { derivedIn } from '../rig/derived-files.ts';
import { fc } from '../rig/laws.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { withMethods } from '../rig/replaced-methods.ts';
import { rounds } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { membersIn } from './members-in.ts';
import {
  accepted,
  EPOCH,
  identifierOf,
  longLog,
  type Member,
  membersOf,
  openAt,
  packed,
  setOf,
  shown,
  tree,
  type Upload,
  uploads,
} from './membership-model.ts';

/** So few bytes that most logs are merged in several batches. */
const BATCH_BYTES_MAX = 400;
const USERS = 70;
const LEAVES = 3;
const DAY_S = 86_400;

let world: World;
let folder: string;
let memberships: AudienceMembers;
const open = (store = world.service.store) => {
  const { directory } = world.service.services.audiences;
  const derived = derivedIn(folder, world);
  return new AudienceMemberIndex({ store, directory, derived, folder, batch_bytes_max: BATCH_BYTES_MAX });
};
before(async () => {
  world = await openWorld();
  folder = mkdtempSync(join(tmpdir(), 'barker-memberships-'));
  memberships = open();
});
after(async () => {
  await memberships.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
const someSubject = (): Subject => `audience:law${++count}`;
const pathOf = (subject: Subject) => join(folder, `${subject.replace(':', '-')}.runs`);
function mergedIn(path: string): number {
  const file = openMembers(path);
  file?.close();
  return file?.merged ?? 0;
}
/** The versions of the last run and of the matched users; runs may be split in any way. */
const lastVersions = ([built]: readonly BuiltFiles[]): (string | undefined)[] => {
  const runs = built!.files.filter(({ name }) => name.startsWith('members-'));
  const last = runs.reduce<DerivedFile | undefined>((before, each) => {
    const isLater = Number.parseInt(each.version, 10) > Number.parseInt(before?.version ?? '0', 10);
    return isLater ? each : before;
  }, undefined);
  return [last?.version, built!.files.find(({ name }) => name === 'matched')?.version];
};
const lastOf = (log: readonly Upload[]): number => accepted(log).at(-1)?.accepted_at ?? 0;

async function append(subject: Subject, log: readonly Upload[], from = 0, to = log.length): Promise<void> {
  for (const { accepted_at, payload } of packed(log).slice(from, to)) {
    const key = String(++count);
    await world.service.store.write(async (tx) => {
      await tx.audienceLog.storePayload(subject, key, payload);
      await tx.audienceLog.append(subject, { accepted_at, records: 1, key, bytes: payload.length });
    });
  }
}

describe('a log', () => {
  test('replayed equals the live state, and a simple model', async () => {
    const property = fc.asyncProperty(uploads('Update', 'Delete'), fc.nat({ max: 8 }), async (log, settled) => {
      const subject = someSubject();
      const now = EPOCH + lastOf(log);
      const live = Math.min(settled, log.length);
      await append(subject, log, 0, live);
      await memberships.mergeAndCount(subject, 'every-record', now);
      await append(subject, log, live);
      const { built, ...standing } = await memberships.mergeAndCount(subject, 'every-record', now);
      const said = membersOf(log);
      assert.equal(standing.merged, log.length);
      assert.equal(standing.size, openAt(said, lastOf(log)).length);
      assert.deepEqual(shown(membersIn(pathOf(subject))), shown(said));
      await memberships.forget(subject);
      assert.deepEqual(membersIn(pathOf(subject)), []);
      const { built: builtAgain, ...again } = await memberships.mergeAndCount(subject, 'every-record', now);
      assert.deepEqual(again, standing);
      assert.deepEqual(lastVersions(builtAgain), lastVersions(built));
      assert.deepEqual(shown(membersIn(pathOf(subject))), shown(said));
    });
    await fc.assert(property, { numRuns: rounds(40) });
  });

  test('is merged no further when its job is taken over', async () => {
    const subject = someSubject();
    const log = longLog(3);
    await append(subject, log);
    const { store } = world.service;
    const controller = new AbortController();
    let reads = 0;
    const watched: typeof store = {
      ...store,
      read: (work) =>
        store.read((tx) => {
          const findAfter: typeof tx.audienceLog.findAfter = (...args) => {
            // By then at least one batch has been merged, and the next is being read.
            if (++reads === 12) controller.abort(new Error('taken over'));
            return tx.audienceLog.findAfter(...args);
          };
          return work({ ...tx, audienceLog: withMethods(tx.audienceLog, { findAfter }) });
        }),
    };
    const stopped = open(watched);
    const now = EPOCH + lastOf(log);
    await assert.rejects(stopped.mergeAndCount(subject, 'every-record', now, controller.signal), /taken over/);
    const readsAtEnd = reads;
    const merged = mergedIn(pathOf(subject));
    assert.ok(merged > 0 && merged < log.length, `merged ${merged} of ${log.length}`);
    assert.deepEqual(shown(membersIn(pathOf(subject))), shown(membersOf(log.slice(0, merged))));
    await assert.rejects(stopped.countTree({ leaf: subject, negate: false }, 'every-record', now, controller.signal));
    assert.deepEqual([mergedIn(pathOf(subject)), reads], [merged, readsAtEnd], 'nothing is done any more');
    await stopped.close();
    assert.equal((await memberships.mergeAndCount(subject, 'every-record', now)).merged, log.length);
  });

  test('that replaced the merged one is merged from its beginning', async () => {
    const subject = someSubject();
    const upload = (after: number, person: number): Upload => ({
      after,
      operations: [{ type: 'Update', effective_at: 0, expires_at: 99, people: [[person]] }],
    });
    await append(subject, [upload(1, 1), upload(1, 2)]);
    assert.equal((await memberships.mergeAndCount(subject, 'every-record', EPOCH + 9)).size, 2);
    await world.service.store.write((tx) => tx.audienceLog.remove(subject, 10));
    await append(subject, [upload(3, 4), upload(4, 5), upload(1, 6)]);
    assert.equal((await memberships.mergeAndCount(subject, 'every-record', EPOCH + 9)).size, 3);
  });
});

/** Users with up to three identifiers each, some of which others have too; every fifth was not active for long. */
const identifiersOfUser = (user: number): number[] =>
  [user % 31, (user * 7) % 31, (user * 11) % 31].slice(0, user % 4).filter((each, at, all) => all.indexOf(each) === at);
const isActive = (user: number): boolean => user % 5 !== 0;

function usersOf(members: readonly Member[]): Set<number> {
  const held = new Set(members.flatMap(({ identifiers }) => [...identifiers]));
  return new Set(
    Array.from({ length: USERS }, (_, user) => user).filter((user) =>
      identifiersOfUser(user).some((identifier) => held.has(identifier)),
    ),
  );
}

describe('a tree over users of the directory', () => {
  before(async () => {
    const people = Array.from({ length: USERS }, (_, user) =>
      person(String(1000 + user), {
        last_active_at: isActive(user) ? EPOCH : EPOCH - 90 * DAY_S - 1,
        identifiers: Buffer.concat(identifiersOfUser(user).map(identifierOf)),
      }),
    );
    await settlePeople(world, people);
  });

  test('is set algebra', async () => {
    const logs = fc.array(uploads('Update', 'Delete'), { minLength: LEAVES, maxLength: LEAVES });
    const property = fc.asyncProperty(logs, tree(LEAVES), fc.nat({ max: 130 }), async (input, drawn, later) => {
      const now = Math.max(...input.map(lastOf)) + later;
      const subjects = input.map(someSubject);
      for (const [leaf, log] of input.entries()) await append(subjects[leaf]!, log);
      const renamed: typeof drawn = JSON.parse(JSON.stringify(drawn), (_, value) =>
        typeof value === 'string' && value.startsWith('audience:') ? subjects[Number(value.slice(9))] : value,
      );
      const meant = setOf(renamed, new Set(Array.from({ length: USERS }, (_, user) => user)), (subject) =>
        usersOf(openAt(membersOf(input[subjects.indexOf(subject)]!), now)),
      );
      const { size } = await memberships.countTree(renamed, 'directory', EPOCH + now);
      assert.equal(size, [...meant].filter(isActive).length);
      assert.deepEqual([...(await memberships.usersOf(renamed, EPOCH + now))], [...meant]);
    });
    await fc.assert(property, { numRuns: rounds(40) });
  });

  test('that grew is matched again', async () => {
    const subject = someSubject();
    const operations = [{ type: 'Update', effective_at: 0, expires_at: 99, people: [[30]] }] as const;
    await append(subject, [{ after: 1, operations }]);
    const before = await memberships.mergeAndCount(subject, 'directory', EPOCH + 1);
    const version = await memberships.versionOf(subject);
    await settlePeople(world, [person('5000', { last_active_at: EPOCH, identifiers: identifierOf(30) })]);
    const after = await memberships.mergeAndCount(subject, 'directory', EPOCH + 1);
    assert.equal(after.size, before.size + 1);
    assert.notEqual(await memberships.versionOf(subject), version);
  });
});
