import type { ReportScope } from '../delivery/report.ts';

/** The column of campaigns and funding instruments with what they have spent by the ledger. @source decision 920 */
export const SPENT = 'spent_local_micro';

/** What a row has spent; nothing for one that is just being created. */
export function spentBy(row: object): number {
  return Number((row as { readonly [SPENT]?: number })[SPENT] ?? 0);
}

/**
 * What a creative delivered in a placement on a day of its account. Only hours that are not over yet ever change, except
 * for conversions, which may be reported later; and counts only grow.
 */
export interface DeliveryDay {
  readonly account_id: string;
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly placement: string;
  /** Local date of the account, `YYYY-MM-DD`. */
  readonly day: string;
  /** The numbers of each metric and hour; see `packHours`. */
  readonly hours: Uint8Array;
  /** Sums of the day, so that budgets need not unpack the hours. */
  readonly impressions: number;
  readonly billed: number;
  readonly spend_local_micro: number;
  /** Until when it is complete: UTC text. */
  readonly settled_until: string;
  readonly changed_at: string;
}

/** The part of a day of delivery that people with one value of a segmentation had, such as one gender. */
export interface DeliverySegment
  extends Pick<DeliveryDay, 'account_id' | 'line_item_id' | 'creative_id' | 'placement' | 'day' | 'hours'> {
  /** A segmentation type, such as `GENDER`. */
  readonly segmentation: string;
  readonly value: string;
}

/** How many impressions of a line item a known person had on a day. */
export interface PersonImpressions {
  readonly account_id: string;
  readonly line_item_id: string;
  /** A pseudonym of the publisher's visitor. */
  readonly person: string;
  readonly day: string;
  readonly impressions: number;
}

/** The people who could see a subject's ads from a time on, as the directory counted them then. */
export interface DeliveryAudience {
  readonly account_id: string;
  /** A line item by its id, or `campaign/ID` or `funding_instrument/ID`, which means the union of their line items. */
  readonly subject: string;
  /** UTC text. */
  readonly applies_from: string;
  readonly people: number;
  /** People by segmentation type and value, `UNKNOWN` included: those of a type add up to `people`. */
  readonly shares: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Digest of what was asked; the same question of the same directory has the same answer. */
  readonly question_hash: string;
  /** The mark of the directory that answered. */
  readonly directory_mark: string;
}

/** How far the delivery of an account is settled. */
export interface DeliveryCursor {
  readonly account_id: string;
  /** UTC text. */
  readonly settled_until: string;
  /** Seed of the randomness of simulated delivery. */
  readonly seed: string;
  /** What was set for the simulation: JSON text; null when nothing was. */
  readonly knobs?: string | null;
  /** The plan of the running hour of simulated delivery: JSON text; null when there is none. */
  readonly plan?: string | null;
}

/** What changed in the ledger in an hour: the range of delivery that a creative's new numbers are about. */
export interface DeliveryChange {
  readonly account_id: string;
  /** The hour in which it was stored: UTC text of its beginning. */
  readonly recorded_hour: string;
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly placement: string;
  /** UTC texts, to the second. */
  readonly applies_from: string;
  readonly applies_until: string;
}

/** Selects days of an account; `from` inclusive, `until` exclusive: local dates. */
export interface DayQuery {
  readonly account: string;
  readonly from: string;
  readonly until: string;
  /** All line items by default. */
  readonly line_items?: readonly string[];
}

/** Selects the days that a report adds up. */
export interface SumQuery extends ReportScope, DayQuery {}

/** The line item of a day, and what it belongs to. */
export interface SumKeys {
  readonly currency: string;
  readonly campaign_id: string;
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly day: string;
}

/** The hours of a day, and what it belongs to. */
export interface DeliveryHours extends SumKeys, Pick<DeliveryDay, 'placement' | 'hours'> {}

/** Sums of the days that have the same keys. */
export interface DeliverySum extends Partial<SumKeys> {
  readonly currency: string;
  readonly impressions: number;
  readonly spend_local_micro: number;
  readonly engagements: number;
  readonly clicks: number;
  readonly video_total_views: number;
  /** Days whose last three numbers are in their hours alone: those that were last changed before the columns existed. */
  readonly unsummed: number;
}
