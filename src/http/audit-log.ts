import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { formatMillisecond } from '../base/instants.ts';
import type { Random } from '../base/random.ts';
import { LOG_ONLY, type Noted, recordOf } from '../contract/audit.ts';
import type { Store } from '../contract/store.ts';

/** The request of which events are recorded. */
export interface AuditOrigin {
  readonly transaction_id: string;
  readonly request_id: string | undefined;
  readonly address: string;
}

/** Records what pages and calls brought about. */
export interface AuditLog {
  /**
   * Logs events and stores them; resolves when they are durable, before the reply says that anything was done. Never
   * rejects: what happened cannot be taken back, and the line of the log is there.
   */
  record(events: readonly Noted[], origin: AuditOrigin): Promise<void>;
}

/** Records in the log and in the database. `random` makes the ids of records. */
export function auditLog(parts: {
  readonly log: Logger;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}): AuditLog {
  const { log, store, clock, random } = parts;
  const own = random.bytes(4).toString('hex');
  let count = 0;
  /** Ids that grow, so that records of one millisecond stay in their order. */
  const nextId = (): string => {
    count += 1;
    return own + count.toString(16).padStart(8, '0');
  };
  return {
    async record(events, origin) {
      for (const each of events) log.info({ ...origin, ...each }, 'audit');
      const stored = events.filter(({ event }) => !LOG_ONLY.includes(event));
      if (stored.length === 0) return;
      const { address, transaction_id } = origin;
      const at = formatMillisecond(clock.now());
      const records = stored.map((each) => recordOf(each, { id: nextId(), at, origin: address, transaction_id }));
      try {
        await store.write((tx) => tx.audit.append(records));
      } catch (err) {
        log.error({ transaction_id, err }, 'audit events were logged but not stored');
      }
    },
  };
}
