import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Person } from '../../src/contract/store/directory.ts';
import { parseCriteria } from '../../src/features/ads/audience-estimate/parse-criteria.ts';
import { buildPeopleQuery } from '../../src/features/ads/audience-estimate/people-query.ts';
import { toSizeRange } from '../../src/features/ads/audience-estimate/size-range.ts';
import { devices, locations, platformVersions } from '../../src/features/ads/reference/targeting-tables.ts';
import type { Reply } from '../rig/client.ts';
import { importPosts, post } from '../rig/corpus.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openWorld, type World } from '../rig/world.ts';
import { audienceOn, update } from './people-calls.ts';
import { openFixture, type PostFixture } from './post-calls.ts';

type Criterion = readonly [type: string, value: string, operator?: string];

let world: World;
let place: PostFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 2 } });
  place = await openFixture(world);
});
after(() => world.close());

const written = (criteria: readonly Criterion[]) =>
  criteria.map(([targeting_type, targeting_value, operator_type]) => ({
    targeting_type,
    targeting_value,
    operator_type,
  }));

function send(json: unknown): Promise<Reply> {
  return world.sandbox.call('POST', `${place.path}/audience_estimate`, { json });
}

/** What is told is rounded: here is the count behind it. */
async function count(...criteria: readonly Criterion[]): Promise<number> {
  const { services } = world.service;
  const now = world.clock.now() / 1000;
  const read = parseCriteria(written(criteria));
  assert.deepEqual(read.errors, []);
  const membersOf = async () => new Uint32Array();
  const asking = {
    keywords: services.keywords,
    environment: 'sandbox',
    now,
    membersOf,
  } as const;
  return services.audiences.directory.count(
    await buildPeopleQuery([...read.criteria.values()], asking),
    now - 90 * 86_400,
  );
}

const placeOf = (name: string, type = 'COUNTRIES') =>
  locations().find((each) => each.name === name && each.location_type === type)!.targeting_value;
const versionOf = (number: string) => platformVersions().find((each) => each.number === number)!.targeting_value;

const NOW_S = Date.parse('2026-03-02T17:04:55Z') / 1000;
const MONTH_S = 2_629_746;

/** Everybody is interested in 1001: what narrows can then be told from what does not. */
const PEOPLE: readonly Person[] = [
  person('1', {
    interests: '1001 1002',
    country: 'US',
    region: placeOf('California', 'REGIONS'),
    gender: '1',
    age: 24,
  }),
  person('2', { interests: '1001', country: 'US', city: placeOf('Los Angeles', 'CITIES'), gender: '2', age: 25 }),
  person('3', { interests: '1001 1003', country: 'DE', language: 'de', gender: '2', age: 50, wifi: '1' }),
  person('4', { interests: '1001', country: 'FR', language: 'fr', platform: '0', platform_version: versionOf('12.0') }),
  person('5', {
    interests: '1001',
    platform: '1',
    platform_version: versionOf('9'),
    device: devices()[30]!.targeting_value,
  }),
  person('6', { interests: '1001', platform: '1', platform_version: versionOf('11'), network_operator: '3a' }),
  person('7', { interests: '1001', activated_at: NOW_S - 2 * MONTH_S, store_categories: 'qov3' }),
  person('8', { interests: '1001', activated_at: NOW_S - 6 * MONTH_S, store_categories: 'qov3 qov4' }),
  person('9', { interests: '1001', follows: '77 500 501 502' }),
  person('10', { interests: '1001', follows: '77 500 501' }),
  person('11', { interests: '1001', follows: '500 501' }),
  person('12', { interests: '1001', follows: '502 503' }),
  person('13', { interests: '1001', engagements: 'IMPRESSION user:77' }),
  person('14', { interests: '1001', engagements: 'VIDEO_VIEW campaign:8zz1q user:78' }),
  person('15', { interests: '1001', last_active_at: NOW_S - 90 * 86_400 }),
  person('16', { interests: '1001', last_active_at: NOW_S - 90 * 86_400 - 1 }),
];
const ALL = 15;

