import type { LocalDay } from '../../../base/zones.ts';
import type { Budget } from '../bookings.ts';
import type { Spent } from '../serving-times.ts';

const HOUR_MS = 3_600_000;
/** A total budget without an end date is spread over this time, from the planned hour on. */
const HORIZON_MS = 30 * 24 * HOUR_MS;

/** The planned part of an hour. Times in milliseconds since 1970. */
export interface Stretch {
  readonly day: LocalDay;
  /** Hour of the day, from 0. */
  readonly hour: number;
  readonly from_ms: number;
  readonly until_ms: number;
  /** End of the flight; undefined without one. */
  readonly flightEnd_ms: number | undefined;
  /** Weight of an hour in the daily curve, 1 on average. */
  readonly weight: (hour: number) => number;
}

/**
 * Returns the planned spend of a stretch, in micro units; infinite without budgets. The daily curve spreads what is left
 * of the daily budget over the rest of the day, and what is left of the total budget over the rest of the flight; the
 * lower share counts.
 * @source decision 934
 */
export function planSpend({ daily, total }: Budget, spent: Spent, stretch: Stretch): number {
  const { day, hour, from_ms, until_ms, flightEnd_ms, weight } = stretch;
  const end_ms = flightEnd_ms ?? from_ms + HORIZON_MS;
  const now = (weight(hour) * Math.max(0, until_ms - from_ms)) / HOUR_MS;
  let today = now;
  for (let other = hour; other < day.hours; other++) {
    const starts_ms = Math.max(day.start_ms + other * HOUR_MS, until_ms);
    const ends_ms = Math.min(day.start_ms + (other + 1) * HOUR_MS, day.end_ms, end_ms);
    if (ends_ms > starts_ms) today += (weight(other) * (ends_ms - starts_ms)) / HOUR_MS;
  }
  if (now <= 0 || today <= 0) return 0;
  const totalLeft = total === null ? Number.POSITIVE_INFINITY : Math.max(0, total - spent.total);
  const later = Math.max(0, end_ms - day.end_ms) / HOUR_MS;
  const ofTotal = totalLeft * (now / (today + later));
  if (daily === null) return ofTotal;
  const ofDay = Math.min(Math.max(0, daily - spent.today), totalLeft) * (now / today);
  return Math.min(ofDay, ofTotal);
}
