import { addressBlock } from '../base/address-block.ts';
import type { Clock } from '../base/clock.ts';
import { fixedWindows } from '../base/windows.ts';

/** Counts requests per address, IPv6 per /64. @source authentication 1.3 and 13; decision 470 */
export interface AddressLimiter {
  readonly max: number;
  /** Counts a request; undefined while the address is within its limit, otherwise the seconds to wait. */
  take(address: string): number | undefined;
  /** Resets the windows of all addresses. */
  reset(): void;
}

/** Maximum number of addresses with an open window. @source decision 471 */
const ADDRESSES_MAX = 100_000;

/** Creates a limiter that counts in the memory of this process. */
export function addressLimiter(
  limit: { readonly max: number; readonly window_s: number },
  clock: Clock,
): AddressLimiter {
  const { max, window_s } = limit;
  const windows = fixedWindows(ADDRESSES_MAX);
  return {
    max,
    reset: () => windows.clear(),
    take(address) {
      const now_s = Math.floor(clock.now() / 1000);
      const window = windows.open(addressBlock(address), window_s, now_s);
      if (window.used >= max) return window.reset_s - now_s;
      window.used += 1;
      return undefined;
    },
  };
}
