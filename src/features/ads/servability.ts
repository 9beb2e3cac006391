import { boolean, type StoredValue, text } from '../../contract/declare/fields.ts';
import type { Computed, Row } from '../../contract/declare/resource.ts';
import { spentBy } from '../../contract/store/delivery-ledger.ts';
import { decodeSummary, LINE_ITEMS_SUMMARY, type LineItemsSummary } from '../../contract/store/line-items-summary.ts';
import type { Campaign } from './campaigns.ts';
import { type FundingInstrument, fundingInstruments, reasonList, reasonsNotAbleToFund } from './funding-instruments.ts';

/** Reasons why a campaign cannot serve, in the order of replies. @source campaigns 8.3 */
const REASONS = [
  'ACCOUNT_REJECTED',
  'ACCOUNT_UNDER_REVIEW',
  'AWAITING_APPROVAL_BY_ADVERTISER',
  'EXPIRED',
  'PAUSED_BY_ADVERTISER',
  'STARTS_IN_FUTURE',
  'BUDGET_EXHAUSTED',
  'FUNDING_PROBLEM',
  'CONTENT_REVIEW_PROBLEM',
  'INCOMPLETE',
  'DELETED',
] as const;

/**
 * Computed servability of campaigns. The funding instruments of a page are read together; the summary of line
 * items is a column of the campaign.
 * @source campaigns 8.3; decision 181
 */
export const servability: Computed<Campaign> = {
  fields: {
    currency: text({ max: 3 }).readOnly().required().describe('Currency of the funding instrument.'),
    effective_status: text({ max: 32 }).readOnly().required().describe('Effective delivery status.'),
    servable: boolean().readOnly().describe('Whether it can serve; null when deleted.'),
    reasons_not_servable: reasonList(REASONS).required().describe('Reasons why it cannot serve.'),
  },
  async prepare(rows, { tx, account, now }) {
    const instruments = await readInstruments(rows, tx, now);
    const ofAccount = ACCOUNT_REASONS[account?.approval_status ?? ''] ?? 0;
    return (row) => {
      const instrument = instruments.get(String(row.funding_instrument_id))!;
      const isDraft = row.entity_status === 'DRAFT';
      if (row.deleted) return outcome(instrument, DELETED, isDraft);
      return outcome(instrument, ofAccount | reasonsNotServable(row, instrument, now), isDraft);
    };
  },
};

type Outcome = Readonly<Record<string, StoredValue | null>>;

interface Instrument {
  readonly row: FundingInstrument;
  readonly funds: boolean;
  /** Cache of computed values by reasons; campaigns of a page have few distinct ones. */
  readonly outcomes: Map<number, Outcome>;
}

type Tx = Parameters<Computed<Campaign>['prepare']>[1]['tx'];

async function readInstruments(rows: readonly Campaign[], tx: Tx, now: string): Promise<Map<string, Instrument>> {
  const [first] = rows;
  if (!first) return new Map();
  const ids = [...new Set(rows.map((row) => String(row.funding_instrument_id)))];
  const found = await tx.records.getMany(fundingInstruments, first.account_id, ids, { deleted: 'shown' });
  return new Map(
    found.map((row) => [row.id, { row, funds: reasonsNotAbleToFund(row, now).length === 0, outcomes: new Map() }]),
  );
}

/** A reason why a campaign cannot serve. */
export type ReasonNotServable = (typeof REASONS)[number];

/** Sets of reasons are bit masks. */
function bit(reason: ReasonNotServable): number {
  return 1 << REASONS.indexOf(reason);
}

const EXPIRED = bit('EXPIRED');
const PAUSED = bit('PAUSED_BY_ADVERTISER');
const STARTS_IN_FUTURE = bit('STARTS_IN_FUTURE');
const BUDGET_EXHAUSTED = bit('BUDGET_EXHAUSTED');
const FUNDING_PROBLEM = bit('FUNDING_PROBLEM');
const CONTENT_REVIEW_PROBLEM = bit('CONTENT_REVIEW_PROBLEM');
const INCOMPLETE = bit('INCOMPLETE');
const DELETED = bit('DELETED');

const ACCOUNT_REASONS: Readonly<Record<string, number>> = {
  REJECTED: bit('ACCOUNT_REJECTED'),
  UNDER_REVIEW: bit('ACCOUNT_UNDER_REVIEW'),
};

/** Tests whether a campaign has live line items. */
export function hasLineItems(row: Campaign): boolean {
  return lineItemsOf(row) !== undefined;
}

function lineItemsOf(row: Campaign): LineItemsSummary | undefined {
  const summary = (row as Row)[LINE_ITEMS_SUMMARY];
  return typeof summary === 'string' ? decodeSummary(summary) : undefined;
}

/** Returns all reasons except those of the account, as a bit mask. @source decision 37 and 173 */
function reasonsNotServable(row: Campaign, instrument: Instrument, now: string): number {
  const lines = lineItemsOf(row);
  const hasBudget = row.daily_budget_amount_local_micro !== null || row.total_budget_amount_local_micro !== null;
  let reasons = row.entity_status === 'ACTIVE' ? 0 : PAUSED;
  const total = row.total_budget_amount_local_micro;
  if (total !== null && spentBy(row) >= total) reasons |= BUDGET_EXHAUSTED;
  if (!instrument.funds) reasons |= FUNDING_PROBLEM;
  if (!lines) return reasons | INCOMPLETE;
  const unended = lines.spans.find(({ until }) => until === '' || until > now);
  if (!unended) reasons |= EXPIRED;
  else if (unended.from > now) reasons |= STARTS_IN_FUTURE;
  if (lines.showing && !lines.accepted) reasons |= CONTENT_REVIEW_PROBLEM;
  if (!lines.ready || !(hasBudget || lines.budgeted)) reasons |= INCOMPLETE;
  return reasons;
}

function outcome({ row, outcomes }: Instrument, reasons: number, isDraft: boolean): Outcome {
  const key = isDraft ? -1 - reasons : reasons;
  let found = outcomes.get(key);
  if (!found) {
    const isDeleted = reasons === DELETED;
    const names = isDeleted ? [] : REASONS.filter((reason) => reasons & bit(reason));
    found = {
      currency: row.currency,
      effective_status: isDeleted ? 'UNKNOWN' : isDraft ? 'DRAFT' : effectiveStatus(names),
      servable: isDeleted ? null : names.length === 0 ? 1 : 0,
      reasons_not_servable: JSON.stringify(names),
    };
    outcomes.set(key, found);
  }
  return found;
}

const STATUSES: readonly (readonly [ReasonNotServable, string])[] = [
  ['INCOMPLETE', 'UNKNOWN'],
  ['PAUSED_BY_ADVERTISER', 'PAUSED'],
  ['EXPIRED', 'EXPIRED'],
  ['BUDGET_EXHAUSTED', 'EXHAUSTED'],
  ['STARTS_IN_FUTURE', 'SCHEDULED'],
];

/** Returns the effective status of entities that are not drafts, by the first reason that applies. @source campaigns 8.3 */
export function effectiveStatus(reasons: readonly ReasonNotServable[]): string {
  if (reasons.length === 0) return 'RUNNING';
  return STATUSES.find(([reason]) => reasons.includes(reason))?.[1] ?? 'UNKNOWN';
}
