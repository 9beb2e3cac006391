import { type Counter, fixedWindows, type Windows } from '../base/windows.ts';
import type { LocalRateWindows, WindowCharge } from '../contract/services/rate-windows.ts';

/** Maximum number of open windows of callers and accounts, and of addresses. @source decision 471 */
const CALLERS_MAX = 200_000;
const ADDRESSES_MAX = 100_000;

/**
 * Creates rate windows in the memory of this process.
 * @param answeringNodes the number of processes that share the limits without a common count: each call counts as many times.
 * @source decision 67; decision 745
 */
export function memoryWindows(answeringNodes: () => number = () => 1): LocalRateWindows {
  const callers = fixedWindows(CALLERS_MAX);
  const addresses = fixedWindows(ADDRESSES_MAX);
  const windowsOf = (charge: WindowCharge): Windows => (charge.isOfAddress ? addresses : callers);
  const find: LocalRateWindows['find'] = (charge, now_s) => windowsOf(charge).find(charge.key, charge.window_s, now_s);
  return {
    find,
    take(charges, now_s) {
      const calls = answeringNodes();
      const windows: Counter[] = [];
      let isRefused = false;
      for (const charge of charges) {
        const window = windowsOf(charge).open(charge.key, charge.window_s, now_s);
        windows.push(window);
        if (window.used + calls > charge.limit) isRefused = true;
      }
      if (!isRefused) for (const window of windows) window.used += calls;
      return { isRefused, calls, windows };
    },
    peek: (charges, now_s) =>
      charges.map((charge) => find(charge, now_s) ?? { used: 0, reset_s: now_s + charge.window_s }),
    refund(charges, { windows, calls }) {
      charges.forEach((charge, at) => {
        const window = windowsOf(charge).last(charge.key);
        // A window that opened since has counted other calls.
        if (window && window.reset_s <= windows[at]!.reset_s) window.used -= calls;
      });
    },
    clear() {
      callers.clear();
      addresses.clear();
    },
    adopt(charge, { used, reset_s }, now_s) {
      const window = windowsOf(charge).open(charge.key, charge.window_s, now_s);
      window.used = used;
      window.reset_s = reset_s;
    },
  };
}
