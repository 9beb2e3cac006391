import type { Clock } from '../base/clock.ts';

/** Counts requests per address. @source authentication gaps 1.3 and 13 */
export interface AddressCounts {
  readonly max: number;
  /** Undefined while the address may go on; otherwise the seconds to wait. */
  take(address: string): number | undefined;
}

/** Beyond this many addresses the count begins anew for all, so that nobody can fill the memory. */
const ADDRESSES_MAX = 100_000;

/** Counts in this process, in fixed windows that open with the first request. */
export function addressCounts(limit: { readonly max: number; readonly window_s: number }, clock: Clock): AddressCounts {
  const { max, window_s } = limit;
  const windows = new Map<string, { count: number; end_s: number }>();
  let sweep_s = 0;
  return {
    max,
    take(address) {
      const now_s = Math.floor(clock.now() / 1000);
      if (now_s >= sweep_s) {
        for (const [key, { end_s }] of windows) if (end_s <= now_s) windows.delete(key);
        sweep_s = now_s + window_s;
      }
      let window = windows.get(address);
      if (!window) {
        if (windows.size >= ADDRESSES_MAX) windows.clear();
        window = { count: 0, end_s: now_s + window_s };
        windows.set(address, window);
      } else if (window.end_s <= now_s) {
        window.count = 0;
        window.end_s = now_s + window_s;
      }
      if (window.count >= max) return window.end_s - now_s;
      window.count += 1;
      return undefined;
    },
  };
}
