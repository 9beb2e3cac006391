import { every } from '../../base/timers.ts';
import { EXTERNAL_CHANGES } from '../tables/cache-changes.ts';
import type { Store } from '../unit-of-work.ts';

/** Interval at which a server polls for changes by other processes, in milliseconds. @source decision 106 */
export const EXTERNAL_CHANGE_POLL_MS = 500;

/**
 * Invalidates caches twice a second after changes by other processes; returns a function that stops it. On PostgreSQL,
 * requests do not depend on it: they pass the fence.
 */
export async function watchExternalChanges(store: Store): Promise<() => void> {
  const look = store.fence ?? (await pollChanges(store));
  await look();
  let isLooking = false;
  return every(EXTERNAL_CHANGE_POLL_MS, () => {
    if (isLooking) return;
    isLooking = true;
    // Requests report an unavailable database themselves; the next poll comes soon.
    look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  });
}

/** Clears the caches if a command has recorded a change since the last call. */
async function pollChanges(store: Store): Promise<() => Promise<void>> {
  const position = (): Promise<number | undefined> => store.read((tx) => tx.findNumber(EXTERNAL_CHANGES));
  let seen = await position();
  return async () => {
    const found = await position();
    if (found === seen) return;
    seen = found;
    store.clearCaches();
  };
}
