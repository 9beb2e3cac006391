import { every } from '../../base/timers.ts';
import type { Store, WriteTransaction } from '../../contract/store/store.ts';

/** Counts the units of work of commands that ran beside a server. */
const SEQUENCE = 'outside_changes';

/** How often a server polls for changes of commands, in milliseconds. */
export const EXTERNAL_CHANGE_POLL_MS = 500;

/** Tells a running server that this unit of work of another process changed data that it may have cached. */
export async function announceExternalChange(tx: WriteTransaction): Promise<void> {
  await tx.takeNumbers(SEQUENCE, 1, 1);
}

/** Clears the caches whenever another process has announced a change; the result stops it. */
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
    // A database that is away says so to every request; the next look comes soon.
    look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  });
}
