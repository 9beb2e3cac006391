import { instantMs } from '../../base/instants.ts';

/** Larger clock skew is logged. @source decision 754 */
export const SKEW_REPORTED_MS = 5000;

/** Two servers can be twice this far apart; event timestamps tolerate a minute. @source decision 365 */
const SKEW_MAX_MS = 30_000;

/**
 * Maximum skew from the database clock: beyond it a server does not start, and is not ready while others run. Two servers
 * then differ by no more than the window, for which nonces are kept beyond their timestamp.
 * @source decision 754, 824
 */
export function skewMax_ms(timestamp_window_s: number): number {
  return Math.min(SKEW_MAX_MS, timestamp_window_s * 500);
}

/**
 * Lower bound of how far this machine's clock is ahead of the database's, which was read between two readings of the machine's:
 * neither a slow answer nor a pause of the process counts.
 */
export function clockSkew_ms(before_ms: number, database: string, after_ms: number): number {
  const database_ms = instantMs(database);
  return before_ms > database_ms ? before_ms - database_ms : Math.min(0, after_ms - database_ms);
}
