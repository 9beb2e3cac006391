import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SettledAccount } from '../../src/contract/services/delivery.ts';
import type { Person } from '../../src/contract/store/directory.ts';
import { unknownWithin } from '../../src/features/ads/reference/segment-wholes.ts';
import { devices, locations, platformVersions } from '../../src/features/ads/reference/targeting-tables.ts';
import {
  type AudienceCount,
  type AudienceCounter,
  audienceCounter,
} from '../../src/features/delivery/audiences/count-audiences.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { withMethods } from '../rig/replaced-methods.ts';
import { openWorld, type World } from '../rig/world.ts';
import { audienceOn, hashOf, persons, update } from './people-calls.ts';
import { good, openFixture, type PostFixture } from './post-calls.ts';
import { createItem } from './targeting-calls.ts';

type Criterion = readonly [type: string, value: string, operator?: string];

const DAY_S = 86_400;
const NOW_S = Date.parse('2026-03-02T17:04:55Z') / 1000;
const placeOf = (name: string, type = 'COUNTRIES') =>
  locations().find((each) => each.name === name && each.location_type === type)!.targeting_value;
const versionOf = (number: string) => platformVersions().find((each) => each.number === number)!.targeting_value;
const phone = devices().find(({ os_type }) => os_type === 'Android')!.targeting_value;

/** What a person is found by when audiences are uploaded. */
const known = (number: number) => ({
  identifiers: Uint8Array.from([...Buffer.from(hashOf(number), 'hex').subarray(0, 15), 0]),
});

/** People who follow 77 are followers of the advertiser below. */
const PEOPLE: readonly Person[] = [
  person('1', {
    interests: '1001 1002',
    country: 'US',
    region: placeOf('California', 'REGIONS'),
    gender: '1',
    age: 24,
  }),
  person('2', {
    interests: '1001',
    country: 'US',
    metro: placeOf('Seattle-Tacoma WA', 'METROS'),
    gender: '2',
    age: 25,
  }),
  person('3', { interests: '1001 1003', country: 'DE', language: 'de', gender: '2', age: 50 }),
  person('4', { interests: '1001', platform: '0', platform_version: versionOf('12.0'), age: 12 }),
  person('5', { platform: '1', platform_version: versionOf('9'), device: phone, age: 17, ...known(5) }),
  person('6', { activated_at: NOW_S - 40 * DAY_S, ...known(6) }),
  person('7', { interests: '1002', follows: '500 501', ...known(7) }),
  person('8', { interests: '1002', follows: '500 501', ...known(8) }),
  person('9', { interests: '1002', follows: '500 501', ...known(9) }),
  person('10', { follows: '500 501 502 503' }),
  person('11', { follows: '500 501 502 503' }),
  person('12', { follows: '502 503' }),
  person('13', { engagements: 'VIDEO_VIEW user:78' }),
  person('14'),
  person('15'),
  person('16'),
  // Active 90 days before the day of the account begins, and a second earlier.
  person('17', { gender: '1', last_active_at: Date.parse('2026-03-02T08:00:00Z') / 1000 - 90 * DAY_S }),
  person('18', { gender: '1', last_active_at: Date.parse('2026-03-02T08:00:00Z') / 1000 - 90 * DAY_S - 1 }),
];
const ALL = 17;

let world: World;
let place: PostFixture;
let account: SettledAccount;
let counter: AudienceCounter;
/** How many histograms the directory has made. */
let counted = 0;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 2 } });
  await settlePeople(world, PEOPLE);
  await another();
  const { services } = world.service;
  const { directory } = services.audiences;
  const watched: typeof directory = {
    ...directory,
    histogram(...asked) {
      counted += 1;
      return directory.histogram(...asked);
    },
  };
  counter = audienceCounter({ ...services, audiences: { ...services.audiences, directory: watched } });
});
after(() => world.close());

/** Goes on in an account of its own. */
async function another(): Promise<void> {
  place = await openFixture(world);
  account = { id: place.account, environment: 'sandbox', timezone: 'America/Los_Angeles' };
}

