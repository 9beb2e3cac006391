import type { Clock } from '../../../base/clock.ts';
import { nextTurn } from '../../../base/timers.ts';
import { type FirstUses, SharedServerAway } from '../../../contract/services/first-uses.ts';
import type { NonceLog, UsedNonce } from '../../../contract/store/nonces.ts';
import type { Store } from '../../../contract/store/store.ts';

/** Dependencies of the shared nonces. */
export interface SharedNonceOptions {
  readonly store: Store;
  readonly firstUses: FirstUses;
  readonly clock: Clock;
  readonly window_s: number;
  /** What runs before this one have written. */
  readonly earlier: Pick<NonceLog, 'read' | 'forgottenUntil'>;
}

/** Nonces that are stored together, and the digests that turn out to be new. */
interface Group {
  readonly entries: UsedNonce[];
  isSynced: boolean;
  readonly fresh: PromiseWithResolvers<ReadonlySet<string>>;
}

/**
 * Nonces that several processes share: of requests that change something in the database, of all others in a server that
 * may be lost, and in the database while it is.
 * @source decision 746, 747
 */
export function sharedNonces({ store, firstUses, clock, window_s, earlier }: SharedNonceOptions): NonceLog {
  let waiting: Group | undefined;
  let isStoring = false;

  /** One group after the other: what arrives meanwhile is the next. */
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
      // Until a clock that is behind by a window accepts the timestamp no more.
      const ttl_s = Math.max(1, entry.timestamp + 2 * window_s - Math.floor(clock.now() / 1000));
      try {
        return await firstUses.use(entry.digest, ttl_s);
      } catch (error) {
        if (!(error instanceof SharedServerAway)) throw error;
        return reserve(entry, false);
      }
    },
    read: earlier.read,
    forgottenUntil: earlier.forgottenUntil,
  };
}
