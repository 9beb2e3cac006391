import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { formatMillisecond } from '../base/instants.ts';
import type { Random } from '../base/random.ts';
import { type AuditedEvent, type AuditRecord, LOG_ONLY, type RecordAudit, recordOf } from '../contract/store/audit.ts';
import type { Store } from '../storage/unit-of-work.ts';

/** The request that caused the events. */
export interface AuditOrigin {
  readonly transaction_id: string;
  readonly request_id: string | undefined;
  readonly address: string;
}

/** Records the changes of pages and API calls. */
export interface AuditLog {
  /** Returns a function that stores an event of a request in the transaction of the change. */
  transactional(origin: AuditOrigin): RecordAudit;
  /**
   * Logs events, and stores those that were not stored with their changes. Resolves once they are durable, before the reply
   * reports success. Never rejects: the change cannot be undone, and the log line exists.
   */
  record(events: readonly AuditedEvent[], origin: AuditOrigin): Promise<void>;
}

/** Creates the audit log, which writes to the log and the database. `random` generates the ids of records. */
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
    // Ids increase, so that records of the same millisecond stay in order.
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
