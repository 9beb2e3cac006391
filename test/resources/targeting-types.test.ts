// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AGE_BUCKETS, TARGETING_TYPES } from '../../src/features/ads/targeting-criteria/targeting-types.ts';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { largeAudience } from './audience-calls.ts';
import { createItem, good, openFixture, type TargetingFixture } from './targeting-calls.ts';

let world: World;
let place: TargetingFixture;
let audience: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 1 } });
  place = await openFixture(world);
  audience = await largeAudience(world, place.path);
});
after(() => world.close());

const OPERATORS = ['EQ', 'NE', 'GTE', 'LT'] as const;
/** What is said of a value or an operator that a type does not take. */
type Said = Readonly<Record<string, string>>;

const invalid = (said: string, more: object = {}): Said => {
  return { code: 'INVALID_PARAMETER', message: `${said} for targeting_value`, parameter: 'targeting_value', ...more };
};
const beyond = (value: string) =>
  invalid(`Expected int between 1 and 24, got "${value}"`, { details: 'value out of range', value });
const unknown = (type: string, raw: string) => invalid(`Expected a value of the ${type} look-up, got "${raw}"`);
const notFound = (code: string, kind: string, value: string): Said => ({
  code,
  message: `${kind} ${value} was not found`,
  parameter: 'targeting_value',
  value,
});
const notLong = (raw: string) => invalid(`Expected Long, got "${raw}"`);

interface Row {
  /** A good value, or how to get one. */
  readonly value: string | (() => string);
  readonly name: string;
  readonly operators: readonly (typeof OPERATORS)[number][];
  /** Values that are refused, and what is said. */
  readonly bad: readonly (readonly [raw: string, said: Said])[];
  readonly also?: Said;
  readonly batch?: true;
}

const EITHER = ['EQ', 'NE'] as const;
const keyword = (value: string): Row => ({
  value,
  name: value,
  operators: EITHER,
  bad: [
    [
      'a\u0000b',
      { code: 'ILLEGAL_CHARACTERS', message: 'Illegal characters in targeting_value', parameter: 'targeting_value' },
    ],
    ['x'.repeat(256), invalid('Expected a maximum length of 255, got 256')],
  ],
});
const lookedUp = (type: string, value: string, name: string, operators: Row['operators'] = EITHER): Row => ({
  value,
  name,
  operators,
  bad: [
    ['nope', unknown(type, 'nope')],
    ['__proto__', unknown(type, '__proto__')],
  ],
});
const ownAudience: Row = {
  value: () => audience,
  name: 'Custom audience targeting',
  operators: EITHER,
  bad: [
    ['1nmth', notFound('TAILORED_AUDIENCE_NOT_FOUND', 'Custom audience', '1nmth')],
    ['a_b', invalid('Expected an id, got "a_b"')],
  ],
};
const ownUser: Omit<Row, 'bad'> = { value: () => world.keys.user_id!, name: 'ada_demo', operators: EITHER };
const others: Row['bad'] = [
  ['77', notFound('PROMOTABLE_USER_NOT_FOUND', 'Promotable user', '77')],
  ['@ada', notLong('@ada')],
];
const ownCampaign: Row = {
  value: () => place.campaign,
  name: 'Given',
  operators: EITHER,
  bad: [
    ['zz9', notFound('CAMPAIGN_NOT_FOUND', 'Campaign', 'zz9')],
    ['a_b', invalid('Expected an id, got "a_b"')],
  ],
};

