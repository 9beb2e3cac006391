import { every } from '../../base/timers.ts';
import type { Store, WriteTransaction } from '../../contract/store/store.ts';

/** Counts the units of work of commands that ran beside a server. */
const SEQUENCE = 'outside_changes';

/** How soon a server takes notice of what a command changed, in milliseconds. */
export const EXTERNAL_CHANGE_POLL_MS = 500;

/** Lets a running server know that this unit of work, of another process, changed something that it may have cached. */
export async function announceExternalChange(tx: WriteTransaction): Promise<void> {
  await tx.takeNumbers(SEQUENCE, 1, 1);
}

/** Forgets what is cached whenever another process has announced a change; the answer ends that. */
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
