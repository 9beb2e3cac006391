import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { interests, locations } from '../../src/ads/reference/entries.ts';
import { targetingCriteria } from '../../src/ads/targeting-criteria.ts';
import { openWorld, type World } from '../rig/world.ts';
import { creating, deleting, good, itemFaults, openPlace, type Place } from './targeting-calls.ts';

const UNITED_STATES = '96683cc9126741d1';
const SAN_FRANCISCO = '5122804691e5fecc';
const IPHONE = '1q';
const SHOW_IN_UNITED_STATES = '10001';

let world: World;
let place: Place;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openPlace(world);
});
after(() => world.close());

const germany = () => locations().find((each) => each.name === 'Germany')!.targeting_value;

describe('a criterion', () => {
  test('that is there already is the answer, and nothing changes', async () => {
    const line = await place.line();
    const first = good(await place.add(line, 'BROAD_KEYWORD', 'espresso'));
    world.clock.advance(60);
    assert.deepEqual(good(await place.add(line, 'BROAD_KEYWORD', 'espresso', 'EQ')), first);
    const again = await place.batch([
      creating(line, 'BROAD_KEYWORD', 'espresso'),
      creating(line, 'BROAD_KEYWORD', 'tea'),
    ]);
    assert.deepEqual(again.body.data[0], first);
    const excluded = good(await place.add(line, 'BROAD_KEYWORD', 'espresso', 'NE'));
    assert.notEqual(excluded.id, first.id);
    const others = await Promise.all(
      (['PHRASE_KEYWORD', 'EXACT_KEYWORD'] as const).map((type) => place.add(line, type, 'espresso')),
    );
    assert.equal(new Set([first, excluded, ...others.map(good)].map(({ id }) => id)).size, 4);
    const history = await world.sandbox.call('GET', `${place.path}/account_history`, {
      params: { entity_type: 'TARGETING_CRITERIA', entity_id: first.id },
    });
    assert.equal(history.body.data.length, 1);
  });

  test('that was deleted is made anew', async () => {
    const line = await place.line();
    const first = good(await place.add(line, 'LANGUAGE', 'en'));
    good(await world.sandbox.call('DELETE', `${place.path}/targeting_criteria/${first.id}`));
    const second = good(await place.add(line, 'LANGUAGE', 'en'));
    assert.notEqual(second.id, first.id);
    assert.deepEqual(await place.targeted(line), ['LANGUAGE en EQ']);
  });

  test('cannot be changed', async () => {
    const { id } = good(await place.add(await place.line(), 'LANGUAGE', 'en'));
    const reply = await world.sandbox.call('PUT', `${place.path}/targeting_criteria/${id}`, {
      params: { targeting_value: 'de' },
    });
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, DELETE, OPTIONS');
    assert.equal(reply.body.errors[0].code, 'METHOD_NOT_ALLOWED');
  });

  test('is made, deleted and recorded as TARGETING_CRITERIA', async () => {
    const line = await place.line();
    const made = good(await place.add(line, 'LANGUAGE', 'en'));
    world.clock.advance(1);
    const gone = good(await world.sandbox.call('DELETE', `${place.path}/targeting_criteria/${made.id}`));
    const history = await world.sandbox.call('GET', `${place.path}/account_history`, {
      params: { entity_type: 'TARGETING_CRITERIA', entity_id: made.id },
    });
    const { name, id, ...stored } = gone;
    assert.deepEqual(
      history.body.data.map((each: { change_type: string; entity_data: unknown }) => [
        each.change_type,
        each.entity_data,
      ]),
      [
        ['DELETE', stored],
        ['CREATE', { ...stored, deleted: false, updated_at: made.updated_at }],
      ],
    );
  });

  test('has a name in the language that is asked for, where there is a translation', async () => {
    const line = await place.line();
    const { id } = good(await place.add(line, 'LOCATION', UNITED_STATES));
    good(await place.add(line, 'BROAD_KEYWORD', 'espresso'));
    const list = async (lang: string) => {
      const params = { line_item_ids: line, lang, sort_by: 'created_at-asc' };
      const { body } = await world.sandbox.call('GET', `${place.path}/targeting_criteria`, { params });
      assert.equal(body.request.params.lang, lang);
      return body.data.map((row: Record<string, string>) => row.localized_name);
    };
    assert.deepEqual(await list('de'), ['Vereinigte Staaten', undefined]);
    assert.deepEqual(await list('ja'), ['アメリカ合衆国', undefined]);
    for (const strange of ['xx', 'nonsense', '-', '__proto__'])
      assert.deepEqual(await list(strange), [undefined, undefined]);
    const one = await world.sandbox.call('GET', `${place.path}/targeting_criteria/${id}?lang=de`);
    assert.equal(one.body.data.localized_name, 'Vereinigte Staaten');
    const plain = await world.sandbox.call('GET', `${place.path}/targeting_criteria/${id}`);
    assert.ok(!('localized_name' in plain.body.data));
    assert.equal(plain.body.data.location_type, 'COUNTRIES');
  });

  test('of a city, a metro and a region says which kind of place it is', async () => {
    const line = await place.line();
    for (const [value, name, type] of [
      [SAN_FRANCISCO, 'San Francisco-Oakland-San Jose CA, US', 'METROS'],
      ['3b77caf94bfc81fe', 'Los Angeles, US', 'CITIES'],
    ] as const) {
      const made = good(await place.add(line, 'LOCATION', value));
      assert.deepEqual([made.location_type, made.name], [type, name]);
    }
  });
});

