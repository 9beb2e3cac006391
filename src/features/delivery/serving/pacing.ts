import { localDayAt } from '../../../base/zones.ts';
import type { Budget } from '../bookings.ts';
import { FOREVER_MS } from '../serving-times.ts';
import type { Ad } from './ads.ts';
import type { AccountCounters } from './counters.ts';

/** Spend may run ahead of the day by this part of the budget. @source decision 981 */
const AHEAD = 0.02;
/** The same with AUTO bids, which slow down earlier. @source decision 1120 */
const AUTO_AHEAD = 0.1;
const DAY_MS = 86_400_000;
/** A total budget of a flight without an end is planned over this many days. */
const OPEN_DAYS = 30;

/** The plan of a budget for a day, and its spend including reservations; micro units. */
interface DayPlan {
  readonly plan: number;
  readonly spent: number;
}

/** The part of a local day in which an ad serves (milliseconds since 1970), and the budgets that limit it. */
export interface AdDay {
  readonly now_ms: number;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly plans: readonly DayPlan[];
}

/**
 * Plans the day of an ad. The plan of the line item, and that of its campaign, is the daily budget or the day's part of the
 * opening balance of the total budget, whichever is less.
 */
export function dayOfAd(
  { booking, flight, account }: Ad,
  counters: Pick<AccountCounters, 'spentToday' | 'openingBalance'>,
  now_ms: number,
): AdDay {
  const day = localDayAt(now_ms, account.timezone);
  const from_ms = Math.max(day.start_ms, flight.from_ms);
  const until_ms = Math.min(day.end_ms, flight.until_ms);
  const end_ms = flight.until_ms < FOREVER_MS ? flight.until_ms : from_ms + OPEN_DAYS * DAY_MS;
  const part = end_ms <= from_ms ? 1 : Math.min(1, (until_ms - from_ms) / (end_ms - from_ms));
  const plans: DayPlan[] = [];
  const add = ({ daily, total }: Budget, name: string): void => {
    if (daily === null && total === null) return;
    const ofTotal =
      total === null ? Number.POSITIVE_INFINITY : (counters.openingBalance(`${name}/total`) ?? total) * part;
    plans.push({
      plan: Math.min(daily ?? Number.POSITIVE_INFINITY, ofTotal),
      spent: counters.spentToday(`${name}/${day.date}`),
    });
  };
  add(booking.budget, `line_item/${booking.id}`);
  add(booking.campaign.budget, `campaign/${booking.campaign.id}`);
  return { now_ms, from_ms, until_ms, plans };
}

/** Whether the spend of a budget is ahead of an even spread over the day. */
export function isAhead({ bid }: Pick<Ad, 'bid'>, { now_ms, from_ms, until_ms, plans }: AdDay): boolean {
  const elapsed = until_ms <= from_ms ? 1 : (now_ms - from_ms) / (until_ms - from_ms);
  const part = Math.min(1, Math.max(0, elapsed) + (bid.strategy === 'AUTO' ? AUTO_AHEAD : AHEAD));
  for (const { plan, spent } of plans) if (spent >= plan * part) return true;
  return false;
}
