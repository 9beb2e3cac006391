import type { Logger } from 'pino';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';
import type { OutageListener } from '../contract/store/store.ts';

/** Logs outages of the database: one line when it becomes unreachable, and one when it is back. */
export function outageLog(log: Logger): OutageListener {
  return {
    began: ({ message: because }) => log.error({ because }, 'database unavailable; answering 503 until it is back'),
    ended: (away_ms) => log.warn({ away_s: Math.round(away_ms / 100) / 10 }, 'database available again'),
    superseded: ({ message: because }) => log.fatal({ because }, 'another server has taken over the database'),
  };
}

/** Logs failures of background work, except those caused by an outage, which is logged separately. */
export function failureLog(log: Logger, message: string): (error: unknown, members?: object) => void {
  return (err, members) => {
    if (!(err instanceof StoreUnavailable && err.isOutage)) log.error({ ...members, err }, message);
  };
}