describe('lists of criteria', () => {
  test('must name line items', async () => {
    const reply = await world.sandbox.call('GET', `${place.path}/targeting_criteria`);
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.errors, [
      { code: 'MISSING_PARAMETER', message: '"line_item_ids" is a required parameter', parameter: 'line_item_ids' },
    ]);
  });

  test('know nothing of drafts', async () => {
    const params = { line_item_ids: await place.line(), with_draft: 'true' };
    const reply = await world.sandbox.call('GET', `${place.path}/targeting_criteria`, { params });
    assert.equal(reply.status, 200);
    assert.ok(!('with_draft' in reply.body.request.params));
  });
});

describe('what belongs to a line item', () => {
  const children = [
    [
      'targeting_criteria',
      (line: string) => ({ line_item_id: line, targeting_type: 'LANGUAGE', targeting_value: 'en' }),
    ],
    [
      'tracking_tags',
      (line: string) => ({
        line_item_id: line,
        tracking_tag_type: 'CLICK_TRACKER',
        tracking_tag_url: 'https://example.com/x',
      }),
    ],
  ] as const;
  for (const [resource, params] of children) {
    for (const parent of ['line item', 'campaign'] as const) {
      test(`${resource}: is hidden while its ${parent} is deleted, and nothing is added there`, async () => {
        const campaign = good(
          await place.post('campaigns', {
            name: 'x',
            funding_instrument_id: await instrument(),
            entity_status: 'PAUSED',
          }),
        ).id;
        const line = await place.line({ campaign_id: campaign });
        const { id } = good(await place.post(resource, params(line)));
        const gone = parent === 'campaign' ? `campaigns/${campaign}` : `line_items/${line}`;
        good(await world.sandbox.call('DELETE', `${place.path}/${gone}`));
        const get = (query: string) => world.sandbox.call('GET', `${place.path}/${resource}${query}`);
        assert.equal((await get(`/${id}`)).status, 404);
        assert.deepEqual((await get(`?line_item_ids=${line}`)).body.data, []);
        assert.equal((await get(`/${id}?with_deleted=true`)).body.data.deleted, false);
        assert.equal((await get(`?line_item_ids=${line}&with_deleted=true`)).body.data.length, 1);
        assert.equal((await world.sandbox.call('DELETE', `${place.path}/${resource}/${id}`)).status, 404);
        const refused = await place.post(resource, params(line));
        assert.equal(refused.status, 404);
        assert.deepEqual(refused.body.errors, [
          {
            code: 'LINE_ITEM_NOT_FOUND',
            message: `Line item ${line} was not found`,
            parameter: 'line_item_id',
            value: line,
          },
        ]);
      });
    }
  }
});

async function instrument(): Promise<string> {
  const [first] = (await world.sandbox.call('GET', `${place.path}/funding_instruments`)).body.data;
  return first.id;
}

/** How many criteria a line item may have. @source campaigns 10.3 and 18 */
const LIMITS: readonly { kind: string; max: number; types: readonly string[]; value(number: number): string }[] = [
  {
    kind: 'keyword',
    max: 1000,
    types: ['BROAD_KEYWORD', 'PHRASE_KEYWORD', 'EXACT_KEYWORD', 'UNORDERED_KEYWORD'],
    value: (number) => `word ${number}`,
  },
  { kind: 'INTEREST', max: 100, types: ['INTEREST'], value: (number) => interests()[number]!.targeting_value },
  {
    kind: 'LOCATION',
    max: 2000,
    types: ['LOCATION'],
    value: (number) => locations()[number % locations().length]!.targeting_value,
  },
  {
    kind: 'SIMILAR_TO_FOLLOWERS_OF_USER',
    max: 100,
    types: ['SIMILAR_TO_FOLLOWERS_OF_USER'],
    value: (number) => String(number + 1),
  },
  { kind: 'CONTENT_PUBLISHER_USER', max: 50, types: ['CONTENT_PUBLISHER_USER'], value: (number) => String(number + 1) },
];

