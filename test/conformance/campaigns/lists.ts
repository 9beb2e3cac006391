import assert from 'node:assert/strict';
import { type Account, accountRule, dataOf, echoOf, expectErrors, idsOf, invalid, type Json } from '../account.ts';
import { expectStatus } from '../expect.ts';
import type { Rule } from '../rule.ts';
import { cellsOf } from '../sentences.ts';

/** The lists that a row of section 1.7 is about. */
const SORTED: Readonly<Record<string, readonly string[]>> = {
  'campaigns 1.7.2': ['/12/accounts'],
  'campaigns 1.7.3': ['account_apps'],
  'campaigns 1.7.4': ['funding_instruments'],
  'campaigns 1.7.5': ['campaigns'],
  'campaigns 1.7.6': ['line_items'],
  'campaigns 1.7.7': ['promoted_accounts', 'promoted_posts'],
  'campaigns 1.7.8': ['tracking_tags', 'media_creatives', 'line_item_curated_categories', 'promotable_users'],
};

/** Campaigns with these names, and their ids as a filter. */
async function named(account: Account, ...names: readonly string[]) {
  const rows: Json[] = [];
  for (const name of names) rows.push(await account.campaign({ name }));
  return { ids: rows.map(({ id }): string => id), campaign_ids: rows.map(({ id }) => id).join() };
}

const attributeRules = Object.entries(SORTED).map(([id, paths]) =>
  accountRule(id, async (account) => {
    const attributes = cellsOf(id)[1]!
      .split(';')[0]!
      .match(/[a-z_]+(?= \(|,|$)/g)!;
    for (const path of paths) {
      const sort_by = attributes.map((name, index) => `${name}-${index % 2 ? 'desc' : 'asc'}`);
      const reply = await account.get(path, { count: 1, sort_by: sort_by.join() });
      assert.deepEqual(echoOf(reply).sort_by, sort_by);
    }
  }),
);

/** Checks of section 1.7. */
export const listRules: readonly Rule[] = [
  accountRule('campaigns 1.7.1', async (account) => {
    const { ids, campaign_ids } = await named(account, 'b', 'a', 'a');
    const [first, second, third] = ids as [string, string, string];
    const sorted = (sort_by: string) => account.get('campaigns', { campaign_ids, sort_by });
    assert.deepEqual(echoOf(await sorted('name-asc')).sort_by, ['name-asc']);
    assert.deepEqual(idsOf(await sorted('name-asc')), [second, third, first]);
    assert.deepEqual(idsOf(await sorted('name-desc,created_at-asc')), [first, second, third]);
    assert.deepEqual(idsOf(await sorted('name')), idsOf(await sorted('name-asc')));
  }),
  ...attributeRules,
  accountRule('campaigns 1.7.9', async (account) => {
    for (const raw of ['colour-asc', 'name-up']) {
      const reply = await account.get('campaigns', { sort_by: raw });
      expectStatus(reply, 400);
      const [error] = reply.body.errors;
      assert.deepEqual([error.code, error.parameter], ['INVALID_PARAMETER', 'sort_by']);
      assert.match(error.message, new RegExp(`^Expected a value in .*, got "${raw}" for sort_by$`));
    }
  }),
  accountRule('campaigns 1.7.10', async (account) => {
    const { ids, campaign_ids } = await named(account, 'a', 'a', 'a');
    await account.call('PUT', `campaigns/${ids[1]}`, { daily_budget_amount_local_micro: 5_000_000 });
    const sorted = async (sort_by: string) => idsOf(await account.get('campaigns', { campaign_ids, sort_by }));
    assert.deepEqual(await sorted('name-asc'), ids);
    assert.deepEqual(await sorted('name-desc'), ids.toReversed());
    for (const direction of ['asc', 'desc']) {
      assert.equal((await sorted(`daily_budget_amount_local_micro-${direction}`))[0], ids[1]);
    }
  }),
  accountRule('campaigns 1.7.11', async (account) => {
    const { ids, campaign_ids } = await named(account, 'a', 'b', 'c');
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids })), ids.toReversed());
  }),
  accountRule('campaigns 8.2.1', async (account) => {
    const { ids, campaign_ids } = await named(account, 'Spring sale', 'Autumn');
    const { id: funding_instrument_ids } = await account.instrument();
    const found = async (more: object) => idsOf(await account.get('campaigns', { campaign_ids, ...more }));
    assert.deepEqual(await found({ funding_instrument_ids }), ids.toReversed());
    assert.deepEqual(await found({ funding_instrument_ids: 'zz9' }), []);
    assert.deepEqual(await found({ q: 'sPRing' }), [ids[0]]);
    assert.deepEqual(await found({ q: 'sale' }), []);
  }),
  accountRule('campaigns 9.6.1', async (account) => {
    const line = await account.lineItem({ name: 'Readers' });
    const other = await account.lineItem({ campaign_id: line.campaign_id });
    const filter = { campaign_ids: line.campaign_id };
    const found = async (more: object) => idsOf(await account.get('line_items', { ...filter, ...more }));
    assert.deepEqual(await found({}), [other.id, line.id]);
    assert.deepEqual(await found({ line_item_ids: line.id }), [line.id]);
    assert.deepEqual(await found({ q: 'read' }), [line.id]);
    assert.deepEqual(await found({ funding_instrument_ids: 'zz9' }), []);
  }),
  accountRule('advertising 20.6', async (account) => {
    const { ids } = await named(account, 'Ÿ%_');
    const campaign_ids = ids.join();
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids, q: 'ÿ%' })), ids);
    const q = 'x'.repeat(256);
    const error = invalid('Expected a maximum length of 255, got 256 for q', 'q');
    expectErrors(await account.get('/12/accounts', { q }), 400, error);
    expectErrors(await account.get('cards', { q: q.slice(0, 81) }), 400, { code: 'INVALID_PARAMETER', parameter: 'q' });
    assert.ok(Array.isArray(dataOf(await account.get('cards', { q: 'x'.repeat(80) }))));
  }),
];
