import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { interests, locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { targetingCriteria } from '../../src/features/ads/targeting-criteria.ts';
import { openWorld, type World } from '../rig/world.ts';
import { createItem, deleteItem, good, itemErrors, openFixture, type TargetingFixture } from './targeting-calls.ts';

let world: World;
let place: TargetingFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

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
    test(`${max} ${kind} criteria, with any operator`, async () => {
      const line = await place.line();
      const isExcluding = kind === 'CONTENT_PUBLISHER_USER';
      const item = (number: number) => {
        const operator = isExcluding || number % 2 ? 'NE' : 'EQ';
        // Twice as many criteria as there are values: each is targeted and excluded.
        return createItem(
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
      assert.deepEqual(itemErrors(refused), ['', '', said, said], 'the last that raise the number, not what is there');
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
      const both = await place.batch([createItem(line, type, one, operator), createItem(line, type, other, operator)]);
      assert.deepEqual(both.body.operation_errors, [[], [said]]);
      const made = good(await place.add(line, type, one, operator));
      const refused = await place.add(line, type, other, operator);
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.errors, [said]);
      if (operator) good(await place.add(line, type, other, operator === 'LT' ? 'GTE' : 'LT'));
      good(await place.batch([createItem(line, type, other, operator), deleteItem(made.id)]));
      assert.ok((await place.targeted(line)).includes(`${type} ${other} ${operator ?? 'EQ'}`));
    });
  }

  test('line items are counted separately', async () => {
    const [one, other] = [await place.line(), await place.line()];
    good(await place.batch([createItem(one, 'AGE', 'AGE_OVER_13'), createItem(other, 'AGE', 'AGE_OVER_13')]));
  });
});
