import { boundedCache } from './bounded-cache.ts';

/** How much an open window has counted, and when it ends, in Unix seconds. */
export interface Counter {
  used: number;
  reset_s: number;
}

/** Fixed windows by key, in the memory of this process. */
export interface Windows {
  /** The open window of a key; opens one when there is none. */
  open(key: string, window_s: number, now_s: number): Counter;
  /** The open window of a key, if there is one. Does not count as a use. */
  find(key: string, window_s: number, now_s: number): Counter | undefined;
}

/**
 * Windows that open with their first use. All limits count with these.
 * @param max beyond so many keys the one that was used longest ago is forgotten, and only that one: whoever invents
 * keys can neither fill the memory nor begin the windows of others anew.
 */
export function fixedWindows(max: number): Windows {
  const windows = boundedCache<string, Counter>(max);
  /** The one used longest ago goes when its time is over, so that what is kept shrinks again. */
  const dropEnded = (now_s: number): void => {
    const [oldest] = windows.rkeys();
    if (oldest !== undefined && windows.peek(oldest)!.reset_s <= now_s) windows.delete(oldest);
  };
  return {
    open(key, window_s, now_s) {
      const known = windows.get(key);
      if (known && known.reset_s > now_s) {
        // The clock was set back: nobody waits for longer than a window.
        known.reset_s = Math.min(known.reset_s, now_s + window_s);
        return known;
      }
      const opened = { used: 0, reset_s: now_s + window_s };
      windows.set(key, opened);
      dropEnded(now_s);
      dropEnded(now_s);
      return opened;
    },
    find(key, window_s, now_s) {
      const known = windows.peek(key);
      if (!known || known.reset_s <= now_s) return undefined;
      return { used: known.used, reset_s: Math.min(known.reset_s, now_s + window_s) };
    },
  };
}