async function line(criteria: readonly Criterion[], kind: Record<string, string> = {}): Promise<string> {
  const id = await place.line(kind);
  if (criteria.length === 0) return id;
  const made = await place.batch(criteria.map(([type, value, operator]) => createItem(id, type, value, operator)));
  assert.equal(made.status, 200, made.text);
  return id;
}

async function countOf(id: string): Promise<AudienceCount> {
  return (await counter.count(account, [id])).get(id)!;
}

const peopleOf = async (...criteria: Criterion[]): Promise<number> => (await countOf(await line(criteria))).people;

const interested: Criterion = ['INTEREST', '1002'];

describe('the people of a line item', () => {
  const cases: [what: string, people: number, ...Criterion[]][] = [
    ['everybody who was active, without criteria', ALL],
    ['a country', 2, ['LOCATION', placeOf('United States')]],
    ['everybody but a country', ALL - 2, ['LOCATION', placeOf('United States'), 'NE']],
    [
      'a region or a metro',
      2,
      ['LOCATION', placeOf('California', 'REGIONS')],
      ['LOCATION', placeOf('Seattle-Tacoma WA', 'METROS')],
    ],
    ['a gender, back to the start of the day 90 days ago', 2, ['GENDER', '1']],
    ['an age', 2, ['AGE', 'AGE_18_TO_34']],
    ['a language', 1, ['LANGUAGE', 'de']],
    ['not a platform', ALL - 1, ['PLATFORM', '1', 'NE']],
    ['versions', 1, ['PLATFORM_VERSION', versionOf('9')]],
    ['a device', 1, ['DEVICE', phone]],
    ['devices of an age', 1, ['NETWORK_ACTIVATION_DURATION', '2', 'LT']],
    ['an engagement', 1, ['ENGAGEMENT_TYPE', 'VIDEO_VIEW']],
    ['types that narrow down together', 1, ['LOCATION', placeOf('United States')], ['GENDER', '2']],
    ['an interest', 4, interested],
    ['one interest or another', 5, interested, ['INTEREST', '1003']],
    ['an interest in a country', 1, interested, ['LOCATION', placeOf('United States')]],
    ['an interest but not another', 3, interested, ['INTEREST', '1001', 'NE']],
    ['those who are left without an interest', ALL - 4, ['INTEREST', '1002', 'NE']],
    ['followers, and those similar to them', 6, ['SIMILAR_TO_FOLLOWERS_OF_USER', '500']],
    ['nobody for broadcasts', 0, ['LIVE_TV_EVENT', 'a1']],
    ['everybody for content', ALL, ['CONTENT_PUBLISHER_USER', '5', 'NE']],
  ];
  for (const [what, people, ...criteria] of cases) {
    test(what, async () => assert.equal(await peopleOf(...criteria), people));
  }

  test('add up by every segment', async () => {
    const everybody = await countOf(await line([]));
    for (const [type, counts] of Object.entries(everybody.shares)) {
      assert.equal(
        Object.values(counts).reduce((sum, each) => sum + each, 0),
        ALL,
        type,
      );
    }
    const { AGE, GENDER, METROS, LOCATIONS, PLATFORMS, REGIONS, LANGUAGES, DEVICES } = everybody.shares;
    const one = { AGE_13_TO_17: 1, AGE_18_TO_24: 1, AGE_25_TO_34: 1, AGE_OVER_50: 1 };
    assert.deepEqual(AGE, { ...one, UNKNOWN: ALL - 4 });
    assert.deepEqual(GENDER, { 1: 2, 2: 2, UNKNOWN: ALL - 4 });
    const ofCountries = { [unknownWithin(placeOf('United States'))]: 1, [unknownWithin(placeOf('Germany'))]: 1 };
    assert.deepEqual(METROS, { 819: 1, ...ofCountries, UNKNOWN: ALL - 3 });
    assert.deepEqual(LOCATIONS, { [placeOf('United States')]: 2, [placeOf('Germany')]: 1, UNKNOWN: ALL - 3 });
    assert.deepEqual(REGIONS, { [placeOf('California', 'REGIONS')]: 1, ...ofCountries, UNKNOWN: ALL - 3 });
    assert.deepEqual(PLATFORMS, { 0: 1, 1: 1, UNKNOWN: ALL - 2 });
    assert.deepEqual(LANGUAGES, { de: 1, UNKNOWN: ALL - 1 });
    assert.deepEqual(DEVICES, { [phone]: 1, [unknownWithin('0')]: 1, UNKNOWN: ALL - 2 });
    const { mark } = await world.service.store.read((tx) => tx.directory.findState());
    assert.equal(everybody.directory_mark, mark);
  });

  test('grow with audience expansion, within the other criteria', async () => {
    const alike: Criterion = ['INTEREST', '1002'];
    const only: Criterion[] = [alike, ['INTEREST', '1001', 'NE']];
    const sizes = async (criteria: Criterion[]) => {
      const found: number[] = [];
      for (const audience_expansion of ['DEFINED', 'EXPANDED', 'BROAD']) {
        found.push((await countOf(await line(criteria, { audience_expansion }))).people);
      }
      return found;
    };
    assert.deepEqual(await sizes(only), [3, 5, 6]);
    assert.deepEqual(await sizes([alike, ['LOCATION', placeOf('United States')]]), [1, 1, 1]);
    assert.deepEqual(await sizes([['GENDER', '2']]), [2, 2, 2]);
  });

  test('are absent for line items that are deleted or unknown', async () => {
    const [kept, deleted] = [await line([interested]), await line([])];
    assert.equal((await place.remove(`line_items/${deleted}`)).status, 200);
    const counts = await counter.count(account, [deleted, kept, 'zzz9', kept]);
    assert.deepEqual([...counts.keys()], [kept]);
    assert.equal((await counter.countUnion(account, [deleted, kept])).people, 4);
    const nobody = await counter.countUnion(account, [deleted]);
    assert.deepEqual([nobody.people, nobody.shares.GENDER], [0, {}]);
    const elsewhere = { ...account, id: (await openFixture(world)).account };
    assert.equal((await counter.count(elsewhere, [kept])).size, 0);
  });
});

