import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { importPeople } from '../../src/features/audiences/import/import-people.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { isFull } from '../rig/sampling.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, hashOf, type Kept, persons, remove, update } from './people-calls.ts';

const PROCESSING = ['PROCESSING', 'TOO_SMALL'];
const SMALL = { targetable: false, reasons_not_targetable: ['TOO_SMALL'], audience_size: null };
const WAITING = { ...SMALL, reasons_not_targetable: PROCESSING };
const sized = (audience_size: number) => ({ targetable: true, reasons_not_targetable: [], audience_size });

/** Uploads and lets it be processed: under load the reply does not wait that long. */
async function upload(world: World, kept: Kept, json: readonly unknown[]): Promise<void> {
  const reply = await kept.upload(json);
  assert.equal(reply.status, 200, reply.text);
  await world.service.jobs.runDue();
}

async function standing(kept: Pick<Kept, 'show'>) {
  const { targetable, reasons_not_targetable, audience_size } = await kept.show();
  return { targetable, reasons_not_targetable, audience_size };
}

const at = (world: World, seconds: number) => formatInstant(world.clock.now() + seconds * 1000);

async function advance(world: World, seconds: number): Promise<void> {
  world.clock.advance(seconds);
  await world.service.jobs.runDue();
}

describe('an audience whose members count at once', () => {
  let world: World;
  let account: string;
  before(async () => {
    world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 3 } });
    account = (await openAccount(world.sandbox)).path;
  });
  after(() => world.close());
  const open = () => audienceOn(world.sandbox, account);

  test('is too small at first, and becomes targetable as it grows', async () => {
    const kept = await open();
    assert.deepEqual(await standing(kept), WAITING);
    await world.service.jobs.runDue();
    assert.deepEqual(await standing(kept), SMALL);
    await upload(world, kept, [update(persons(0, 2))]);
    assert.deepEqual(await standing(kept), SMALL);
    await upload(world, kept, [update(persons(1, 4))]);
    assert.deepEqual(await standing(kept), sized(4));
    await upload(world, kept, [remove(persons(0, 2))]);
    assert.deepEqual(await standing(kept), SMALL);
  });

  test('keeps its members and accepts uploads when the clock is set back', async () => {
    const kept = await open();
    await upload(world, kept, [update(persons(0, 5))]);
    assert.deepEqual(await standing(kept), sized(5));
    world.clock.advance(-3600);
    await upload(world, kept, [update(persons(5, 7))]);
    assert.deepEqual(await standing(kept), sized(7));
    world.clock.advance(3600);
    await upload(world, kept, [remove(persons(0, 1))]);
    assert.deepEqual(await standing(kept), sized(6));
  });

  test('counts a person once, however many identifiers match', async () => {
    const kept = await open();
    await upload(world, kept, [update(persons(0, 6))]);
    assert.deepEqual(await standing(kept), sized(6));
    await upload(world, kept, [update([{ email: [hashOf(0)], phone_number: [hashOf('a')] }, { email: [hashOf(1)] }])]);
    assert.deepEqual(await standing(kept), sized(6));
    await upload(world, kept, [update([{ email: [hashOf(2)], phone_number: [hashOf('a')] }])]);
    assert.deepEqual(await standing(kept), sized(5));
    await upload(world, kept, [remove([{ phone_number: [hashOf('a')] }])]);
    assert.deepEqual(await standing(kept), sized(4));
  });

  test('gains a member exactly at effective_at, and loses them exactly at expires_at', async () => {
    const kept = await open();
    await upload(world, kept, [
      update(persons(0, 3), { expires_at: at(world, 100) }),
      update(persons(3, 4), { effective_at: at(world, 10), expires_at: at(world, 50) }),
      remove(persons(2, 3), { effective_at: at(world, 70) }),
    ]);
    assert.deepEqual(await standing(kept), sized(3));
    for (const [seconds, then] of [
      [9, sized(3)],
      [1, sized(4)],
      [39, sized(4)],
      [1, sized(3)],
      [19, sized(3)],
      [1, SMALL],
    ] as const) {
      await advance(world, seconds);
      assert.deepEqual(await standing(kept), then, `${seconds} s later`);
    }
  });

  test('that combines others follows their changes', async () => {
    const [one, two] = [await open(), await open()];
    await upload(world, one, [update(persons(0, 10))]);
    await upload(world, two, [update(persons(6, 12), { expires_at: at(world, 60) })]);
    const flexible = async (name: string, boolean_operator: string, negate: boolean) => {
      const child_segments = [
        { custom_audience_id: one.id, negate: false },
        { custom_audience_id: two.id, negate },
      ];
      const params = { name, audience_type: 'FLEXIBLE', segments: { boolean_operator, child_segments } };
      const path = `/12/batch${account.slice('/12'.length)}/custom_audiences`;
      const made = await world.sandbox.call('POST', path, { json: [{ operation_type: 'Create', params }] });
      assert.equal(made.status, 200, made.text);
      const { id } = made.body.data[0];
      return { show: async () => (await world.sandbox.call('GET', `${account}/custom_audiences/${id}`)).body.data };
    };
    const both = await flexible('both', 'AND', false);
    const either = await flexible('either', 'OR', false);
    const butNot = await flexible('but not', 'AND', true);
    await world.service.jobs.runDue();
    const all = async () => [await standing(both), await standing(either), await standing(butNot)];
    assert.deepEqual(await all(), [sized(4), sized(12), sized(6)]);
    await upload(world, two, [remove(persons(6, 7))]);
    await world.service.jobs.runDue();
    assert.deepEqual(await all(), [sized(3), sized(12), sized(7)]);
    await advance(world, 60);
    assert.deepEqual(await all(), [SMALL, sized(10), sized(10)]);
    // More than is removed of a log at once.
    for (let count = 0; count < 40; count++) await one.upload([update(persons(count, count + 1))]);
    await world.sandbox.call('DELETE', one.path);
    await world.service.jobs.runDue();
    assert.deepEqual(await all(), [SMALL, SMALL, SMALL]);
    const files = readdirSync(join(world.place.folder, 'audiences', 'memberships'));
    assert.ok(!files.some((name) => name.startsWith(`audience-${one.id}.`)));
  });

  test('is rebuilt from its log when its files are lost or belong to another log', async () => {
    const kept = await open();
    await upload(world, kept, [update(persons(0, 5))]);
    const files = join(world.place.folder, 'audiences', 'memberships');
    rmSync(files, { recursive: true });
    await upload(world, kept, [update(persons(4, 8))]);
    assert.deepEqual(await standing(kept), sized(8));
    assert.ok(existsSync(join(files, `audience-${kept.id}.runs`)));
  });

  test('leaves nothing behind when it is deleted', async () => {
    const kept = await open();
    for (let count = 0; count < 40; count++) await kept.upload([update(persons(count, count + 1))]);
    assert.equal((await world.sandbox.call('DELETE', kept.path)).status, 200);
    await world.service.jobs.runDue();
    const files = readdirSync(join(world.place.folder, 'audiences', 'memberships'));
    assert.deepEqual(
      files.filter((name) => name.startsWith(`audience-${kept.id}.`)),
      [],
    );
    const last = await world.service.store.read((tx) => tx.audienceLog.find(`audience:${kept.id}`));
    assert.equal(last, undefined);
    assert.deepEqual(await standing({ show: async () => (await shownDeleted(kept)).body.data }), SMALL);
  });

  const shownDeleted = (kept: Kept) => world.sandbox.call('GET', kept.path, { params: { with_deleted: true } });
});

