import { reasonsNotAbleToFund } from '../ads/funding-instruments.ts';
import type { Booking, Bookings, Budget } from './bookings.ts';

/** The reasons why a line item does not serve, by precedence. */
export const REASONS_NOT_SERVING = [
  'ACCOUNT_NOT_ACCEPTED',
  'DELETED',
  'CAMPAIGN_NOT_ACTIVE',
  'LINE_ITEM_NOT_ACTIVE',
  'FUNDING_PROBLEM',
  'NO_BUDGET',
  'NO_CREATIVE',
  'BUDGET_USED_UP',
  'STARTS_IN_FUTURE',
  'EXPIRED',
] as const;
/** A reason why a line item does not serve. */
export type ReasonNotServing = (typeof REASONS_NOT_SERVING)[number];

/** Spend on the local day and in total, in micro units. */
export interface Spent {
  readonly today: number;
  readonly total: number;
}

/** The spend of a line item and its payers. */
export interface SpentByLevel {
  readonly line: Spent;
  readonly campaign: Spent;
  readonly instrument: number;
}

/** Returns the creatives of a line item that can be shown. @source decision 1084 */
export function shownCreatives({ creatives }: Pick<Booking, 'creatives'>): Booking['creatives'] {
  return creatives.filter(
    ({ entity_status, approval_status, author }) =>
      entity_status === 'ACTIVE' && approval_status === 'ACCEPTED' && author?.isSuspended !== true,
  );
}

/** Returns the rest of a budget, daily and total; infinite without limits. */
export function leftOf({ daily, total }: Budget, spent: Spent): number {
  const ofDay = daily === null ? Number.POSITIVE_INFINITY : daily - spent.today;
  const ofAll = total === null ? Number.POSITIVE_INFINITY : total - spent.total;
  return Math.max(0, Math.min(ofDay, ofAll));
}

/**
 * Returns the reasons why a line item does not serve at a time (UTC text), by precedence. The servability of campaigns is the
 * same for all of their line items together.
 * @param left the rest of its budgets, see `budgetLeft`; without it, budgets are ignored
 * @source decision 37 and 930
 */
export function reasonsNotServing(
  { account }: Pick<Bookings, 'account'>,
  booking: Booking,
  now: string,
  left = Number.POSITIVE_INFINITY,
): ReasonNotServing[] {
  const [from, until] = servingTimes(booking);
  const lasting = lastingReasons(account, booking);
  const passing: Partial<Record<ReasonNotServing, boolean>> = {
    FUNDING_PROBLEM: reasonsNotAbleToFund(booking.instrument.row, now).length > 0,
    BUDGET_USED_UP: left <= 0,
    STARTS_IN_FUTURE: now < from,
    EXPIRED: now >= until,
  };
  return REASONS_NOT_SERVING.filter((reason) => lasting[reason] === true || passing[reason] === true);
}

/** Returns the reasons that do not depend on the time. */
function lastingReasons(
  account: Bookings['account'],
  booking: Booking,
): Readonly<Partial<Record<ReasonNotServing, boolean>>> {
  const { campaign, instrument } = booking;
  const budgets = [campaign.budget, booking.budget];
  return {
    ACCOUNT_NOT_ACCEPTED: account.deleted || account.approval_status !== 'ACCEPTED',
    DELETED: campaign.deleted || booking.deleted,
    CAMPAIGN_NOT_ACTIVE: campaign.entity_status !== 'ACTIVE',
    LINE_ITEM_NOT_ACTIVE: booking.entity_status !== 'ACTIVE',
    FUNDING_PROBLEM: instrument.row.deleted === 1 || instrument.row.entity_status === 'PAUSED',
    NO_BUDGET: budgets.every(({ daily, total }) => daily === null && total === null),
    NO_CREATIVE: shownCreatives(booking).length === 0,
  };
}

/** Returns the rest of the budgets and funding of a line item; infinite without limits. */
export function budgetLeft({ budget, campaign, instrument }: Booking, spent: SpentByLevel): number {
  const funds = instrument.limit === null ? Number.POSITIVE_INFINITY : instrument.limit - spent.instrument;
  return Math.max(0, Math.min(leftOf(budget, spent.line), leftOf(campaign.budget, spent.campaign), funds));
}

/** The end of a flight without an end. */
export const FOREVER = '9999-12-31T23:59:59Z';
/** `FOREVER` in milliseconds since 1970. */
export const FOREVER_MS = Date.parse(FOREVER);

/** Returns when a line item is in its flight and funded: UTC texts, the end exclusive. */
export function servingTimes(booking: Booking): readonly [from: string, until: string] {
  const { row } = booking.instrument;
  const from = latest(booking.created_at, booking.start_time, row.start_time);
  const ends = [booking.end_time, row.end_time].filter((end) => end !== null);
  return [from, ends.reduce((one, other) => (one < other ? one : other), FOREVER)];
}

function latest(first: string, ...others: readonly (string | null)[]): string {
  return others.reduce<string>((one, other) => (other !== null && other > one ? other : one), first);
}

/** Returns when a line item can serve within a range of time, regardless of budgets; undefined if it cannot. Ends are exclusive. */
export function servesWithin(
  { account }: Pick<Bookings, 'account'>,
  booking: Booking,
  range: readonly [from: string, until: string],
): readonly [from: string, until: string] | undefined {
  if (Object.values(lastingReasons(account, booking)).includes(true)) return undefined;
  const [starts, ends] = servingTimes(booking);
  const from = starts > range[0] ? starts : range[0];
  const until = ends < range[1] ? ends : range[1];
  return from < until ? [from, until] : undefined;
}
