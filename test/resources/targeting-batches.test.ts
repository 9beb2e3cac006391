import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CONTENT_CATEGORIES } from '../../src/features/ads/reference/categories.ts';
import { openWorld, type World } from '../rig/world.ts';
import {
  createItem,
  deleteItem,
  good,
  type Item,
  itemErrors,
  openFixture,
  type TargetingFixture,
} from './targeting-calls.ts';

let world: World;
let place: TargetingFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

const everything = async (line: string) =>
  (
    await world.sandbox.call('GET', `${place.path}/targeting_criteria`, {
      params: { line_item_ids: line, with_deleted: true, count: 1000 },
    })
  ).text;

describe('batches of targeting criteria', () => {
  test('create and delete in request order, and echo each item with its types', async () => {
    const line = await place.line();
    const { id } = good(await place.add(line, 'BROAD_KEYWORD', 'espresso'));
    world.clock.advance(5);
    const reply = await place.batch([
      createItem(line, 'LOCATION', '5122804691e5fecc'),
      deleteItem(id),
      { ...createItem(line, 'LANGUAGE', 'en', 'EQ'), operation_type: 'CREATE' },
    ]);
    const rows = good(reply) as unknown as Record<string, unknown>[];
    assert.deepEqual(Object.keys(reply.body).sort(), ['data', 'request']);
    assert.deepEqual(
      rows.map((row) => [row.name, row.deleted, row.location_type]),
      [
        ['San Francisco-Oakland-San Jose CA, US', false, 'METROS'],
        ['espresso', true, undefined],
        ['English', false, undefined],
      ],
    );
    assert.equal(rows[1]!.id, id);
    const account_id = place.account;
    assert.deepEqual(reply.body.request, [
      {
        params: { account_id, line_item_id: line, targeting_type: 'LOCATION', targeting_value: '5122804691e5fecc' },
        operation_type: 'Create',
      },
      { params: { account_id, targeting_criterion_id: id }, operation_type: 'Delete' },
      {
        params: {
          account_id,
          line_item_id: line,
          targeting_type: 'LANGUAGE',
          targeting_value: 'en',
          operator_type: 'EQ',
        },
        operation_type: 'Create',
      },
    ]);
  });

  test('accept up to 500 items', async () => {
    const line = await place.line();
    const items = Array.from({ length: 501 }, (_, index) => createItem(line, 'BROAD_KEYWORD', `word ${index}`));
    const refused = await place.batch(items);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body, {
      errors: [{ code: 'REQUEST_TOO_COMPLEX', message: 'The maximum batch size of 500 has been exceeded' }],
      request: [],
    });
    const made = good(await place.batch(items.slice(1))) as unknown as { id: string; targeting_value: string }[];
    assert.deepEqual(
      made.map((row) => row.targeting_value),
      items.slice(1).map(({ params }) => params.targeting_value),
    );
    const gone = good(await place.batch(made.map(({ id }) => deleteItem(id)))) as unknown as { deleted: boolean }[];
    assert.equal(gone.filter((row) => row.deleted).length, 500);
    assert.deepEqual(await place.targeted(line), []);
  });

  test('reject Update', async () => {
    const reply = await place.batch([{ operation_type: 'Update', params: {} }]);
    assert.deepEqual(reply.body.operation_errors, [
      [
        {
          code: 'INVALID_PARAMETER',
          message: 'Expected a value in Create, Delete, got "Update" for operation_type',
          parameter: 'operation_type',
        },
      ],
    ]);
  });

  test('change nothing if one item is invalid, and report the errors of each', async () => {
    const line = await place.line();
    const { id } = good(await place.add(line, 'LANGUAGE', 'en'));
    const before = await everything(line);
    const phases: [Item[], string[]][] = [
      [
        [
          createItem(line, 'LANGUAGE', 'de'),
          { operation_type: 'Create', params: {} },
          createItem(line, 'NO_SUCH', 'x', 'XX'),
          deleteItem('a_b'),
        ],
        [
          '',
          'MISSING_PARAMETER line_item_id; MISSING_PARAMETER targeting_type; MISSING_PARAMETER targeting_value',
          'UNKNOWN_CRITERIA_TYPE targeting_type; INVALID_PARAMETER operator_type',
          'INVALID_PARAMETER targeting_criterion_id',
        ],
      ],
      [
        [
          createItem(line, 'LANGUAGE', 'de'),
          createItem('zz9', 'LANGUAGE', 'de'),
          createItem(line, 'LANGUAGE', 'xx'),
          createItem(line, 'APP_LIST', '7c'),
          createItem(line, 'IAB_CATEGORY', 'IAB99'),
          deleteItem('zz9'),
          deleteItem(id),
        ],
        [
          '',
          'LINE_ITEM_NOT_FOUND line_item_id',
          'INVALID_PARAMETER targeting_value',
          'INVALID_TARGETING_TYPE targeting_type',
          'INVALID_IAB_CATEGORY targeting_value',
          'TARGETING_CRITERION_NOT_FOUND targeting_criterion_id',
          '',
        ],
      ],
      [
        [
          createItem(line, 'LANGUAGE', 'de'),
          createItem(line, 'CAMPAIGN_ENGAGEMENT', 'zz9'),
          createItem(line, 'USER_ENGAGEMENT', '7'),
          createItem(line, 'CUSTOM_AUDIENCE', '1nmth'),
          createItem(line, 'AGE', 'AGE_OVER_13'),
          createItem(line, 'AGE', 'AGE_OVER_50'),
          createItem(line, 'TV_SHOW', '10001'),
        ],
        [
          '',
          'CAMPAIGN_NOT_FOUND targeting_value',
          'PROMOTABLE_USER_NOT_FOUND targeting_value',
          'TAILORED_AUDIENCE_NOT_FOUND targeting_value',
          '',
          'INVALID targeting_type',
          'INVALID_TV_SHOW_LOCATIONS targeting_type',
        ],
      ],
    ];
    for (const [items, errors] of phases) {
      assert.deepEqual(itemErrors(await place.batch(items)), errors);
      assert.equal(await everything(line), before);
    }
  });

  test('several items on one criterion apply in order', async () => {
    const line = await place.line();
    const { id } = good(await place.add(line, 'LANGUAGE', 'en'));
    const rows = good(
      await place.batch([
        createItem(line, 'LANGUAGE', 'en'),
        deleteItem(id),
        createItem(line, 'LANGUAGE', 'en'),
        createItem(line, 'LANGUAGE', 'en'),
      ]),
    ) as unknown as { id: string; deleted: boolean }[];
    assert.deepEqual([rows[0]!.id, rows[1]!.id, rows[1]!.deleted], [id, id, true]);
    assert.equal(rows[2]!.id, rows[3]!.id);
    assert.notEqual(rows[2]!.id, id);
    assert.deepEqual(await place.targeted(line), ['LANGUAGE en EQ']);
    const twice = await place.batch([deleteItem(rows[2]!.id), deleteItem(rows[2]!.id)]);
    assert.deepEqual(itemErrors(twice), ['', 'TARGETING_CRITERION_NOT_FOUND targeting_criterion_id']);
  });
});

