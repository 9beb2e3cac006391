import { addDays } from '../../../base/zones.ts';
import { SPENT } from '../../../contract/store/delivery-ledger.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { campaigns } from '../../ads/campaigns.ts';
import { fundingInstruments } from '../../ads/funding-instruments.ts';
import { lineItems } from '../../ads/line-items.ts';
import { rowsById } from '../booked-rows.ts';
import { budgetKeys, type Payers } from './budget-keys.ts';

/** The remaining budgets according to the ledger. */
export interface BudgetState {
  readonly payers: ReadonlyMap<string, Payers>;
  /** By key; budgets without a limit are absent. Negative if a budget was lowered below its spend. */
  readonly left: Map<string, number>;
  /** The spend of line items and campaigns on a day, by key. */
  readonly spentToday: Map<string, number>;
}

/** Reads the remaining budgets of line items on some local days. To charge them, hold the lock of the delivery cursor. */
export async function readBudgets(
  tx: ReadTransaction,
  account: string,
  lines: readonly string[],
  days: readonly string[],
): Promise<BudgetState> {
  const rows = await rowsById(tx, lineItems, account, lines);
  const payers = new Map<string, Payers>();
  const add = (row: (typeof rows)[number]): void => {
    const { id, campaign_id, funding_instrument_id } = row;
    payers.set(id, { line: id, campaign: String(campaign_id), instrument: String(funding_instrument_id) });
  };
  for (const row of rows) add(row);
  const idsOf = (level: 'campaign' | 'instrument') => [...new Set([...payers.values()].map((each) => each[level]))];
  const campaignRows = await rowsById(tx, campaigns, account, idsOf('campaign'));
  const instrumentRows = await rowsById(tx, fundingInstruments, account, idsOf('instrument'));
  const left = new Map<string, number>();
  const spentToday = new Map<string, number>();
  const ofAll = new Map((await tx.deliveryLedger.listTotals(account, lines)).map((each) => [each.line_item_id, each]));
  const limit = (key: string, amount: unknown, spent: number): void => {
    if (typeof amount === 'number') left.set(key, amount - spent);
  };
  for (const row of rows) {
    limit(`line_item/${row.id}/total`, row.total_budget_amount_local_micro, ofAll.get(row.id)?.spend_local_micro ?? 0);
  }
  for (const row of campaignRows) {
    limit(`campaign/${row.id}/total`, row.total_budget_amount_local_micro, Number(row[SPENT]));
  }
  for (const row of instrumentRows) {
    const amount = row.type === 'INSERTION_ORDER' ? row.funded_amount_local_micro : row.credit_limit_local_micro;
    limit(`funding_instrument/${row.id}/total`, amount, Number(row[SPENT]));
  }
  for (const day of days) {
    const ofDay = await tx.deliveryLedger.listTotalsOfDays({ account, from: day, until: addDays(day, 1) });
    const others = ofDay.map(({ line_item_id }) => line_item_id).filter((id) => !payers.has(id));
    for (const row of await rowsById(tx, lineItems, account, others)) add(row);
    const byKey = new Map<string, number>();
    for (const { line_item_id, spend_local_micro } of ofDay) {
      const { campaign } = payers.get(line_item_id)!;
      byKey.set(`line_item/${line_item_id}/${day}`, spend_local_micro);
      const key = `campaign/${campaign}/${day}`;
      byKey.set(key, (byKey.get(key) ?? 0) + spend_local_micro);
    }
    for (const [key, spent] of byKey) spentToday.set(key, spent);
    for (const [level, limited] of [['line_item', rows] as const, ['campaign', campaignRows] as const]) {
      for (const row of limited) {
        const key = `${level}/${row.id}/${day}`;
        limit(key, row.daily_budget_amount_local_micro, byKey.get(key) ?? 0);
      }
    }
  }
  return { payers, left, spentToday };
}

/** Charges a price to all budgets of a line item, at most the smallest rest; returns the charged amount. @source decision 982 */
export function charge({ left, payers, spentToday }: BudgetState, line: string, day: string, price: number): number {
  const keys = budgetKeys(payers.get(line)!, day);
  const charged = Math.max(0, Math.min(price, ...keys.map((key) => left.get(key) ?? Number.POSITIVE_INFINITY)));
  for (const key of keys) {
    const rest = left.get(key);
    if (rest !== undefined) left.set(key, rest - charged);
    if (key.endsWith(day)) spentToday.set(key, (spentToday.get(key) ?? 0) + charged);
  }
  return charged;
}