/** Every row of the reference: what the type takes, how it is shown, what it refuses. @source campaigns 10.3 */
const GIVEN: Record<keyof typeof TARGETING_TYPES, Row> = {
  LOCATION: lookedUp('LOCATION', '96683cc9126741d1', 'United States'),
  GENDER: {
    value: '2',
    name: 'Female',
    operators: ['EQ'],
    bad: [['3', invalid('Expected a value in 1, 2, got "3"')]],
  },
  AGE: {
    value: 'AGE_25_TO_54',
    name: 'AGE_25_TO_54',
    operators: ['EQ'],
    bad: [['AGE_18_TO_24', invalid(`Expected a value in ${[...AGE_BUCKETS].sort().join(', ')}, got "AGE_18_TO_24"`)]],
  },
  LANGUAGE: lookedUp('LANGUAGE', 'en', 'English', ['EQ']),
  PLATFORM: lookedUp('PLATFORM', '4', 'Desktop and laptop computers'),
  PLATFORM_VERSION: lookedUp('PLATFORM_VERSION', '17', 'Ice Cream Sandwich', ['EQ', 'GTE', 'LT']),
  DEVICE: lookedUp('DEVICE', '1q', 'iPhone 3GS'),
  WIFI_ONLY: {
    value: '1',
    name: 'Wi-Fi only',
    operators: ['EQ'],
    bad: [
      ['0', invalid('Expected a value in 1, got "0"')],
      ['yes', invalid('Expected a value in 1, got "yes"')],
    ],
  },
  NETWORK_OPERATOR: lookedUp('NETWORK_OPERATOR', '2l', 'Advantage'),
  NETWORK_ACTIVATION_DURATION: {
    value: '6',
    name: '6',
    operators: ['LT', 'GTE'],
    bad: [
      ['0', beyond('0')],
      ['25', beyond('25')],
      ['-1', beyond('-1')],
      ['six', notLong('six')],
      ['1.5', notLong('1.5')],
    ],
  },
  INTEREST: lookedUp('INTEREST', '1001', 'Books and literature/Biographies and memoirs'),
  FOLLOWERS_OF_USER: { ...ownUser, bad: others },
  SIMILAR_TO_FOLLOWERS_OF_USER: {
    value: '783214',
    name: '783214',
    operators: EITHER,
    bad: [['@ada', notLong('@ada')]],
  },
  BROAD_KEYWORD: keyword('+espresso ☕ bar'),
  PHRASE_KEYWORD: keyword('flat white'),
  EXACT_KEYWORD: keyword('ristretto'),
  UNORDERED_KEYWORD: keyword('milk coffee'),
  CUSTOM_AUDIENCE: ownAudience,
  CUSTOM_AUDIENCE_EXPANDED: { ...ownAudience, operators: ['EQ'] },
  CONVERSATION: lookedUp('CONVERSATION', 'a1', 'NFL'),
  EVENT: lookedUp('EVENT', '1ex', "New Year's", ['EQ']),
  TV_SHOW: lookedUp('TV_SHOW', '10001', 'Jeopardy!', ['EQ']),
  LIVE_TV_EVENT: { value: '5k1', name: '5k1', operators: ['EQ'], bad: [['a b', invalid('Expected an id, got "a b"')]] },
  STORE_CATEGORY: lookedUp('STORE_CATEGORY', 'qov3', 'Books'),
  STORE_CATEGORY_LOOKALIKE: lookedUp('STORE_CATEGORY_LOOKALIKE', 'qov3', 'Books'),
  APP_LIST: {
    value: '7c',
    name: '7c',
    operators: ['NE'],
    bad: [['é', invalid('Expected an id, got "é"')]],
    also: {
      code: 'INVALID_TARGETING_TYPE',
      message: 'Targeting type APP_LIST can only be used with operator NE',
      parameter: 'targeting_type',
    },
  },
  ENGAGEMENT_TYPE: {
    value: 'VIDEO_VIEW',
    name: 'VIDEO_VIEW',
    operators: EITHER,
    bad: [
      [
        'LIKE',
        invalid(
          'Expected a value in ENGAGEMENT, IMPRESSION, VIDEO_VIEW, VIDEO_VIEW_COMPLETE, VIDEO_VIEW_PARTIAL, got "LIKE"',
        ),
      ],
    ],
  },
  CAMPAIGN_ENGAGEMENT: ownCampaign,
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: ownCampaign,
  USER_ENGAGEMENT: { ...ownUser, bad: others },
  USER_ENGAGEMENT_LOOKALIKE: { ...ownUser, bad: others },
  IAB_CATEGORY: {
    value: 'IAB2',
    name: 'Automotive',
    operators: EITHER,
    batch: true,
    bad: [
      [
        'IAB99',
        {
          code: 'INVALID_IAB_CATEGORY',
          message: 'IAB category IAB99 was not found',
          parameter: 'targeting_value',
          value: 'IAB99',
        },
      ],
      [
        'IAB2-99',
        {
          code: 'INVALID_IAB_CATEGORY',
          message: 'IAB category IAB2-99 was not found',
          parameter: 'targeting_value',
          value: 'IAB2-99',
        },
      ],
    ],
  },
  CONTENT_PUBLISHER_USER: {
    value: '5012347781',
    name: '5012347781',
    operators: ['NE'],
    batch: true,
    bad: [['CourtsideDaily', notLong('CourtsideDaily')]],
    also: {
      code: 'INVALID_TARGETING_TYPE',
      message: 'Targeting type CONTENT_PUBLISHER_USER can only be used with operator NE',
      parameter: 'targeting_type',
    },
  },
};

