import { itemsOf } from '../../contract/declare/fields.ts';
import type { SettledAccount } from '../../contract/services/delivery.ts';
import { SPENT } from '../../contract/store/delivery-ledger.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { accounts } from '../ads/accounts.ts';
import { type Campaign, campaigns } from '../ads/campaigns.ts';
import { type FundingInstrument, fundingInstruments } from '../ads/funding-instruments.ts';
import type { Goal, ObjectiveName, PayBy } from '../ads/line-items/objectives.ts';
import type { ProductType } from '../ads/line-items/placements.ts';
import { type LineItem, lineItems } from '../ads/line-items.ts';
import { type WEB_EVENT_TYPES, webEventTags } from '../ads/web-event-tags.ts';
import { type BookedCreative, readCreatives } from './booked-creatives.ts';
import { rowsById, rowsOf } from './booked-rows.ts';

export type { BookedCreative } from './booked-creatives.ts';

/** A daily and a total limit in micro units; null without one. */
export interface Budget {
  readonly daily: number | null;
  readonly total: number | null;
}

/** The parts of a campaign that affect delivery. */
interface BookedCampaign {
  readonly id: string;
  readonly entity_status: string;
  readonly deleted: boolean;
  readonly budget: Budget;
  /** Whether budgets are optimized at campaign level. */
  readonly optimizesCampaign: boolean;
  readonly isStandard: boolean | null;
}

/** The parts of a funding instrument that affect delivery. */
interface BookedInstrument {
  readonly id: string;
  /** The stored row without its spend, for `reasonsNotAbleToFund`. */
  readonly row: FundingInstrument;
  /** The credit limit, or the funded amount of an insertion order; null without a limit. */
  readonly limit: number | null;
}

/** A line item with everything that affects its delivery. Amounts are in micro units, times UTC texts. */
export interface Booking {
  readonly id: string;
  readonly campaign: BookedCampaign;
  readonly instrument: BookedInstrument;
  readonly entity_status: string;
  readonly deleted: boolean;
  readonly created_at: string;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly currency: string;
  readonly objective: ObjectiveName;
  readonly product_type: ProductType;
  readonly placements: readonly string[];
  readonly bid_strategy: 'AUTO' | 'MAX' | 'TARGET';
  readonly bid_amount: number | null;
  readonly goal: Goal;
  readonly pay_by: PayBy;
  readonly budget: Budget;
  readonly isStandard: boolean | null;
  readonly frequency_cap: number | null;
  readonly duration_in_days: number | null;
  readonly primary_web_event_tag: string | null;
  /** The event type of that tag; null without a tag. */
  readonly web_event_type: (typeof WEB_EVENT_TYPES)[number] | null;
  readonly creatives: readonly BookedCreative[];
}

/** The bookings of an account. */
export interface Bookings {
  readonly account: SettledAccount & { readonly approval_status: string; readonly deleted: boolean };
  /** In order of id. */
  readonly lines: readonly Booking[];
  /** The spend of campaigns and funding instruments, by id. */
  readonly spent: ReadonlyMap<string, number>;
}

/**
 * Reads the bookings of an account: its active line items, or those with given ids in any state. `lock` reads campaigns and
 * funding instruments uncached, and locks them.
 */