/** Puts locations straight into the store. */
async function store(line: string, count: number): Promise<void> {
  const now = '2026-01-01T00:00:00Z';
  const rows = Array.from({ length: count }, (_, index) => ({
    account_id: place.account,
    id: `stored${index.toString(36)}`,
    line_item_id: line,
    targeting_type: 'LOCATION',
    targeting_value: `stored${index}`,
    operator_type: 'EQ',
    created_at: now,
    updated_at: now,
    deleted: 0 as const,
  }));
  await world.service.store.write((tx) => tx.records.insertAll(targetingCriteria, rows));
}

describe('limits of a line item', () => {
  for (const { kind, max, types, value } of LIMITS) {
    test(`${max} ${kind} criteria, in whatever operator they are`, async () => {
      const line = await place.line();
      const isExcluding = kind === 'CONTENT_PUBLISHER_USER';
      const item = (number: number) => {
        const operator = isExcluding || number % 2 ? 'NE' : 'EQ';
        // Twice as many criteria as there are values: each is targeted and excluded.
        return creating(
          line,
          types[number % types.length]!,
          value(kind === 'LOCATION' ? number >> 1 : number),
          operator,
        );
      };
      // Values that are looked up are fewer than a line item may have: the others are there already.
      const stored = kind === 'LOCATION' ? max - 100 : 0;
      await store(line, stored);
      for (let from = stored; from < max - 1; from += 500) {
        const count = Math.min(500, max - 1 - from);
        good(await place.batch(Array.from({ length: count }, (_, index) => item(from + index))));
      }
      const refused = await place.batch([item(max - 1), item(stored), item(max), item(max + 1)]);
      const said = 'REQUEST_TOO_COMPLEX targeting_type';
      assert.deepEqual(itemFaults(refused), ['', '', said, said], 'the last that raise the number, not what is there');
      const message = `Line item ${line} cannot have more than ${max} ${kind} criteria`;
      assert.equal(refused.body.operation_errors[2][0].message, message);
      good(await place.batch([item(max - 1)]));
      if (isExcluding) return;
      const { params } = item(max);
      const one = await place.add(line, params.targeting_type!, params.targeting_value!, params.operator_type);
      assert.equal(one.status, 400);
      assert.deepEqual(one.body.errors, [{ code: 'REQUEST_TOO_COMPLEX', message, parameter: 'targeting_type' }]);
      const there = item(stored).params;
      good(await place.add(line, there.targeting_type!, there.targeting_value!, there.operator_type));
    });
  }

  const single: [string, string, string, string?][] = [
    ['GENDER', '1', '2'],
    ['AGE', 'AGE_OVER_13', 'AGE_OVER_50'],
    ['EVENT', '1ex', '1ez'],
    ['NETWORK_ACTIVATION_DURATION', '6', '7', 'LT'],
    ['NETWORK_ACTIVATION_DURATION', '6', '7', 'GTE'],
  ];
  for (const [type, one, other, operator] of single) {
    test(`one ${type} ${operator ?? ''}`, async () => {
      const line = await place.line();
      const kind = operator ? `${type} ${operator}` : type;
      const said = {
        code: 'INVALID',
        message: `Only one ${kind} criterion is allowed per line item`,
        attribute: 'targeting_type',
      };
      const both = await place.batch([creating(line, type, one, operator), creating(line, type, other, operator)]);
      assert.deepEqual(both.body.operation_errors, [[], [said]]);
      const made = good(await place.add(line, type, one, operator));
      const refused = await place.add(line, type, other, operator);
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.errors, [said]);
      if (operator) good(await place.add(line, type, other, operator === 'LT' ? 'GTE' : 'LT'));
      good(await place.batch([creating(line, type, other, operator), deleting(made.id)]));
      assert.ok((await place.targeted(line)).includes(`${type} ${other} ${operator ?? 'EQ'}`));
    });
  }

  test('one line item does not count for another', async () => {
    const [one, other] = [await place.line(), await place.line()];
    good(await place.batch([creating(one, 'AGE', 'AGE_OVER_13'), creating(other, 'AGE', 'AGE_OVER_13')]));
  });
});
