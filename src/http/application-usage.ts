import type { Clock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';
import { every } from '../base/timers.ts';
import type { HourlyUsage } from '../storage/tables/application-usage.ts';
import type { Store } from '../storage/unit-of-work.ts';

/** How often counts are stored. */
const FLUSH_MS = 10_000;
/** Maximum number of pending counts while the database is unavailable; further ones are lost. */
const WAITING_MAX = 10_000;
const HOUR_MS = 3_600_000;

/** Counts the calls of applications, for their developers. */
export interface UsageRecorder {
  /** Counts a call; `problem` is empty on success. */
  note(application: string, operation: string, status: number, problem: string): void;
  /** Stores the counts so far. Never rejects. */
  flush(): Promise<void>;
  /** Pauses while `work` replaces the contents of the database, and discards earlier counts. */
  standstill<T>(work: () => Promise<T>): Promise<T>;
  /** Stores the counts for the last time. */
  close(): Promise<void>;
}

/**
 * Creates a recorder that counts calls by hour in memory and adds them to the database every ten seconds in the background.
 * A killed server loses the counts of ten seconds.
 * @source decision 1017
 */
export function usageRecorder({ store, clock }: { readonly store: Store; readonly clock: Clock }): UsageRecorder {
  let counts = new Map<string, { -readonly [name in keyof HourlyUsage]: HourlyUsage[name] }>();
  let flushing: Promise<void> = Promise.resolve();
  let hour_ms = 0;
  let hour = '';

  const note: UsageRecorder['note'] = (application_id, operation, status, problem) => {
    const now_ms = clock.now();
    if (now_ms < hour_ms || now_ms >= hour_ms + HOUR_MS) {
      hour_ms = now_ms - (now_ms % HOUR_MS);
      hour = formatInstant(hour_ms);
    }
    const key = `${application_id} ${hour} ${operation} ${status} ${problem}`;
    const known = counts.get(key);
    if (known) known.calls += 1;
    else if (counts.size < WAITING_MAX) {
      counts.set(key, { application_id, hour, operation, status, problem, calls: 1 });
    }
  };

  async function storeCounts(): Promise<void> {
    if (counts.size === 0) return;
    const taken = counts;
    counts = new Map();
    try {
      await store.write((tx) => tx.applicationUsage.add([...taken.values()]));
    } catch {
      // The database cannot be reached, which others report: they are added with the next ones.
      for (const [key, count] of taken) {
        const since = counts.get(key);
        if (since) since.calls += count.calls;
        else if (counts.size < WAITING_MAX) counts.set(key, count);
      }
    }
  }
  const flush = (): Promise<void> => {
    flushing = flushing.then(storeCounts);
    return flushing;
  };
  const stop = every(FLUSH_MS, () => void flush());

  return {
    note,
    flush,
    standstill(work) {
      const working = flushing.then(work).finally(() => {
        counts = new Map();
      });
      flushing = working.then(
        () => undefined,
        () => undefined,
      );
      return working;
    },
    close() {
      stop();
      return flush();
    },
  };
}
