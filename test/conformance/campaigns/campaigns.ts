import assert from 'node:assert/strict';
import { type Account, accountRule, dataOf, expectErrors, invalid, missing, refused } from '../account.ts';
import { type Rule, Skipped } from '../rule.ts';

const FIELDS = [
  ...['id', 'name', 'funding_instrument_id', 'budget_optimization', 'daily_budget_amount_local_micro'],
  ...['total_budget_amount_local_micro', 'entity_status', 'standard_delivery', 'purchase_order_number'],
  ...['duration_in_days', 'frequency_cap', 'currency', 'effective_status', 'servable', 'reasons_not_servable'],
  ...['created_at', 'updated_at', 'deleted'],
];
const [DAILY, TOTAL] = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'] as const;

/** Checks of campaigns: sections 8.1 and 8.2. */
const fieldRules: readonly Rule[] = [
  accountRule('campaigns 8.1.1', async (account) => {
    const { id: funding_instrument_id } = await account.instrument();
    expectErrors(await account.call('POST', 'campaigns', { funding_instrument_id }), 400, missing('name'));
    await account.campaign({ name: 'x'.repeat(255) });
    const [one, two] = [await account.campaign({ name: 'Same' }), await account.campaign({ name: 'Same' })];
    assert.notEqual(one.id, two.id);
  }),
  accountRule('campaigns 8.1.3', async (account) => {
    assert.equal((await account.campaign()).budget_optimization, 'CAMPAIGN');
    assert.equal((await account.campaign({ budget_optimization: 'LINE_ITEM' })).budget_optimization, 'LINE_ITEM');
  }),
  accountRule('campaigns 8.1.6', async (account) => {
    const { id: funding_instrument_id } = await account.instrument();
    const { id, entity_status } = await account.create('campaigns', { name: 'Active', funding_instrument_id });
    assert.equal(entity_status, 'ACTIVE');
    const paused = dataOf(await account.call('PUT', `campaigns/${id}`, { entity_status: 'PAUSED' }));
    assert.equal(paused.entity_status, 'PAUSED');
  }),
  accountRule('campaigns 8.1.7', async (account) => {
    assert.equal((await account.campaign()).standard_delivery, true);
    assert.equal((await account.campaign({ standard_delivery: false })).standard_delivery, false);
  }),
  accountRule('campaigns 8.1.8', async (account) => {
    const { id } = await account.campaign({ purchase_order_number: 'x'.repeat(50) });
    const reply = await account.call('PUT', `campaigns/${id}`, { purchase_order_number: 'x'.repeat(51) });
    const message = 'Expected a maximum length of 50, got 51 for purchase_order_number';
    expectErrors(reply, 400, invalid(message, 'purchase_order_number'));
  }),
  accountRule('campaigns 8.1.10', async (account) => {
    assert.equal((await account.campaign()).currency, (await account.instrument()).currency);
  }),
  accountRule('campaigns 8.1.12', async (account) => {
    assert.deepEqual(Object.keys(await account.campaign()).sort(), FIELDS.toSorted());
  }),
  accountRule('campaigns 8.1.13', async (account) => {
    const campaign = await account.campaign({ start_time: 'never', end_time: 'never' });
    assert.ok(!('start_time' in campaign) && !('end_time' in campaign));
  }),
  accountRule('campaigns 8.1.14', async (account) => {
    const { id } = await account.campaign({ entity_status: 'DRAFT' });
    const live = dataOf(await account.call('PUT', `campaigns/${id}`, { entity_status: 'PAUSED' }));
    assert.equal(live.entity_status, 'PAUSED');
    const back = await account.call('PUT', `campaigns/${id}`, { entity_status: 'DRAFT' });
    expectErrors(back, 400, refused('entity_status', 'A campaign cannot become a draft again'));
  }),
  accountRule('campaigns 8.1.15', async (account) => {
    const { campaign_id } = await account.lineItem();
    const reply = await account.call('PUT', `campaigns/${campaign_id}`, { budget_optimization: 'LINE_ITEM' });
    const message = 'Budget optimization cannot change while the campaign has line items';
    expectErrors(reply, 400, refused('budget_optimization', message));
  }),
  accountRule('campaigns 8.1.17', async (account) => {
    assert.ok((await account.campaign()).reasons_not_servable.includes('INCOMPLETE'));
  }),
  accountRule('campaigns 8.1.18', async (account) => {
    const campaign = await account.campaign({ budget_optimization: 'LINE_ITEM', [DAILY]: 5_000_000 });
    assert.equal(campaign[DAILY], 5_000_000);
  }),
  accountRule('campaigns 8.1.19', async (account) => {
    const { id } = await account.campaign({ [TOTAL]: 5_000_000 });
    const reply = await account.call('PUT', `campaigns/${id}`, { [DAILY]: 6_000_000 });
    expectErrors(reply, 400, refused(DAILY, 'Daily budget cannot exceed the total budget'));
    assert.equal(dataOf(await account.call('PUT', `campaigns/${id}`, { [DAILY]: 5_000_000 }))[DAILY], 5_000_000);
  }),
  accountRule('campaigns 8.2.2', async (account) => {
    const reply = await account.call('POST', 'campaigns', { name: 'Lost', funding_instrument_id: 'zz9' });
    expectErrors(reply, 404, {
      code: 'FUNDING_INSTRUMENT_NOT_FOUND',
      parameter: 'funding_instrument_id',
      value: 'zz9',
    });
  }),
  accountRule('campaigns 8.2.3', async (account) => {
    const { id } = await account.campaign();
    assert.equal(dataOf(await account.call('DELETE', `campaigns/${id}`)).deleted, true);
    expectErrors(await account.call('DELETE', `campaigns/${id}`), 404, { code: 'CAMPAIGN_NOT_FOUND' });
  }),
  accountRule('campaigns 8.2.5', async (account) => {
    const { id } = await account.campaign();
    const active = dataOf(await account.call('PUT', `campaigns/${id}/activate`));
    assert.deepEqual([active.id, active.entity_status], [id, 'ACTIVE']);
  }),
];