describe('questions', () => {
  test('are the same when the criteria are, in any order, and are counted once', async () => {
    const us: Criterion = ['LOCATION', placeOf('United States')];
    const french: Criterion = ['LANGUAGE', 'fr', 'EQ'];
    const content: Criterion = ['CONTENT_PUBLISHER_USER', '5', 'NE'];
    const lines = [await line([us, french]), await line([french, us]), await line([us, french, content])];
    const others = [await line([us]), await line([french, ['LOCATION', placeOf('United States'), 'NE']])];
    const before = counted;
    const counts = await counter.count(account, [...lines, ...others]);
    assert.equal(counts.size, 5);
    assert.equal(new Set(lines.map((id) => counts.get(id)!.question_hash)).size, 1);
    assert.equal(new Set([...counts.values()].map(({ question_hash }) => question_hash)).size, 3);
    await counter.count(account, lines);
    // Everybody in the country was counted above.
    assert.ok(counted - before <= 3, `${counted - before} counts`);
    await counter.count(account, [...lines, ...others]);
    assert.ok(counted - before <= 3);
  });

  test('of many line items together count each person once', async () => {
    const [one, two, three] = [
      await line([interested]),
      await line([['LOCATION', placeOf('United States')]]),
      await line([interested, ['INTEREST', '1003']]),
    ];
    const union = await counter.countUnion(account, [one, two]);
    assert.equal(union.people, 5);
    assert.deepEqual(union.shares.LOCATIONS, { [placeOf('United States')]: 2, UNKNOWN: 3 });
    assert.equal((await counter.countUnion(account, [two, one, one])).question_hash, union.question_hash);
    assert.notEqual((await counter.countUnion(account, [one, three])).question_hash, union.question_hash);
    const alone = await counter.countUnion(account, [one]);
    assert.deepEqual(alone, await countOf(one));
  });

  test('of an empty directory mean nobody', async () => {
    const { services } = world.service;
    const empty = {
      ...services.store,
      read: ((work) =>
        services.store.read((tx) =>
          work({
            ...tx,
            directory: withMethods(tx.directory, { findState: async () => ({ version: 0, mark: 'none', people: 0 }) }),
          }),
        )) as typeof services.store.read,
    };
    const found = await audienceCounter({ ...services, store: empty }).countUnion(account, [await line([])]);
    assert.deepEqual([found.people, found.shares.AGE, found.directory_mark], [0, {}, 'none']);
  });
});

