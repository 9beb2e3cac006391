import type { Clock } from '../../base/clock.ts';

/** Counts visits per address. @source authentication gaps 13 */
export interface VisitCounts {
  /** Undefined while the address may go on; otherwise the seconds to wait. */
  take(address: string): number | undefined;
}

const WINDOW_S = 900;

/** Counts in this process, in fixed windows. */
export function visitCounts(max: number, clock: Clock): VisitCounts {
  const windows = new Map<string, { count: number; end_s: number }>();
  let sweep_s = 0;
  return {
    take(address) {
      const now_s = Math.floor(clock.now() / 1000);
      if (now_s >= sweep_s) {
        for (const [key, { end_s }] of windows) if (end_s <= now_s) windows.delete(key);
        sweep_s = now_s + WINDOW_S;
      }
      let window = windows.get(address);
      if (!window || window.end_s <= now_s) {
        window = { count: 0, end_s: now_s + WINDOW_S };
        windows.set(address, window);
      }
      if (window.count >= max) return window.end_s - now_s;
      window.count += 1;
      return undefined;
    },
  };
}
