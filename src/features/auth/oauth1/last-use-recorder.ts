import { formatInstant } from '../../../base/instants.ts';
import type { Store } from '../../../contract/store/store.ts';

const DAY_S = 86_400;

/** A token in use, and the stored day of its last use, in days since 1970; 0 before the first. */
export interface TokenInUse {
  readonly principal: { readonly tokenId: string };
  lastUseDay: number;
}

/** Records the day on which tokens are used, so that users can see which access is idle. */
export interface LastUseRecorder {
  /** Does nothing but a comparison, except for the first use of a day. */
  record(token: TokenInUse, now_s: number): void;
}

/** Records uses in a store, in batches and in the background: no request waits for it. @source decision 103 */
export function lastUseRecorder(store: Store): LastUseRecorder {
  let waiting: string[] = [];
  let waitingDay = 0;
  const flush = (): void => {
    const [ids, day] = [waiting, dayText(waitingDay)];
    waiting = [];
    // After a failure, the use is recorded when the token is next read from the store, or the next day.
    store.write((tx) => tx.credentials.recordUse(ids, day)).catch(() => undefined);
  };
  return {
    record(token, now_s) {
      const day = Math.floor(now_s / DAY_S);
      if (token.lastUseDay === day) return;
      token.lastUseDay = day;
      if (waiting.length > 0 && waitingDay !== day) flush();
      waitingDay = day;
      if (waiting.push(token.principal.tokenId) === 1) queueMicrotask(flush);
    },
  };
}

/** The day of a stored use, in days since 1970; 0 for none. */
export function dayNumber(lastUsed: string | null): number {
  return lastUsed === null ? 0 : Date.parse(lastUsed) / (DAY_S * 1000);
}

function dayText(day: number): string {
  return formatInstant(day * DAY_S * 1000).slice(0, 10);
}
