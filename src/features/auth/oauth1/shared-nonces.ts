import type { Clock } from '../../../base/clock.ts';
import { elapsed_ms, every, nextTurn } from '../../../base/timers.ts';
import { type FirstUses, SharedServerAway } from '../../../contract/services/first-uses.ts';
import type { NonceLog, UsedNonce } from '../../../contract/store/nonces.ts';
import type { Store } from '../../../storage/unit-of-work.ts';

const PAGE = 20_000;
const REMOVED_MAX = 10_000;

/**
 * A log that also reads the nonces in the database: those of servers that shared them, while the setting `redis_url` was
 * set.
 * @source decision 746
 */
export async function withStoredNonces(log: NonceLog, store: Store): Promise<{ log: NonceLog; storedCount: number }> {
  const stored: UsedNonce[] = [];
  let last: UsedNonce = { timestamp: 0, digest: '' };
  for (;;) {
    const page = await store.read((tx) => tx.usedNonces.list(last, PAGE));
    stored.push(...page);
    if (page.length < PAGE) break;
    last = page.at(-1)!;
  }
  const forgottenUntil = await store.read((tx) => tx.usedNonces.findForgottenUntil());
  const both: NonceLog = {
    append: (entry, use) => log.append(entry, use),
    *read() {
      yield* log.read();
      yield* stored;
    },
    forgottenUntil: () => Math.max(log.forgottenUntil(), forgottenUntil),
  };
  return { log: both, storedCount: stored.length };
}

const SWEEP_MS = 10_000;

/**
 * Removes nonces from the database every few seconds, two windows after their timestamp, so that the clocks of the servers
 * may differ by one. The clock may jump ahead and be set back: the earliest time that it showed within the last window
 * counts. A clock that is wrong for longer would make all servers refuse requests with correct timestamps.
 * @source decision 430, 748, 825
 */
export function nonceSweeper(
  {
    store,
    clock,
    window_s,
    isClockWrong = () => false,
    onError,
  }: {
    readonly store: Store;
    readonly clock: Clock;
    readonly window_s: number;
    /** Whether the clock is known to be wrong: nothing is removed then. */
    readonly isClockWrong?: () => boolean;
    /** Called when nonces could not be removed; they are removed later. */
    readonly onError: (error: unknown) => void;
  },
  elapsed: () => number = elapsed_ms,
): { sweep(): Promise<void>; stop(): void } {
  /** Readings of the clock, the latest last: all of the last window, and one before it. */
  const times: { readonly now_s: number; readonly at_ms: number }[] = [];
  const window_ms = window_s * 1000;
  let isSweeping = false;

  const sweep = async (): Promise<void> => {
    const at_ms = elapsed();
    times.push({ now_s: Math.floor(clock.now() / 1000), at_ms });
    while (times.length > 1 && at_ms - times[1]!.at_ms >= window_ms) times.shift();
    if (isSweeping || isClockWrong() || at_ms - times[0]!.at_ms < window_ms) return;
    const until = Math.min(...times.map(({ now_s }) => now_s)) - 2 * window_s - 1;
    isSweeping = true;
    try {
      // Servers refuse such nonces before they are removed.
      await store.write((tx) => tx.usedNonces.forgetUntil(until));
      while ((await store.write((tx) => tx.usedNonces.removeUntil(until, REMOVED_MAX))) === REMOVED_MAX);
    } catch (error) {
      onError(error);
    } finally {
      isSweeping = false;
    }
  };
  return { sweep, stop: every(SWEEP_MS, () => void sweep()) };
}

/** Nonces that are stored together, and the digests of the new ones. */
interface Group {
  readonly entries: UsedNonce[];
  isSynced: boolean;
  readonly fresh: PromiseWithResolvers<ReadonlySet<string>>;
}

/**
 * Nonces that several processes share: those of changes in the database; those of reads in Redis, or in the database while
 * Redis is away.
 * @source decision 746, 747
 */
export function sharedNonces({
  store,
  firstUses,
  clock,
  window_s,
  earlier,
}: {
  readonly store: Store;
  readonly firstUses: FirstUses;
  readonly clock: Clock;
  readonly window_s: number;
  /** The nonces of earlier runs. */
  readonly earlier: Pick<NonceLog, 'read' | 'forgottenUntil'>;
}): NonceLog {
  let waiting: Group | undefined;
  let isStoring = false;

  /** Stores one group at a time; nonces that arrive meanwhile form the next. */
  const storeGroups = async (): Promise<void> => {
    while (waiting) {
      const group = waiting;
      waiting = undefined;
      const { entries, isSynced, fresh } = group;
      await store.write((tx) => tx.usedNonces.reserve(entries, { isSynced })).then(fresh.resolve, fresh.reject);
    }
    isStoring = false;
  };
  const reserve = async (entry: UsedNonce, isSynced: boolean): Promise<boolean> => {
    waiting ??= { entries: [], isSynced: false, fresh: Promise.withResolvers() };
    const { entries, fresh } = waiting;
    entries.push(entry);
    waiting.isSynced ||= isSynced;
    if (!isStoring) {
      isStoring = true;
      nextTurn(() => void storeGroups());
    }
    return (await fresh.promise).has(entry.digest);
  };

  return {
    async append(entry, use) {
      if (use !== 'read') return reserve(entry, use === 'change-of-files');
      // Until a clock that is a window behind refuses the timestamp.
      const ttl_s = Math.max(1, entry.timestamp + 2 * window_s - Math.floor(clock.now() / 1000));
      try {
        return await firstUses.use(entry.digest, ttl_s);
      } catch (error) {
        if (!(error instanceof SharedServerAway)) throw error;
        return reserve(entry, false);
      }
    },
    read: () => earlier.read(),
    forgottenUntil: () => earlier.forgottenUntil(),
  };
}
