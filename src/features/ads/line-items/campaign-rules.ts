import { type Change, type DeriveContext, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { type Campaign, campaigns, spendExceedsBudget } from '../campaigns.ts';
import { checkDenominations } from '../currencies.ts';
import { fundingInstruments } from '../funding-instruments.ts';
import type { LineItem } from '../line-items.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';

const AMOUNTS = [
  'bid_amount_local_micro',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
] as const;

type Context = Pick<Change<LineItem>, 'referenced' | 'tx'>;

/** Finds the campaign of a line item: already read as a reference on create, read by id on update. */
async function findCampaign(row: LineItem, { referenced, tx }: Context): Promise<Campaign> {
  const known = referenced.get('campaign_id') as Campaign | undefined;
  if (known) return known;
  const key = { account: row.account_id, id: row.campaign_id! };
  return (await tx.records.get(campaigns, key, { deleted: 'shown' }))!;
}

/** Derives the fields that are copied from campaign and account on create. */
export async function inheritFromCampaign(row: LineItem, change: DeriveContext<LineItem>): Promise<Partial<LineItem>> {
  if (change.before) return {};
  const { funding_instrument_id } = await findCampaign(row, change);
  const key = { account: row.account_id, id: funding_instrument_id! };
  const instrument = await change.tx.records.get(fundingInstruments, key, { deleted: 'shown' });
  const advertiser_user_id = await findAdvertiserUserId(change.tx, row.account_id);
  return { funding_instrument_id, currency: instrument!.currency, advertiser_user_id };
}

/** Derives even pacing: default true when budgets are optimized per line item, null otherwise. @source decision 124 */
export async function deriveDelivery(
  row: LineItem,
  change: DeriveContext<LineItem>,
): Promise<Pick<LineItem, 'standard_delivery'>> {
  const isChosenAnew = change.verb === 'create' || change.input.standard_delivery === null;
  if (row.standard_delivery !== null || !isChosenAnew) return { standard_delivery: row.standard_delivery };
  const { budget_optimization } = await findCampaign(row, change);
  return { standard_delivery: budget_optimization === 'LINE_ITEM' ? 1 : null };
}

/** Rule: all line items of a campaign have the same product type and objective. @source advertising 6 */
export async function matchesSiblings({
  resource,
  verb,
  after,
  tx,
}: Change<LineItem>): Promise<readonly ErrorDetail[]> {
  if (verb !== 'create') return [];
  const [sibling] = await tx.records.page(resource, {
    account: after.account_id,
    deleted: 'hidden',
    within: { campaign_id: [after.campaign_id!] },
    sort: [],
    limit: 1,
  });
  if (!sibling) return [];
  const differ = (attribute: 'product_type' | 'objective', words: string): ErrorDetail[] => {
    if (sibling[attribute] === after[attribute]) return [];
    const message = `Line items with different ${words} are not allowed under the same campaign (campaign_id=${after.campaign_id})`;
    return [invalid(attribute, message)];
  };
  return [...differ('product_type', 'product types'), ...differ('objective', 'objectives')];
}

/** Rule: a new total budget does not exceed that of the campaign. @source decision 125 */
export async function withinCampaignBudget(change: Change<LineItem>): Promise<ErrorDetail | undefined> {
  const { after, before } = change;
  const total = after.total_budget_amount_local_micro;
  if (total === null || total === before?.total_budget_amount_local_micro) return undefined;
  const most = (await findCampaign(after, change)).total_budget_amount_local_micro;
  if (most === null || total <= most) return undefined;
  return invalid('total_budget_amount_local_micro', 'Total budget cannot exceed the total budget of the campaign');
}

/** Rule: a new total budget covers the spend so far. @source campaigns 8.1 */
export async function coversSpend({ before, after, tx }: Change<LineItem>): Promise<ErrorDetail | undefined> {
  const total = after.total_budget_amount_local_micro;
  if (!before || total === null || total === before.total_budget_amount_local_micro) return undefined;
  const [totals] = await tx.deliveryLedger.listTotals(after.account_id, [after.id]);
  return spendExceedsBudget(totals?.spend_local_micro ?? 0, total);
}

/** Rule: new amounts are multiples of the smallest unit of the currency. */
export function amountsFitCurrency({ after, before }: Change<LineItem>): readonly ErrorDetail[] {
  const changed = AMOUNTS.filter((name) => after[name] !== before?.[name]);
  return checkDenominations(after, changed, String(after.currency));
}
