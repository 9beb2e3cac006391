import { Type } from '../../base/json-schema.ts';
import { boolean, micros, oneOf, reference, text } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import { atMost, type Change, invalid, neverBackTo } from '../../contract/declare/rules.ts';
import { alwaysNull } from '../../contract/declare/unwritten-fields.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { SPENT, spentBy } from '../../contract/store/delivery-ledger.ts';
import { LINE_ITEMS_SUMMARY } from '../../contract/store/line-items-summary.ts';
import { checkDenominations } from './currencies.ts';
import {
  creditRemaining,
  type FundingInstrument,
  fundingInstruments,
  reasonsNotAbleToFund,
} from './funding-instruments.ts';
import { hasLineItems, servability } from './servability.ts';

const fields = {
  name: text({ max: 255 }).required().sortable().describe('Display name; need not be unique.'),
  funding_instrument_id: reference(() => fundingInstruments, { deleted: 'shown' })
    .required()
    .createOnly()
    .filteredBy('funding_instrument_ids')
    .describe('Funding instrument that pays.'),
  budget_optimization: oneOf('CAMPAIGN', 'LINE_ITEM')
    .resetsTo('CAMPAIGN')
    .describe('Level at which budgets are optimized.'),
  daily_budget_amount_local_micro: micros()
    .sortable()
    .describe('Daily budget in micro units; at most the total budget.'),
  total_budget_amount_local_micro: micros().sortable().describe('Total budget in micro units.'),
  entity_status: oneOf('ACTIVE', 'PAUSED', 'DRAFT')
    .defaults('ACTIVE')
    .describe('Status set by the advertiser. Only so many campaigns of an account may be `ACTIVE`: see the errors.'),
  standard_delivery: boolean()
    .sortable()
    .describe('Even pacing over the day; default true, null when budgets are optimized per line item.'),
  purchase_order_number: text({ max: 50 }).describe('Purchase order number, for reconciling invoices.'),
  duration_in_days: alwaysNull(Type.Integer()).describe('Always null; kept for older clients.'),
  frequency_cap: alwaysNull(Type.Integer()).describe('Always null; kept for older clients.'),
} satisfies Fields;

/** A stored campaign. */
export type Campaign = RowOf<typeof fields>;

/**
 * Campaigns: line items that share a budget, a funding instrument and a status.
 * @source advertising 5, 19, 23; campaigns 8
 */
export const campaigns = resource({
  name: 'campaign',
  plural: 'campaigns',
  label: 'Campaign',
  description: 'A campaign groups line items under one budget, funding instrument and status.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'activate', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'CAMPAIGN_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 4 * 8 },
  fields,
  // Budgets per line item also mean pacing per line item. @source decision 34
  derive: (row) =>
    row.budget_optimization === 'LINE_ITEM'
      ? { standard_delivery: null }
      : { standard_delivery: row.standard_delivery ?? 1 },
  rules: [
    atMost(
      'daily_budget_amount_local_micro',
      'total_budget_amount_local_micro',
      'Daily budget cannot exceed the total budget',
    ),
    // A draft may be sent back as it was read. @source decision 33
    neverBackTo('entity_status', 'DRAFT', 'A campaign cannot become a draft again'),
    budgetOptimizationIsFixed,
    instrumentCanFund,
    withinCreditLimit,
    coversSpend,
    amountsFitCurrency,
  ],
  problems: ['INVALID', 'CREDIT_LIMIT_EXCEEDED', 'INVALID_DENOMINATION'],
  createProblems: ['INVALID_FUNDING_INSTRUMENT'],
  updateProblems: ['SPEND_EXCEEDS_BUDGET'],
  quotas: [
    {
      where: { entity_status: 'ACTIVE' },
      setting: 'active_campaigns_max',
      problem: 'TOO_MANY_CAMPAIGNS',
      parameter: 'entity_status',
    },
  ],
  list: {
    search: 'name',
    nullSortKeys: ['start_time', 'end_time'],
    drafts: { field: 'entity_status', value: 'DRAFT' },
  },
  batch: { max: 40 },
  settlesDelivery: 'always',
  historyEntity: 'CAMPAIGN',
  computed: servability,
  storage: { isCached: true, extraColumns: [LINE_ITEMS_SUMMARY, SPENT] },
});

/** Rule: budget optimization cannot change while the campaign has line items. @source campaigns 8.1 */
function budgetOptimizationIsFixed({ before, after }: Change<Campaign>): ErrorDetail | undefined {
  if (!before || before.budget_optimization === after.budget_optimization) return undefined;
  if (!hasLineItems(before)) return undefined;
  return invalid('budget_optimization', 'Budget optimization cannot change while the campaign has line items');
}

/** Rule: the funding instrument is not deleted, paused or expired; it may start in the future. @source decision 35 */
function instrumentCanFund({ referenced, now }: Change<Campaign>): ErrorDetail | undefined {
  const instrument = referenced.get('funding_instrument_id') as FundingInstrument | undefined;
  if (!instrument) return undefined;
  const reasons = reasonsNotAbleToFund(instrument, now).filter((reason) => reason !== 'STARTS_IN_FUTURE');
  if (reasons.length === 0) return undefined;
  return {
    problem: 'INVALID_FUNDING_INSTRUMENT',
    parameter: 'funding_instrument_id',
    value: instrument.id,
    words: { reasons: reasons.join(', ') },
  };
}

/** Finds the funding instrument: already read as a reference on create, read by id on update. */
async function findInstrument({ referenced, after, tx }: Change<Campaign>): Promise<FundingInstrument | undefined> {
  const known = referenced.get('funding_instrument_id') as FundingInstrument | undefined;
  if (known) return known;
  const key = { account: after.account_id, id: String(after.funding_instrument_id) };
  return tx.records.get(fundingInstruments, key, { deleted: 'shown' });
}

/** Rule: the unspent part of a new total budget does not exceed the remaining credit of a credit line. @source decision 36 */
async function withinCreditLimit(change: Change<Campaign>): Promise<ErrorDetail | undefined> {
  const { after, before } = change;
  const total = after.total_budget_amount_local_micro;
  if (total === null || total === before?.total_budget_amount_local_micro) return undefined;
  const instrument = await findInstrument(change);
  const remaining = instrument ? creditRemaining(instrument) : null;
  if (remaining === null || total - spentBy(after) <= remaining) return undefined;
  return {
    problem: 'CREDIT_LIMIT_EXCEEDED',
    parameter: 'total_budget_amount_local_micro',
    value: String(after.funding_instrument_id),
  };
}

/** Rule: a new total budget covers the spend so far. @source campaigns 8.1 */
function coversSpend({ before, after }: Change<Campaign>): ErrorDetail | undefined {
  const total = after.total_budget_amount_local_micro;
  if (!before || total === before.total_budget_amount_local_micro) return undefined;
  return spendExceedsBudget(spentBy(before), total);
}

/** Returns the error of a total budget below the spend so far. */
export function spendExceedsBudget(spent: number, total: number | null): ErrorDetail | undefined {
  if (total === null || total >= spent) return undefined;
  return { problem: 'SPEND_EXCEEDS_BUDGET', parameter: 'total_budget_amount_local_micro', words: { total, spent } };
}

async function amountsFitCurrency(change: Change<Campaign>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  const names = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'] as const;
  const changed = names.filter((name) => after[name] !== null && after[name] !== before?.[name]);
  if (changed.length === 0) return [];
  return checkDenominations(after, changed, String((await findInstrument(change))?.currency));
}