/** Checks of servability: section 8.3. */
const servabilityRules: readonly Rule[] = [
  accountRule('campaigns 8.3.1', async (account) => {
    const { reasons_not_servable } = await account.campaign();
    assert.deepEqual(reasons_not_servable, ['PAUSED_BY_ADVERTISER', 'INCOMPLETE']);
  }),
  accountRule('campaigns 8.3.4', async (account) => {
    const { id } = await account.campaign({ entity_status: 'DRAFT' });
    const reasons = async () => dataOf(await account.get(`campaigns/${id}`)).reasons_not_servable;
    assert.ok((await reasons()).includes('PAUSED_BY_ADVERTISER'));
    await account.call('PUT', `campaigns/${id}`, { entity_status: 'ACTIVE' });
    assert.ok(!(await reasons()).includes('PAUSED_BY_ADVERTISER'));
  }),
  accountRule('campaigns 8.3.5', async (account) => {
    const line = await account.lineItem({ start_time: '2100-01-01T00:00:00Z', end_time: '2100-02-01T00:00:00Z' });
    const { reasons_not_servable } = dataOf(await account.get(`campaigns/${line.campaign_id}`));
    assert.ok(reasons_not_servable.includes('STARTS_IN_FUTURE'));
  }),
  accountRule('campaigns 8.3.11', async (account) => {
    const campaign = await account.campaign({ entity_status: 'ACTIVE', [DAILY]: 5_000_000 });
    const values = { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT', campaign_id: campaign.id };
    const line = await account.lineItem(values);
    await account.create('promoted_accounts', { line_item_id: line.id, user_id: await fullUser(account) });
    const served = dataOf(await account.get(`campaigns/${campaign.id}`));
    assert.deepEqual([served.reasons_not_servable, served.servable, served.effective_status], [[], true, 'RUNNING']);
  }),
  accountRule('campaigns 8.3.12', async (account) => {
    const { id } = await account.campaign();
    const { reasons_not_servable, servable, effective_status } = dataOf(
      await account.call('DELETE', `campaigns/${id}`),
    );
    assert.deepEqual([reasons_not_servable, servable, effective_status], [[], null, 'UNKNOWN']);
  }),
  accountRule('campaigns 8.3.13', async (account) => {
    assert.equal((await account.campaign({ entity_status: 'DRAFT' })).effective_status, 'DRAFT');
    assert.equal((await account.campaign()).effective_status, 'UNKNOWN');
  }),
];

/** The user whom the account advertises. */
async function fullUser(account: Account): Promise<string> {
  const users = dataOf(await account.get('promotable_users'));
  const full = users.find((each: { promotable_user_type: string }) => each.promotable_user_type === 'FULL');
  if (!full) throw new Skipped('the account has no FULL promotable user');
  return full.user_id;
}

/** Checks of section 8. */
export const campaignRules: readonly Rule[] = [...fieldRules, ...servabilityRules];
