import type { LineItemsOfCampaign } from '../contract/delivery.ts';
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
 * Whether a campaign serves, computed when it is read: for a whole page, one look at its instruments and one at what
 * its line items amount to.
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
    const [first] = rows;
    const instruments = await instrumentsOf(rows, tx);
    const ids = rows.filter((row) => !row.deleted).map((row) => row.id);
    const lineItems = first ? await tx.delivery.listLineItems(first.account_id, ids, now) : new Map();
    return (row) => {
      const instrument = instruments.get(String(row.funding_instrument_id));
      const funds = instrument !== undefined && reasonsNotAbleToFund(instrument, now).length === 0;
      const reasons = reasonsNotServable(row, { account, funds, lineItems: lineItems.get(row.id) ?? NONE });
      return {
        currency: instrument?.currency ?? null,
        effective_status: effectiveStatus(row, reasons),
        servable: row.deleted ? null : reasons.length === 0 ? 1 : 0,
        reasons_not_servable: reasons.length === 0 ? '[]' : `["${reasons.join('","')}"]`,
      } satisfies Record<string, Stored | null>;
    };
  },
};

const NONE: LineItemsOfCampaign = { live: 0, unended: 0, begun: 0, budgeted: 0, ready: 0, showing: 0, accepted: 0 };

type Tx = Parameters<Computed<Campaign>['prepare']>[1]['tx'];

async function instrumentsOf(rows: readonly Campaign[], tx: Tx): Promise<Map<string, FundingInstrument>> {
  const [first] = rows;
  if (!first) return new Map();
  const ids = [...new Set(rows.map((row) => String(row.funding_instrument_id)))];
  const found = await tx.records.many(fundingInstruments, first.account_id, ids, { deleted: 'shown' });
  return new Map(found.map((instrument) => [instrument.id, instrument]));
}

interface Circumstances {
  readonly account: AccountState | undefined;
  readonly funds: boolean;
  readonly lineItems: LineItemsOfCampaign;
}

type Reason = (typeof REASONS)[number];

/** Every reason that holds, in the order of the reference. Nothing is spent before delivery exists. */
function reasonsNotServable(row: Campaign, { account, funds, lineItems }: Circumstances): Reason[] {
  if (row.deleted) return [];
  const { live, unended, begun, budgeted, ready, showing, accepted } = lineItems;
  const hasBudget =
    row.daily_budget_amount_local_micro !== null || row.total_budget_amount_local_micro !== null || budgeted > 0;
  const table: readonly (readonly [Reason, boolean])[] = [
    ['ACCOUNT_REJECTED', account?.approval_status === 'REJECTED'],
    ['ACCOUNT_UNDER_REVIEW', account?.approval_status === 'UNDER_REVIEW'],
    ['EXPIRED', live > 0 && unended === 0],
    ['PAUSED_BY_ADVERTISER', row.entity_status !== 'ACTIVE'],
    ['STARTS_IN_FUTURE', unended > 0 && begun === 0],
    ['FUNDING_PROBLEM', !funds],
    ['CONTENT_REVIEW_PROBLEM', showing > 0 && accepted === 0],
    ['INCOMPLETE', ready === 0 || !hasBudget],
  ];
  return table.filter(([, holds]) => holds).map(([reason]) => reason);
}

/** What the first of these reasons that holds amounts to. @source campaigns 8.3 */
const STATUSES: readonly (readonly [Reason, string])[] = [
  ['INCOMPLETE', 'UNKNOWN'],
  ['PAUSED_BY_ADVERTISER', 'PAUSED'],
  ['EXPIRED', 'EXPIRED'],
  ['BUDGET_EXHAUSTED', 'EXHAUSTED'],
  ['STARTS_IN_FUTURE', 'SCHEDULED'],
];

function effectiveStatus(row: Campaign, reasons: readonly Reason[]): string {
  if (row.deleted) return 'UNKNOWN';
  if (row.entity_status === 'DRAFT') return 'DRAFT';
  if (reasons.length === 0) return 'RUNNING';
  return STATUSES.find(([reason]) => reasons.includes(reason))?.[1] ?? 'UNKNOWN';
}