export async function readBookings(
  tx: ReadTransaction,
  account: SettledAccount,
  { ids, lock = false }: { readonly ids?: readonly string[]; readonly lock?: boolean } = {},
): Promise<Bookings> {
  const own = await tx.records.get(accounts, { account: undefined, id: account.id }, { deleted: 'shown' });
  const rows = ids
    ? await rowsById(tx, lineItems, account.id, ids)
    : await rowsOf(tx, lineItems, account.id, { entity_status: ['ACTIVE'] });
  const lines = rows as LineItem[];
  const named = (field: 'campaign_id' | 'funding_instrument_id'): string[] => [
    ...new Set(lines.map((line) => String(line[field]))),
  ];
  const campaignRows = await rowsById(tx, campaigns, account.id, named('campaign_id'), { lock });
  const instrumentRows = await rowsById(tx, fundingInstruments, account.id, named('funding_instrument_id'), { lock });
  const spent = new Map([...campaignRows, ...instrumentRows].map((row) => [row.id, Number(row[SPENT])]));
  const campaignsById = new Map(campaignRows.map((row) => [row.id, campaignOf(row as Campaign)]));
  const instrumentsById = new Map(instrumentRows.map((row) => [row.id, instrumentOf(row as FundingInstrument)]));
  const creatives: ReadonlyMap<string, readonly BookedCreative[]> =
    lines.length === 0 ? new Map() : await readCreatives(tx, account, ids && lines.map(({ id }) => id));
  const typeOfTag = await readTypesOfTags(tx, account, lines);
  const bookings = lines.map((line) =>
    bookingOf(line, {
      web_event_type: typeOfTag.get(line.primary_web_event_tag ?? '') ?? null,
      campaign: campaignsById.get(String(line.campaign_id))!,
      instrument: instrumentsById.get(String(line.funding_instrument_id))!,
      creatives: creatives.get(line.id) ?? [],
    }),
  );
  return {
    account: {
      id: account.id,
      environment: account.environment,
      timezone: account.timezone,
      approval_status: String(own?.approval_status ?? 'REJECTED'),
      deleted: own?.deleted !== 0,
    },
    lines: bookings.sort((one, other) => (one.id < other.id ? -1 : 1)),
    spent,
  };
}

async function readTypesOfTags(
  tx: ReadTransaction,
  account: SettledAccount,
  lines: readonly LineItem[],
): Promise<Map<string, Booking['web_event_type']>> {
  const named = new Set(lines.flatMap(({ primary_web_event_tag: tag }) => (tag === null ? [] : [tag])));
  const rows = await rowsById(tx, webEventTags, account.id, [...named]);
  const live = rows.filter(({ deleted }) => deleted === 0);
  return new Map(live.map((row) => [row.id, String(row.type) as Booking['web_event_type']]));
}

function campaignOf(row: Campaign): BookedCampaign {
  return {
    id: row.id,
    entity_status: String(row.entity_status),
    deleted: row.deleted !== 0,
    budget: budgetOf(row),
    optimizesCampaign: row.budget_optimization !== 'LINE_ITEM',
    isStandard: flagOf(row.standard_delivery),
  };
}

/** Removes the column that the ledger maintains. */
function instrumentOf(row: FundingInstrument): BookedInstrument {
  const { [SPENT]: _, ...booked } = row as FundingInstrument & { readonly [SPENT]?: number };
  const limit = row.type === 'INSERTION_ORDER' ? row.funded_amount_local_micro : row.credit_limit_local_micro;
  return { id: row.id, row: booked as FundingInstrument, limit };
}

function bookingOf(
  row: LineItem,
  parts: Pick<Booking, 'campaign' | 'instrument' | 'creatives' | 'web_event_type'>,
): Booking {
  return {
    id: row.id,
    ...parts,
    currency: String(row.currency),
    budget: budgetOf(row),
    entity_status: String(row.entity_status),
    deleted: row.deleted !== 0,
    created_at: row.created_at,
    start_time: row.start_time,
    end_time: row.end_time,
    bid_amount: row.bid_amount_local_micro,
    frequency_cap: row.frequency_cap,
    duration_in_days: row.duration_in_days,
    objective: row.objective as ObjectiveName,
    product_type: row.product_type as ProductType,
    placements: itemsOf(row.placements ?? '[]'),
    bid_strategy: row.bid_strategy as Booking['bid_strategy'],
    goal: row.goal as Goal,
    pay_by: row.pay_by as PayBy,
    isStandard: flagOf(row.standard_delivery),
    primary_web_event_tag: row.primary_web_event_tag,
  };
}

function budgetOf(row: Pick<LineItem, 'daily_budget_amount_local_micro' | 'total_budget_amount_local_micro'>): Budget {
  return { daily: row.daily_budget_amount_local_micro, total: row.total_budget_amount_local_micro };
}

function flagOf(value: unknown): boolean | null {
  return value === null || value === undefined ? null : value === 1 || value === true;
}
