import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { joinMembers } from '../../src/contract/store/directory.ts';
import { identifierBytes, identifierOf } from '../../src/features/audiences/uploads/hash-identifier.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { type BookedAd, bookAd, decide, makePublisher } from '../rig/served-ads.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, update } from './people-calls.ts';

const MIN = 3;
const MALE = '1';
const FEMALE = '2';
/** The only person with an interest, and one who has nothing in common with them. */
const [VICTIM, OTHER] = ['7001', '7002'];
const addressOf = (user: string): string => `reader.${user}@mail.test`;
const RARE = '1002';
const COMMON = '1001';

let world: World;
let place: Awaited<ReturnType<typeof openAccount>>;
/** The credential of a publisher that a user registered, and that of one that the operator did. */
let registered: string;
let trusted: string;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off', audience_size_min: MIN } });
  const known = (user: string, gender: string, ...interests: string[]) =>
    person(user, {
      gender,
      interests: joinMembers([COMMON, ...interests]),
      identifiers: identifierBytes([identifierOf('email', addressOf(user))]),
    });
  await settlePeople(world, [
    known(VICTIM, FEMALE, RARE),
    known(OTHER, MALE),
    ...['7003', '7004', '7005'].flatMap((user) => [known(user, MALE), known(`${user}0`, FEMALE)]),
  ]);
  registered = await makePublisher(world, { owner_user_id: '77', may_explain: false });
  trusted = await makePublisher(world, { may_explain: false });
  place = await openAccount(world.sandbox);
});
after(() => world.close());

type Criteria = readonly Record<string, string>[];
const eq = (targeting_type: string, targeting_value: string, operator_type = 'EQ') => ({
  ...{ targeting_type, targeting_value, operator_type },
});

/** An audience with the addresses of some people, and of so many others who are not in the directory. */
async function audience(users: readonly string[], others: number): Promise<string> {
  const kept = await audienceOn(world.sandbox, place.path);
  const addresses = [
    ...users.map(addressOf),
    ...Array.from({ length: others }, (_, each) => `nobody.${each}@mail.test`),
  ];
  const reply = await kept.upload([update(addresses.map((each) => ({ email: [hash('sha256', each)] })))]);
  assert.equal(reply.status, 200, reply.text);
  await world.service.jobs.runDue();
  assert.equal((await kept.show()).targetable, true);
  return kept.id;
}

const booked: BookedAd[] = [];

/** Which of some line items wins, for some viewers: the place of each winner. All other line items of the test pause. */
async function winners(lines: readonly Criteria[], users: readonly object[]): Promise<(number | undefined)[]> {
  for (const ad of booked.splice(0)) {
    const params = { entity_status: 'PAUSED' };
    const paused = await world.sandbox.call('PUT', `${ad.path}/line_items/${ad.line}`, { params });
    assert.equal(paused.status, 200, paused.text);
  }
  for (const [at, criteria] of lines.entries()) {
    booked.push(await bookAd(world, { in: place, criteria, bid: 1_000_000 - at * 100_000 }));
  }
  const found: (number | undefined)[] = [];
  for (const user of users) {
    const reply = await decide(world, trusted, { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], user });
    assert.equal(reply.status, 200, reply.text);
    const [decision] = reply.body.data.placements[0].decisions;
    const at = booked.findIndex(({ line }) => line === decision?.line_item_id);
    found.push(at === -1 ? undefined : at);
  }
  return found;
}

const BOTH = [{ id: VICTIM }, { id: OTHER }];

describe('a publisher that a user registered', () => {
  const placements = [{ id: 'top', type: 'SERVICE_TIMELINE' }];

  test('may not name a user of the directory, and is told who may', async () => {
    for (const id of [VICTIM, '1']) {
      const reply = await decide(world, registered, { placements, user: { id } });
      assert.equal(reply.status, 403);
      assert.equal(
        reply.body.detail,
        'This publisher may not use `user.id`: only publishers that the operator registers with `barker publisher create` may. Name people by `user.key`.',
      );
    }
  });

  test('learns nothing by keys of its own, even if they are ids of users', async () => {
    await winners([[eq('GENDER', FEMALE)]], []);
    const reply = await decide(world, registered, { placements, user: { key: VICTIM } });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.data.placements[0].decisions, []);
  });
});

describe('whoever names a person', () => {
  test('gets ads for as many people as an audience must have', async () => {
    assert.deepEqual(await winners([[eq('GENDER', FEMALE)], [eq('GENDER', MALE)]], BOTH), [0, 1]);
  });

  test('gets none for fewer, so that which of two wins tells nothing', async () => {
    const narrow = [eq('INTEREST', RARE)];
    assert.deepEqual(await winners([narrow, [eq('GENDER', FEMALE), ...narrow]], BOTH), [undefined, undefined]);
    const everybody = [eq('INTEREST', COMMON)];
    assert.deepEqual(await winners([narrow, everybody], BOTH), [1, 1]);
  });

  test('gets none for lookalikes of fewer', async () => {
    const lines = [[eq('INTEREST', RARE)]];
    await winners(lines, []);
    const [{ line } = { line: '' }] = booked;
    const params = { audience_expansion: 'BROAD' };
    const wider = await world.sandbox.call('PUT', `${place.path}/line_items/${line}`, { params });
    assert.equal(wider.status, 200, wider.text);
    const reply = await decide(world, trusted, { placements: [{ id: 'a', type: 'SERVICE_TIMELINE' }], user: BOTH[0] });
    assert.deepEqual(reply.body.data.placements[0].decisions, []);
  });

  test('still gets ads that the context alone fits', async () => {
    await winners([[eq('INTEREST', RARE)]], []);
    for (const user of BOTH) {
      const context = { interests: [RARE] };
      const json = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], user, context };
      const [decision] = (await decide(world, trusted, json)).body.data.placements[0].decisions;
      assert.equal(decision?.line_item_id, booked[0]!.line);
    }
  });

  test('cannot tell whose an address is by an audience of others who are not there', async () => {
    const padded = await audience([VICTIM], MIN);
    const everybody = [eq('INTEREST', COMMON)];
    assert.deepEqual(await winners([[eq('CUSTOM_AUDIENCE', padded)], everybody], BOTH), [1, 1]);
    // Whoever is excluded sees nothing, however few they are.
    assert.deepEqual(await winners([[...everybody, eq('CUSTOM_AUDIENCE', padded, 'NE')]], BOTH), [undefined, 0]);
    const large = await audience([VICTIM, '7003', '7004'], 0);
    assert.deepEqual(await winners([[eq('CUSTOM_AUDIENCE', large)], everybody], BOTH), [0, 1]);
  });
});
