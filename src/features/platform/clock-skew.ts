import { instantMs } from '../../base/instants.ts';

/** A larger difference of the clocks is reported. @source decision 754 */
export const SKEW_REPORTED_MS = 5000;

/** The clocks of two servers may differ by twice as much: times in the event log put up with a minute. @source decision 365 */
const SKEW_MAX_MS = 30_000;

/**
 * No server starts when its clock differs from that of the database by more, in milliseconds, or is ready beside others. Two
 * servers then differ by no more than the window, for which nonces are kept beyond their timestamp.
 * @source decision 754, 824
 */
export function skewMax_ms(timestamp_window_s: number): number {
  return Math.min(SKEW_MAX_MS, timestamp_window_s * 500);
}

/**
 * How far the machine is ahead of the database, whose time was read between two times of the machine: the least that
 * explains it, so that neither a slow answer nor a pause of the process counts.
 */
export function clockSkew_ms(before_ms: number, database: string, after_ms: number): number {
  const database_ms = instantMs(database);
  return before_ms > database_ms ? before_ms - database_ms : Math.min(0, after_ms - database_ms);
}
