import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import { sampled } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { everything, inOrder, listable, pageThrough } from './lists.ts';
import { listed, openTestAccount, reader, resources, seed, type TestAccount, takes } from './test-account.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

/** What each list may be sorted by, as the reference says; a new resource needs a row. @source campaigns 1.7 */
const SORTS: Record<string, readonly string[]> = {
  accounts: ['created_at', 'updated_at', 'deleted', 'name'],
  promotable_users: ['created_at', 'updated_at', 'deleted'],
  funding_instruments: ['created_at', 'updated_at', 'deleted', 'funded_amount_local_micro', 'start_time', 'end_time'],
  campaigns: [
    'created_at',
    'updated_at',
    'deleted',
    'name',
    'start_time',
    'end_time',
    'daily_budget_amount_local_micro',
    'total_budget_amount_local_micro',
    'standard_delivery',
  ],
  account_apps: ['created_at', 'updated_at', 'deleted'],
  line_items: ['created_at', 'updated_at', 'deleted', 'bid_amount_local_micro', 'name', 'start_time', 'end_time'],
  targeting_criteria: ['created_at', 'updated_at', 'deleted'],
  promoted_accounts: ['created_at', 'updated_at', 'deleted', 'paused'],
  tracking_tags: ['created_at', 'updated_at', 'deleted'],
  web_event_tags: ['created_at', 'updated_at', 'deleted', 'name'],
  line_item_curated_categories: ['created_at', 'updated_at', 'deleted'],
  promoted_posts: ['created_at', 'updated_at', 'deleted', 'paused'],
  scheduled_promoted_posts: ['created_at', 'updated_at', 'deleted'],
  cards: ['created_at', 'updated_at', 'deleted', 'name'],
  poll_cards: ['created_at', 'updated_at', 'deleted', 'name'],
  video_conversation_cards: ['created_at', 'updated_at', 'deleted', 'name'],
  image_conversation_cards: ['created_at', 'updated_at', 'deleted', 'name'],
  account_media: ['created_at', 'updated_at', 'deleted'],
  media_creatives: ['created_at', 'updated_at', 'deleted'],
  preroll_call_to_actions: ['created_at', 'updated_at', 'deleted'],
  custom_audiences: ['created_at', 'updated_at', 'deleted', 'name'],
  tailored_audiences: ['created_at', 'updated_at', 'deleted', 'name'],
  custom_audience_permissions: ['created_at', 'updated_at', 'deleted'],
  tailored_audience_permissions: ['created_at', 'updated_at', 'deleted'],
};

const sortable = resources.filter((each) => takes(each, 'list', 'sort_by'));

/** The column that a list is sorted by under a name. */
function columnOf(resource: AnyResource, name: string): string {
  return resource.list?.sortAliases?.[name] ?? name;
}

/** The kind of the field behind a name, and whether it may be null. */
function kindOf(resource: AnyResource, name: string): string {
  const { kind, isNullable } = (resource.fields as Record<string, Field>)[columnOf(resource, name)] ?? {};
  return kind ? `${kind.name}${isNullable ? ' or null' : ''}` : name;
}

/** One list, sorted one way, in pages of one size. */
interface Sort {
  readonly resource: AnyResource;
  readonly name: string;
  readonly direction: 'asc' | 'desc';
  readonly count: number;
}

const sorts = sampled(
  sortable.flatMap((resource) =>
    (SORTS[resource.plural] ?? []).flatMap((name) =>
      (['asc', 'desc'] as const).flatMap((direction) =>
        [2, 5, 200].map((count): Sort => ({ resource, name, direction, count })),
      ),
    ),
  ),
  ({ resource, name, direction, count }) => `${kindOf(resource, name)} ${direction} ${count}`,
  ({ resource, name, direction, count }) => `${resource.plural} ${name} ${direction} ${count}`,
);

/** Two keys, and their directions. */
const pairs = sampled(
  sortable.flatMap((resource) =>
    (SORTS[resource.plural] ?? []).slice(1).flatMap((name) =>
      (
        [
          ['asc', 'desc'],
          ['desc', 'asc'],
          ['desc', 'desc'],
        ] as const
      ).map(([one, two]) => ({ resource, name, one, two })),
    ),
  ),
  ({ resource, name, one, two }) => `${kindOf(resource, name)} ${one} ${two}`,
  ({ resource, name, one, two }) => `${resource.plural} ${name} ${one} ${two}`,
);

for (const resource of sortable) {
  describe(`sorting of ${resource.plural}`, () => {
    let setup: TestAccount;
    let rows: Row[];
    let path: string;
    before(async () => {
      setup = await openTestAccount(world);
      rows = listable(resource, await seed(setup, resource, 23));
      path = await listed(setup, resource);
    });
    const sorted = async (sort_by: string, count: number) =>
      pageThrough(reader(setup, resource), path, { ...everything(resource), sort_by }, count);
    const expected = (...keys: [string, 'asc' | 'desc'][]) =>
      inOrder(
        rows,
        keys.map(([name, direction]) => [columnOf(resource, name), direction]),
      ).map((row) => row.id);

    for (const { name, direction, count } of sorts.filter((each) => each.resource === resource)) {
      test(`by ${name}-${direction} in pages of ${count}, ties by id the same way, nulls last`, async () => {
        assert.deepEqual(await sorted(`${name}-${direction}`, count), expected([name, direction]));
      });
    }

    test('several keys, in their order', async () => {
      for (const { name, one, two } of pairs.filter((each) => each.resource === resource)) {
        const found = await sorted(`${name}-${one},created_at-${two}`, 3);
        assert.deepEqual(found, expected([name, one], ['created_at', two]), `${name}-${one}, created_at-${two}`);
      }
      assert.deepEqual(
        await sorted('deleted-desc,updated_at-asc,created_at-desc', 4),
        expected(['deleted', 'desc'], ['updated_at', 'asc'], ['created_at', 'desc']),
      );
    });

    test('a key without a direction is ascending, and is echoed without one', async () => {
      const reply = await reader(setup, resource).call('GET', path, {
        params: { sort_by: 'updated_at,deleted-desc' },
      });
      assert.deepEqual(reply.body.request.params.sort_by, ['updated_at', 'deleted-desc']);
      assert.deepEqual(await sorted('updated_at', 4), expected(['updated_at', 'asc']));
    });

    test('an unknown attribute or direction is refused with the known ones', async () => {
      const list = SORTS[resource.plural]!.flatMap((name) => [`${name}-asc`, `${name}-desc`]).sort();
      for (const bad of ['colour-asc', 'created_at-up', 'id-asc', 'created_at-asc-desc', '-asc', '']) {
        const reply = await reader(setup, resource).call('GET', path, { params: { sort_by: bad } });
        assert.equal(reply.status, 400, bad);
        const [error] = reply.body.errors;
        assert.deepEqual([error.code, error.parameter], ['INVALID_PARAMETER', 'sort_by']);
        const [, said, raw] = /^Expected a value in (.*), got "(.*)" for sort_by$/.exec(error.message)!;
        assert.equal(raw, bad);
        assert.deepEqual(said!.split(', ').sort(), list);
      }
    });
  });
}