/** Creates one criterion by whichever call can; the answer is the row, or what is said of it. */
async function create(
  row: Row,
  line: string,
  type: string,
  value: string,
  operator?: string,
): Promise<{ data?: Record<string, unknown>; said?: Said[]; reply: Reply }> {
  if (!row.batch) {
    const reply = await place.add(line, type, value, operator);
    return { data: reply.body.data, said: reply.body.errors, reply };
  }
  const reply = await place.batch([createItem(line, type, value, operator)]);
  return { data: reply.body.data?.[0], said: reply.body.operation_errors?.[0], reply };
}

for (const [type, row] of Object.entries(GIVEN)) {
  describe(`a criterion of type ${type}`, () => {
    const value = () => (typeof row.value === 'string' ? row.value : row.value());

    for (const operator of OPERATORS.filter((each) => row.operators.includes(each))) {
      test(`accepts ${operator}, and has a name`, async () => {
        const line = await place.line();
        if (type === 'TV_SHOW') good(await place.add(line, 'LOCATION', '96683cc9126741d1'));
        const { data, reply } = await create(row, line, type, value(), operator);
        assert.ok(data, reply.text);
        const { id, created_at, updated_at, ...members } = data as Record<string, string>;
        assert.match(id!, /^[0-9a-z]{6}$/);
        assert.equal(created_at, updated_at);
        assert.deepEqual(members, {
          line_item_id: line,
          targeting_type: type,
          targeting_value: value(),
          operator_type: operator,
          name: row.name,
          deleted: false,
          ...(type === 'LOCATION' ? { location_type: 'COUNTRIES' } : {}),
        });
        const read = await world.sandbox.call('GET', `${place.path}/targeting_criteria/${id}`);
        assert.deepEqual(read.body.data, data);
      });
    }

    for (const operator of OPERATORS.filter((each) => !row.operators.includes(each))) {
      test(`rejects ${operator}`, async () => {
        const { said, reply } = await create(row, await place.line(), type, value(), operator);
        assert.equal(reply.status, 400);
        const message = `Expected a value in ${[...row.operators].sort().join(', ')}, got "${operator}" for operator_type`;
        assert.deepEqual(said, [row.also ?? { code: 'INVALID_PARAMETER', message, parameter: 'operator_type' }]);
      });
    }

    for (const [raw, expected] of row.bad) {
      test(`rejects the value ${JSON.stringify(raw.slice(0, 20))}`, async () => {
        const { said, reply } = await create(row, await place.line(), type, raw, row.operators[0]);
        assert.equal(reply.status, !row.batch && expected.code!.endsWith('_NOT_FOUND') ? 404 : 400, reply.text);
        assert.deepEqual(said, [expected]);
      });
    }

    if (row.batch) {
      test('can only be created in batches', async () => {
        const reply = await place.add(await place.line(), type, value(), row.operators[0]);
        assert.equal(reply.status, 400);
        assert.deepEqual(reply.body.errors, [
          {
            code: 'INVALID_TARGETING_TYPE',
            message: `Targeting type ${type} can only be used by the batch endpoint`,
            parameter: 'targeting_type',
          },
        ]);
      });
    }
  });
}