describe('IAB categories are targeted as complete content categories', () => {
  const of = (id: string) => CONTENT_CATEGORIES.find((each) => each.id === id)!.iab_categories;
  const target = (line: string, ids: readonly string[], operator?: string) =>
    ids.map((id) => createItem(line, 'IAB_CATEGORY', id, operator));
  const said = (id: string) => [
    {
      code: 'INVALID',
      message: `All IAB categories of content category ${id} must be targeted together`,
      attribute: 'targeting_value',
    },
  ];

  for (const { id, iab_categories: all } of CONTENT_CATEGORIES) {
    test(`${id}: all ${all.length} are complete, one less is not`, async () => {
      const line = await place.line();
      if (all.length > 1) {
        const refused = await place.batch(target(line, all.slice(1)));
        assert.equal(refused.status, 400);
        assert.deepEqual(
          refused.body.operation_errors,
          all.slice(1).map(() => said(id)),
        );
      }
      good(await place.batch(target(line, all)));
    });
  }

  test('several together, also in several batches', async () => {
    const line = await place.line();
    good(await place.batch(target(line, [...of('sn'), ...of('ru')])));
    good(await place.batch(target(line, [...of('sm'), ...of('ru')])));
    const errors = await place.batch([
      ...target(line, of('sr').slice(1)),
      ...target(line, of('s4')),
      createItem(line, 'LANGUAGE', 'en'),
    ]);
    assert.deepEqual(errors.body.operation_errors, [
      ...of('sr')
        .slice(1)
        .map(() => said('sr')),
      [],
      [],
    ]);
  });

  test('batches remove complete content categories', async () => {
    const line = await place.line();
    const rows = good(await place.batch(target(line, of('sn')))) as unknown as { id: string }[];
    const [first, ...others] = rows.map(({ id }) => deleteItem(id));
    const half = await place.batch([first!, createItem(line, 'LANGUAGE', 'en')]);
    assert.deepEqual(half.body.operation_errors, [said('sn'), []]);
    good(await place.batch([first!, ...others]));
  });

  test('subcategories and parents do not complete a content category', async () => {
    const line = await place.line();
    const cases: [string, unknown][] = [
      ['IAB2-4', said('ru')],
      ['IAB1', said('sk')],
      [
        'IAB24',
        [
          {
            code: 'INVALID',
            message: 'IAB category IAB24 belongs to no content category',
            attribute: 'targeting_value',
          },
        ],
      ],
    ];
    for (const [value, errors] of cases) {
      const refused = await place.batch(target(line, [value]));
      assert.deepEqual(refused.body.operation_errors, [errors], value);
    }
  });

  test('exclusions may be incomplete, and line items are checked separately', async () => {
    const [one, other] = [await place.line(), await place.line()];
    good(await place.batch(target(one, ['IAB3', 'IAB2-4'], 'NE')));
    const [first, ...rest] = of('sn');
    const apart = await place.batch([...target(one, [first!]), ...target(other, rest)]);
    assert.deepEqual(
      apart.body.operation_errors,
      of('sn').map(() => said('sn')),
    );
  });
});
