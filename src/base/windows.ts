import { boundedCache } from './bounded-cache.ts';

/** The count of an open window, and when it ends, in Unix seconds. */
export interface Counter {
  used: number;
  reset_s: number;
}

/** Fixed rate limit windows by key, in the memory of this process. @source decision 67 */
export interface Windows {
  /** The open window of a key; opens one if there is none. */
  open(key: string, window_s: number, now_s: number): Counter;
  /** The open window of a key, if any. Does not count as a use. */
  find(key: string, window_s: number, now_s: number): Counter | undefined;
  /** The last window of a key, open or not, if it is still in memory. Does not count as a use. */
  last(key: string): Counter | undefined;
  clear(): void;
}

/**
 * Creates fixed windows that open with their first use, for all rate limits.
 * @param max number of keys; beyond it the least recently used one is evicted, so that invented keys can neither fill the
 * memory nor reset the windows of others.
 * @source decision 471; decision 472
 */
export function fixedWindows(max: number): Windows {
  const windows = boundedCache<string, Counter>(max);
  /** Evicts the least recently used window once it has ended, so that memory shrinks again. */
  const dropEnded = (now_s: number): void => {
    const [oldest] = windows.rkeys();
    if (oldest !== undefined && windows.peek(oldest)!.reset_s <= now_s) windows.delete(oldest);
  };
  return {
    open(key, window_s, now_s) {
      const known = windows.get(key);
      if (known && known.reset_s > now_s) {
        // The clock was set back: the wait is at most a window.
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
    last: (key) => windows.peek(key),
    clear: () => windows.clear(),
  };
}
