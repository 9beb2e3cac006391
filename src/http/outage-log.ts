import type { Logger } from 'pino';
import { after, elapsed_ms } from '../base/timers.ts';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';
import type { OutageListener } from '../storage/unit-of-work.ts';

/** When an outage last began or ended, by the log that has it. */
const changes = new WeakMap<Logger, number>();
/** How far apart an outage and a failure that it causes are noticed, at most. */
const APART_MS = 1000;

/** Logs outages of the database: one line when it becomes unreachable, and one when it is back. */
export function outageLog(log: Logger): OutageListener {
  return {
    began({ message: because }) {
      changes.set(log, elapsed_ms());
      log.error({ because }, 'database unavailable; answering 503 until it is back');
    },
    ended(away_ms) {
      changes.set(log, elapsed_ms());
      log.warn({ away_s: Math.round(away_ms / 100) / 10 }, 'database available again');
    },
    superseded: ({ message: because }) => log.fatal({ because }, 'another server has taken over the database'),
  };
}

/**
 * Logs failures of background work, except those caused by an outage, which is logged separately. Its connection may break
 * before the outage is noticed, or be found broken afterwards.
 */
export function failureLog(
  log: Logger,
  message: string,
  wait: typeof after = after,
): (error: unknown, members?: object) => void {
  return (err, members) => {
    const write = (): void => log.error({ ...members, err }, message);
    if (!(err instanceof StoreUnavailable)) return write();
    if (err.isOutage) return;
    const failedAt_ms = elapsed_ms();
    wait(APART_MS, () => {
      const changedAt_ms = changes.get(log) ?? Number.NEGATIVE_INFINITY;
      if (changedAt_ms < failedAt_ms - APART_MS) write();
    });
  };
}
