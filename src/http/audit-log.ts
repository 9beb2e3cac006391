import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { formatMillisecond } from '../base/instants.ts';
import type { Random } from '../base/random.ts';
import { type AuditedEvent, type AuditRecord, LOG_ONLY, type RecordAudit, recordOf } from '../contract/store/audit.ts';
import type { Store } from '../contract/store/store.ts';

/** The request of which events are recorded. */
export interface AuditOrigin {
  readonly transaction_id: string;
  readonly request_id: string | undefined;
  readonly address: string;
}

/** Records what pages and calls bring about. */
export interface AuditLog {
  /** Stores events of a request in the units of work that bring them about. */
  transactional(origin: AuditOrigin): RecordAudit;
  /**
   * Logs events, and stores those that were not stored with what they tell of; resolves when they are durable, before the
   * reply says that anything was done. Never rejects: what happened cannot be taken back, and the line of the log is there.
   */
  record(events: readonly AuditedEvent[], origin: AuditOrigin): Promise<void>;
}

/** Records in the log and in the database. `random` makes the ids of records. */
export function auditLog(deps: {
  readonly log: Logger;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}): AuditLog {
  const { log, store, clock, random } = deps;
  const own = random.bytes(4).toString('hex');
  let count = 0;
  const recordNow = (event: AuditedEvent, { address: origin, transaction_id }: AuditOrigin): AuditRecord => {
    count += 1;
    // Ids grow, so that records of one millisecond stay in their order.
    const id = own + count.toString(16).padStart(8, '0');
    return recordOf(event, { id, at: formatMillisecond(clock.now()), origin, transaction_id });
  };
  const storedWithin = new WeakSet<AuditedEvent>();
  return {
    transactional: (origin) => async (tx, event) => {
      await tx.audit.append([recordNow(event, origin)]);
      storedWithin.add(event);
    },
    async record(events, origin) {
      for (const each of events) log.info({ ...origin, ...each }, 'audit');
      const left = events.filter((each) => !storedWithin.has(each) && !LOG_ONLY.includes(each.event));
      if (left.length === 0) return;
      const records = left.map((each) => recordNow(each, origin));
      try {
        await store.write((tx) => tx.audit.append(records));
      } catch (err) {
        log.error({ transaction_id: origin.transaction_id, err }, 'audit events were logged but not stored');
      }
    },
  };
}
