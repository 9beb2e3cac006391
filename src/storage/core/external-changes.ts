import { every } from '../../base/timers.ts';
import { EXTERNAL_CHANGES } from '../tables/cache-changes.ts';
import type { Store } from '../unit-of-work.ts';

/** How often a server looks for changes by other processes without a request, in milliseconds. @source decision 106 */
export const EXTERNAL_CHANGE_POLL_MS = 500;

/**
 * Drops from the caches what other processes change, twice a second; returns a function that stops watching. Requests on
 * PostgreSQL do not wait for that: they pass the fence.
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

/** Clears the caches whenever a command has counted a change since the last call. */
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
