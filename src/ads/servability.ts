import { boolean, type Stored, text } from '../contract/fields.ts';
import type { AccountState, Computed } from '../contract/resource.ts';
import type { Campaign } from './campaigns.ts';
import { type FundingInstrument, fundingInstruments, reasonsNotAbleToFund } from './funding-instruments.ts';
import { reasonList } from './reasons.ts';

/** Why a campaign does not serve. @source campaigns 8.3 */
const REASONS = [
  'ACCOUNT_REJECTED',
  'ACCOUNT_UNDER_REVIEW',
  'AWAITING_APPROVAL_BY_ADVERTISER',
  'BUDGET_EXHAUSTED',
  'CONTENT_REVIEW_PROBLEM',
  'DELETED',
  'EXPIRED',
  'FUNDING_PROBLEM',
  'INCOMPLETE',
  'PAUSED_BY_ADVERTISER',
  'STARTS_IN_FUTURE',
] as const;

/**
 * Whether a campaign serves, computed when it is read: one look at the instruments of a whole page.
 * A campaign is complete only with a line item that has something to show; there are no line items yet, so each is
 * incomplete.
 * @source campaigns 8.3
 */
export const servability: Computed<Campaign> = {
  fields: {
    currency: text({ max: 3 }).readOnly().required().says('Of the funding instrument.'),
    effective_status: text({ max: 32 }).readOnly().required().says('What the states together amount to.'),
    servable: boolean().readOnly().says('Whether it can serve; null when it is deleted.'),
    reasons_not_servable: reasonList(REASONS).required().says('Why it cannot serve.'),
  },
  async prepare(rows, { tx, account, now }) {
    const instruments = await instrumentsOf(rows, tx);
    return (row) => {
      const instrument = instruments.get(String(row.funding_instrument_id));
      const reasons = reasonsNotServable(row, account, instrument, now);
      return {
        currency: instrument?.currency ?? null,
        effective_status: effectiveStatus(row, reasons),
        servable: row.deleted ? null : reasons.length === 0 ? 1 : 0,
        reasons_not_servable: reasons.length === 0 ? '[]' : `["${reasons.join('","')}"]`,
      } satisfies Record<string, Stored | null>;
    };
  },
};

type Tx = Parameters<Computed<Campaign>['prepare']>[1]['tx'];

async function instrumentsOf(rows: readonly Campaign[], tx: Tx): Promise<Map<string, FundingInstrument>> {
  const [first] = rows;
  if (!first) return new Map();
  const ids = [...new Set(rows.map((row) => String(row.funding_instrument_id)))];
  const found = await tx.records.many(fundingInstruments, first.account_id, ids, { deleted: 'shown' });
  return new Map(found.map((instrument) => [instrument.id, instrument]));
}

function reasonsNotServable(
  row: Campaign,
  account: AccountState | undefined,
  instrument: FundingInstrument | undefined,
  now: string,
): string[] {
  if (row.deleted) return [];
  const reasons: string[] = [];
  if (account?.approval_status === 'REJECTED') reasons.push('ACCOUNT_REJECTED');
  if (account?.approval_status === 'UNDER_REVIEW') reasons.push('ACCOUNT_UNDER_REVIEW');
  if (row.entity_status !== 'ACTIVE') reasons.push('PAUSED_BY_ADVERTISER');
  if (!instrument || reasonsNotAbleToFund(instrument, now).length > 0) reasons.push('FUNDING_PROBLEM');
  reasons.push('INCOMPLETE');
  return reasons;
}

/** The first that holds. @source campaigns 8.3 */
function effectiveStatus(row: Campaign, reasons: readonly string[]): string {
  if (row.deleted) return 'UNKNOWN';
  if (row.entity_status === 'DRAFT') return 'DRAFT';
  if (reasons.includes('INCOMPLETE')) return 'UNKNOWN';
  if (reasons.includes('PAUSED_BY_ADVERTISER')) return 'PAUSED';
  return reasons.length > 0 ? 'UNKNOWN' : 'RUNNING';
}