describe('an estimate', () => {
  test('of an empty directory has the smallest range', async () => {
    const reply = await send(written([['INTEREST', '1001']]));
    assert.deepEqual(reply.body, {
      request: { params: { account_id: place.account, targeting_criteria: null } },
      data: { audience_size: { min: 0, max: 1000 } },
    });
  });

  describe('counts', () => {
    before(() => settlePeople(world, PEOPLE));

    const all: Criterion = ['INTEREST', '1001'];
    const cases: [what: string, people: number, ...Criterion[]][] = [
      ['those who were active within 90 days', ALL, all],
      ['primary types united', 2, ['INTEREST', '1002'], ['INTEREST', '1003']],
      ['primary types of different kinds united', 3, ['INTEREST', '1002'], ['FOLLOWERS_OF_USER', '77']],
      ['without those of NE', ALL - 1, all, ['INTEREST', '1002', 'NE']],
      ['countries', 2, all, ['LOCATION', placeOf('United States')]],
      [
        'places of different kinds united',
        3,
        all,
        ['LOCATION', placeOf('Germany')],
        ['LOCATION', placeOf('California', 'REGIONS')],
        ['LOCATION', placeOf('Los Angeles', 'CITIES')],
      ],
      [
        'a country without a city',
        1,
        all,
        ['LOCATION', placeOf('United States')],
        ['LOCATION', placeOf('Los Angeles', 'CITIES'), 'NE'],
      ],
      ['different types intersected', 1, all, ['LOCATION', placeOf('United States')], ['GENDER', '2']],
      ['genders', 2, all, ['GENDER', '2']],
      ['ages, both ends inclusive', 1, all, ['AGE', 'AGE_13_TO_24']],
      ['ages that are open above', 1, all, ['AGE', 'AGE_OVER_50']],
      ['languages united', 2, all, ['LANGUAGE', 'de'], ['LANGUAGE', 'fr']],
      ['platforms', 2, all, ['PLATFORM', '1']],
      ['without a platform', ALL - 2, all, ['PLATFORM', '1', 'NE']],
      ['a version', 1, all, ['PLATFORM_VERSION', versionOf('9')]],
      ['versions from one on, as numbers, of its own system', 1, all, ['PLATFORM_VERSION', versionOf('10'), 'GTE']],
      [
        'versions between two',
        1,
        all,
        ['PLATFORM_VERSION', versionOf('8.1'), 'GTE'],
        ['PLATFORM_VERSION', versionOf('10'), 'LT'],
      ],
      ['a device', 1, all, ['DEVICE', devices()[30]!.targeting_value]],
      ['without a device', ALL - 1, all, ['DEVICE', devices()[30]!.targeting_value, 'NE']],
      ['a network', 1, all, ['NETWORK_OPERATOR', '3a']],
      ['Wi-Fi', 1, all, ['WIFI_ONLY', 'true']],
      ['new devices', 1, all, ['NETWORK_ACTIVATION_DURATION', '6', 'LT']],
      ['devices from an age on', 1, all, ['NETWORK_ACTIVATION_DURATION', '6', 'GTE']],
      [
        'devices of an age',
        1,
        all,
        ['NETWORK_ACTIVATION_DURATION', '2', 'GTE'],
        ['NETWORK_ACTIVATION_DURATION', '3', 'LT'],
      ],
      ['store categories', 2, ['STORE_CATEGORY', 'qov3']],
      ['followers', 2, ['FOLLOWERS_OF_USER', '77']],
      ['followers and those who follow whom they follow', 3, ['SIMILAR_TO_FOLLOWERS_OF_USER', '77']],
      ['whoever engaged with a user', 1, ['USER_ENGAGEMENT', '77']],
      ['whoever engaged with a campaign', 1, ['CAMPAIGN_ENGAGEMENT', '8zz1q']],
      ['kinds of engagement', 1, all, ['ENGAGEMENT_TYPE', 'VIDEO_VIEW']],
      ['nobody for lists of apps', ALL, all, ['APP_LIST', 'a1', 'NE']],
      ['everybody for content', ALL, all, ['IAB_CATEGORY', 'IAB7'], ['CONTENT_PUBLISHER_USER', '5', 'NE']],
      ['nobody for broadcasts', 0, ['LIVE_TV_EVENT', 'a1']],
    ];
    for (const [what, people, ...criteria] of cases) {
      test(what, async () => assert.equal(await count(...criteria), people));
    }
  });

  test('matches keywords in organic posts', async () => {
    const speaker = world.keys.user_id!;
    await settlePeople(world, [person(speaker)]);
    await place.post_({ text: 'Cold BREW, then espresso \u2615', nullcast: 'false' });
    await place.post_({ text: 'A ristretto for those who paid', nullcast: 'true' });
    const cases: [type: string, value: string, people: number][] = [
      ['BROAD_KEYWORD', 'espresso brew', 1],
      ['BROAD_KEYWORD', '+espresso', 1],
      ['BROAD_KEYWORD', '\u2615', 1],
      ['BROAD_KEYWORD', 'espress', 0],
      ['BROAD_KEYWORD', 'ristretto', 0],
      ['BROAD_KEYWORD', '...', 0],
      ['UNORDERED_KEYWORD', 'brew cold', 1],
      ['PHRASE_KEYWORD', 'cold brew', 1],
      ['PHRASE_KEYWORD', 'brew cold', 0],
      ['EXACT_KEYWORD', 'cold brew', 0],
      ['EXACT_KEYWORD', 'cold brew then espresso \u2615', 1],
    ];
    for (const [type, value, people] of cases) assert.equal(await count([type, value]), people, `${type} ${value}`);
    assert.equal(await count(['BROAD_KEYWORD', 'espresso'], ['PHRASE_KEYWORD', 'cold brew', 'NE']), 0);
    assert.equal(await count(['CONVERSATION', 'a1']), 0);
    await place.post_({ text: 'Who watches the nfl?', nullcast: 'false' });
    assert.equal(await count(['CONVERSATION', 'a1']), 1);
  });

  test('matches keywords in imported posts, each user once', async () => {
    await settlePeople(
      world,
      ['61', '62', '63'].map((user) => person(user)),
    );
    await importPosts(world, [
      post('e1', 'Flat white, please', { user_id: '61' }),
      post('e2', 'white and FLAT', { user_id: '62' }),
      post('e3', '#flat white', { user_id: '62' }),
      post('e4', 'flat white', { user_id: '63' }),
      post('e5', 'flat white', { user_id: '64' }),
      post('e6', 'flat white', { user_id: null }),
    ]);
    assert.equal(await count(['BROAD_KEYWORD', 'white flat']), 3);
    assert.equal(await count(['UNORDERED_KEYWORD', 'white flat']), 3);
    assert.equal(await count(['PHRASE_KEYWORD', 'flat white']), 3);
    assert.equal(await count(['PHRASE_KEYWORD', 'and flat']), 1);
    assert.equal(await count(['EXACT_KEYWORD', 'flat white']), 2);
    assert.equal(await count(['BROAD_KEYWORD', 'flat'], ['EXACT_KEYWORD', 'flat white', 'NE']), 1);
    assert.equal(await count(['BROAD_KEYWORD', 'please'], ['PHRASE_KEYWORD', 'white and']), 2);
  });

  test('counts members and lookalikes of an audience', async () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      person(String(20_000 + index), {
        follows: index < 2000 ? '900 901' : '902 903',
        identifiers: Buffer.concat([Buffer.from(hashOfNumber(20_000 + index), 'hex').subarray(0, 15), Buffer.of(3)]),
      }),
    );
    await settlePeople(world, many);
    const kept = await audienceOn(world.sandbox, place.path);
    const small = await send(written([['CUSTOM_AUDIENCE', kept.id]]));
    assert.equal(small.status, 400, 'nobody is in it yet');
    assert.deepEqual(small.body.errors, [
      {
        code: 'INVALID',
        message: `Custom audience ${kept.id} is not targetable`,
        attribute: 'targeting_criteria[0].targeting_value',
      },
    ]);
    const users = many.slice(0, 1500).map(({ user_id }) => ({ service_user_id: [hashOfNumber(Number(user_id))] }));
    const uploaded = await kept.upload([update(users)]);
    assert.equal(uploaded.status, 200, uploaded.text);
    await world.service.jobs.runDue();
    const size = async (...criteria: Criterion[]) => {
      const reply = await send(written(criteria));
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.audience_size;
    };
    assert.deepEqual(await size(['CUSTOM_AUDIENCE', kept.id]), { min: 1500, max: 1600 });
    assert.deepEqual(await size(['CUSTOM_AUDIENCE_EXPANDED', kept.id]), { min: 2000, max: 2100 });
    const follow: Criterion = ['FOLLOWERS_OF_USER', world.keys.user_id!];
    assert.deepEqual(await size(follow, ['CUSTOM_AUDIENCE', kept.id, 'NE']), { min: 0, max: 1000 });
  });
});

const hashes = new Map<number, string>();
function hashOfNumber(number: number): string {
  let known = hashes.get(number);
  if (!known) {
    known = hash('sha256', String(number));
    hashes.set(number, known);
  }
  return known;
}

test('accepts an object with criteria, type aliases, and unknown line items', async () => {
  const criteria = [
    { targeting_type: 'APP_STORE_CATEGORY', targeting_value: 'QOV3', line_item_id: 'zz9' },
    { targeting_type: 'GENDER', targeting_value: 1, operator_type: '' },
  ];
  const reply = await send({ targeting_criteria: criteria });
  assert.equal(reply.status, 200, reply.text);
});

describe('the range of a count', () => {
  const cases: [count: number, min: number, max: number][] = [
    [0, 0, 1000],
    [999, 0, 1000],
    [1000, 1000, 1100],
    [1099, 1000, 1100],
    [1100, 1100, 1200],
    [9999, 9900, 10_000],
    [10_000, 10_000, 11_000],
    [123_456, 120_000, 130_000],
    [2_143_999, 2_100_000, 2_200_000],
  ];
  for (const [count, min, max] of cases) {
    test(`${count}: ${min} to ${max}`, () => assert.deepEqual(toSizeRange(count), { min, max }));
  }
});
