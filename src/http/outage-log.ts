import type { Logger } from 'pino';
import type { OutageListener } from '../contract/store.ts';

/** Reports outages of the database: one line when it goes away, and one when it is back. */
export function outageLog(log: Logger): OutageListener {
  return {
    began: ({ message: because }) => log.error({ because }, 'database unavailable; answering 503 until it is back'),
    ended: (away_ms) => log.warn({ away_s: Math.round(away_ms / 100) / 10 }, 'database available again'),
    superseded: ({ message: because }) => log.fatal({ because }, 'another server has taken over the database'),
  };
}