describe('people who change', () => {
  before(another);

  test('in an audience are seen the next day', async () => {
    const audience = await audienceOn(world.sandbox, place.path);
    assert.equal((await audience.upload([update(persons(5, 7))])).status, 200);
    await world.service.jobs.runDue();
    const members = await line([['CUSTOM_AUDIENCE', audience.id]]);
    const others = await line([['CUSTOM_AUDIENCE', audience.id, 'NE']]);
    const lookalikes = await line([['CUSTOM_AUDIENCE_EXPANDED', audience.id]]);
    const sizes = async () => {
      const counts = await counter.count(account, [members, others, lookalikes]);
      return [members, others, lookalikes].map((id) => counts.get(id)!.people);
    };
    assert.deepEqual(await sizes(), [2, ALL - 2, 2]);
    assert.equal((await audience.upload([update(persons(7, 10))])).status, 200);
    await world.service.jobs.runDue();
    assert.deepEqual(await sizes(), [2, ALL - 2, 2], 'on the same day');
    // Midnight in Los Angeles: the person who was last active 90 days ago no longer counts.
    world.clock.advance((Date.parse('2026-03-03T08:00:00Z') - world.clock.now()) / 1000);
    assert.deepEqual(await sizes(), [5, ALL - 1 - 5, 7]);
    assert.equal((await place.remove(`custom_audiences/${audience.id}`)).status, 200);
    assert.equal((await countOf(members)).people, 0, 'the audience is gone');
    assert.equal((await countOf(others)).people, ALL - 1);
  });

  test('in a do-not-reach list are excluded at once, however few', async () => {
    const everybody = await line([]);
    const before = await countOf(everybody);
    const { id } = good(await place.post('do_not_reach_lists', {}));
    const upload = async (from: number, to: number) => {
      const path = `/12/batch/accounts/${account.id}/do_not_reach_lists/${id}/users`;
      const reply = await world.sandbox.call('POST', path, { json: [update(persons(from, to))] });
      assert.equal(reply.status, 200, reply.text);
      await world.service.jobs.runDue();
    };
    assert.deepEqual(await countOf(everybody), before, 'nobody is on it');
    await upload(5, 6);
    assert.equal((await countOf(everybody)).people, before.people - 1);
    await upload(6, 8);
    const after = await countOf(everybody);
    assert.equal(after.people, before.people - 3);
    assert.notEqual(after.question_hash, before.question_hash);
    assert.equal((await countOf(await line([interested]))).people, 3);
  });

  test('in the directory are seen at once', async () => {
    const germans = await line([['LOCATION', placeOf('Germany')]]);
    const before = await countOf(germans);
    await settlePeople(world, [person('14', { country: 'DE' })]);
    const after = await countOf(germans);
    assert.equal(after.people, before.people + 1);
    assert.equal(after.question_hash, before.question_hash);
    assert.notEqual(after.directory_mark, before.directory_mark);
  });

  test('by what they post are seen the next day', async () => {
    const speaker = world.keys.user_id!;
    await settlePeople(world, [person(speaker)]);
    const brewers = await line([['PHRASE_KEYWORD', 'cold brew']]);
    const others = await line([['PHRASE_KEYWORD', 'cold brew', 'NE']]);
    assert.equal((await countOf(brewers)).people, 0);
    await place.post_({ text: 'A cold brew, please', nullcast: 'false' });
    assert.equal((await countOf(brewers)).people, 0, 'on the same day');
    const all = (await countOf(await line([]))).people;
    assert.equal((await countOf(others)).people, all - 1, 'asked for the first time');
    world.clock.advance(DAY_S);
    assert.equal((await countOf(brewers)).people, 1);
  });
});