describe('an audience whose members count after a delay', () => {
  let world: World;
  let account: string;
  before(async () => {
    world = await openWorld({
      flags: {
        rate_limits: 'off',
        audience_size_min: 3,
        audience_matching_sandbox: 'directory',
        audience_processing_delay_sandbox_s: 30,
      },
    });
    account = (await openAccount(world.sandbox)).path;
  });
  after(() => world.close());

  /** Users 1 to `count`: everyone is known by the hash of his number as e-mail, and a phone number. */
  function users(count: number, last_active_at = world.clock.now() / 1000) {
    return Array.from({ length: count }, (_, index) =>
      person(String(1000 + index), {
        last_active_at,
        identifiers: Buffer.concat([identifier(hashOf(index), 0), identifier(hashOf(`phone ${index}`), 1)]),
      }),
    );
  }
  const identifier = (hash: string, kind: number) =>
    Buffer.from(hash.slice(0, 30) + kind.toString().padStart(2, '0'), 'hex');

  test('counts active users with a shared identifier, each once', async () => {
    const kept = await audienceOn(world.sandbox, account);
    await settlePeople(world, users(8));
    await upload(world, kept, [update([...persons(0, 20), { phone_number: [hashOf('phone 1')] }])]);
    assert.deepEqual(await standing(kept), WAITING);
    await advance(world, 29);
    assert.deepEqual(await standing(kept), WAITING);
    await advance(world, 1);
    assert.deepEqual(await standing(kept), sized(8));
    // A change that is pending leaves it what it was.
    await upload(world, kept, [remove(persons(0, 4))]);
    assert.deepEqual(await standing(kept), sized(8));
    await advance(world, 30);
    // User 1 is still there by his phone number.
    assert.deepEqual(await standing(kept), sized(5));
  });

  test('reflects new and inactive users of the directory within a day', async () => {
    const kept = await audienceOn(world.sandbox, account);
    await upload(world, kept, [update(persons(0, 20))]);
    await advance(world, 30);
    assert.deepEqual(await standing(kept), sized(8));
    await settlePeople(world, users(12));
    await advance(world, 86_400);
    assert.deepEqual(await standing(kept), sized(12));
    // Day after day in full runs, which takes seconds.
    for (const days of isFull ? Array(89).fill(1) : [88, 1]) await advance(world, days * 86_400);
    assert.deepEqual(await standing(kept), sized(12));
    await advance(world, 86_400);
    assert.deepEqual(await standing(kept), SMALL);
  });

  test('includes imported users as soon as the import ends', async () => {
    const kept = await audienceOn(world.sandbox, account);
    await upload(world, kept, [update(persons(100, 120))]);
    await advance(world, 30);
    assert.deepEqual(await standing(kept), SMALL);
    const progress = { stored: () => {}, rejected: () => {} };
    const { directory } = world.service.services.audiences;
    await importPeople({ ...world.service, directory }, { name: 'more', people: () => users(110) }, progress);
    await world.service.jobs.runDue();
    assert.deepEqual(await standing(kept), sized(10));
  });

  test('is processed again at once when the delay of an upload passed while others were processed', async () => {
    const kept = await audienceOn(world.sandbox, account);
    const { members } = world.service.services.audiences;
    const mergeAndCount = members.mergeAndCount.bind(members);
    let runs = 0;
    members.mergeAndCount = async (...of) => {
      const counted = await mergeAndCount(...of);
      runs += 1;
      if (runs > 1) return counted;
      assert.equal((await kept.upload([update(persons(4, 8))])).status, 200);
      world.clock.advance(30);
      return counted;
    };
    try {
      await upload(world, kept, [update(persons(0, 4))]);
      await advance(world, 30);
      assert.deepEqual([runs, await standing(kept)], [2, sized(8)]);
    } finally {
      members.mergeAndCount = mergeAndCount;
    }
  });
});