describe('types, values and operators', () => {
  test('the table has every type', () => {
    assert.deepEqual(Object.keys(GIVEN).sort(), Object.keys(TARGETING_TYPES).sort());
  });

  test('every age bucket can be targeted', async () => {
    for (const bucket of AGE_BUCKETS)
      assert.equal(good(await place.add(await place.line(), 'AGE', bucket)).name, bucket);
  });

  test('aliases are stored under the canonical type', async () => {
    const line = await place.line();
    const cases = [
      ['APP_STORE_CATEGORY', 'STORE_CATEGORY'],
      ['APP_STORE_CATEGORY_LOOKALIKE', 'STORE_CATEGORY_LOOKALIKE'],
    ] as const;
    for (const [alias, type] of cases) {
      assert.equal(good(await place.add(line, alias, 'qov3')).targeting_type, type);
    }
    const reply = await place.batch([createItem(line, 'CONTENT_PUBLISHER_ID', '99', 'NE')]);
    assert.equal((good(reply) as unknown as Record<string, string>[])[0]!.targeting_type, 'CONTENT_PUBLISHER_USER');
  });

  test('values are normalized', async () => {
    const line = await place.line();
    const cases = [
      ['WIFI_ONLY', 'TRUE', '1', 'EQ'],
      ['NETWORK_ACTIVATION_DURATION', '06', '6', 'LT'],
      ['CAMPAIGN_ENGAGEMENT', place.campaign.toUpperCase(), place.campaign, 'EQ'],
      ['LOCATION', '96683CC9126741D1', '96683cc9126741d1', 'NE'],
      ['DEVICE', ' 1Q ', '1q', 'EQ'],
      ['LANGUAGE', 'EN', 'en', 'EQ'],
      ['SIMILAR_TO_FOLLOWERS_OF_USER', '007', '7', 'EQ'],
      ['FOLLOWERS_OF_USER', `0${world.keys.user_id}`, world.keys.user_id!, 'EQ'],
    ] as const;
    for (const [type, input, stored, operator] of cases) {
      const made = await place.add(line, type, input, operator);
      assert.equal(good(made).targeting_value, stored);
      assert.equal(made.body.request.params.targeting_value, input, 'the echo is what was given');
      assert.equal(good(await place.add(line, type, stored, operator)).id, made.body.data.id, 'and it is the same one');
    }
  });

  test('the operator defaults to EQ, even if the type does not allow it', async () => {
    const line = await place.line();
    const made = await place.add(line, 'BROAD_KEYWORD', 'tea');
    assert.equal(good(made).operator_type, 'EQ');
    assert.ok(!('operator_type' in made.body.request.params));
    for (const empty of ['', null]) {
      const params = { line_item_id: line, targeting_type: 'LANGUAGE', targeting_value: 'en', operator_type: empty };
      const reply = await world.sandbox.call('POST', `${place.path}/targeting_criteria`, { json: params });
      assert.equal(good(reply).operator_type, 'EQ');
    }
    const refused = await place.add(line, 'NETWORK_ACTIVATION_DURATION', '6');
    assert.equal(refused.body.errors[0].message, 'Expected a value in GTE, LT, got "EQ" for operator_type');
  });

  test('a user id that lost precision as a number is rejected', async () => {
    const line = await place.line();
    const json = { line_item_id: line, targeting_type: 'SIMILAR_TO_FOLLOWERS_OF_USER', targeting_value: 2 ** 60 };
    const reply = await world.sandbox.call('POST', `${place.path}/targeting_criteria`, { json });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.errors[0].message, 'Expected text for targeting_value');
  });

  test('types of older versions are rejected', async () => {
    const line = await place.line();
    const older = [
      'TAILORED_AUDIENCE',
      'TAILORED_AUDIENCE_EXPANDED',
      'BEHAVIOR',
      'BEHAVIOR_EXPANDED',
      'TV_CHANNEL',
      'TV_GENRE',
    ];
    for (const type of [...older, 'NEGATIVE_EXACT_KEYWORD', 'toString', 'age']) {
      const reply = await place.add(line, type, 'x');
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body.errors, [
        {
          code: 'UNKNOWN_CRITERIA_TYPE',
          message: `Expected a known targeting type, got "${type}" for targeting_type`,
          parameter: 'targeting_type',
        },
      ]);
    }
  });
});

describe('a criterion of type IAB_CATEGORY by a single call', () => {
  for (const [value, said] of [
    ['IAB99', 'INVALID_IAB_CATEGORY targeting_value'],
    ['IAB2', 'INVALID_TARGETING_TYPE targeting_type'],
  ] as const) {
    test(`${value} is ${said}`, async () => {
      const reply = await place.add(await place.line(), 'IAB_CATEGORY', value);
      const [fault] = reply.body.errors;
      assert.equal(`${fault.code} ${fault.parameter}`, said);
    });
  }
});
