import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Row } from '../../src/contract/declare/resource.ts';
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

for (const resource of resources.filter((each) => takes(each, 'list', 'sort_by'))) {
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
    const column = (name: string): string => resource.list?.sortAliases?.[name] ?? name;
    const expected = (...keys: [string, 'asc' | 'desc'][]) =>
      inOrder(
        rows,
        keys.map(([name, direction]) => [column(name), direction]),
      ).map((row) => row.id);

    for (const name of SORTS[resource.plural] ?? ['a row of this resource is missing in SORTS']) {
      for (const direction of ['asc', 'desc'] as const) {
        test(`by ${name}-${direction}, ties by id the same way, nulls last`, async () => {
          for (const count of [2, 5, 200]) {
            assert.deepEqual(await sorted(`${name}-${direction}`, count), expected([name, direction]), `by ${count}`);
          }
        });
      }
    }

    test('several keys, in their order', async () => {
      const names = SORTS[resource.plural]!;
      for (const first of names.slice(1)) {
        for (const [one, two] of [
          ['asc', 'desc'],
          ['desc', 'asc'],
          ['desc', 'desc'],
        ] as const) {
          const found = await sorted(`${first}-${one},created_at-${two}`, 3);
          assert.deepEqual(found, expected([first, one], ['created_at', two]), `${first}-${one}, created_at-${two}`);
        }
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
