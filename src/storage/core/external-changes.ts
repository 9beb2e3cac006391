import { every } from '../../base/timers.ts';
import type { Store, WriteTransaction } from '../../contract/store/store.ts';

/** The sequence that counts the units of work of commands. */
const SEQUENCE = 'outside_changes';

/** How often a server polls for changes made by commands, in milliseconds. @source decision 106 */
export const EXTERNAL_CHANGE_POLL_MS = 500;

/** Announces to a running server that this unit of work changed data that it may have cached. */
export async function announceExternalChange(tx: WriteTransaction): Promise<void> {
  await tx.takeNumbers(SEQUENCE, 1, 1);
}

/** Clears the caches whenever another process has announced a change; returns a function that stops watching. */
export async function watchExternalChanges(store: Store): Promise<() => void> {
  const position = (): Promise<number | undefined> => store.read((tx) => tx.findNumber(SEQUENCE));
  let seen = await position();
  let isLooking = false;
  const look = async (): Promise<void> => {
    const found = await position();
    if (found === seen) return;
    seen = found;
    store.clearCaches();
  };
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
