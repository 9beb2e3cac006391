import { formatInstant } from '../../../base/instants.ts';
import type { Store } from '../../../contract/store/store.ts';

const DAY_S = 86_400;

/** A token in use, and the day of its last use that is stored, counted from 1970; 0 before the first. */
export interface TokenInUse {
  readonly principal: { readonly tokenId: string };
  lastUseDay: number;
}

/** Notes on which day tokens are used, so that users can see which access is idle. */
export interface LastUseRecorder {
  /** Costs a comparison on every use but the first of a day. */
  record(token: TokenInUse, now_s: number): void;
}

/** Notes uses in a store, together and beside the requests: nobody waits for them. */
export function lastUseRecorder(store: Store): LastUseRecorder {
  let waiting: string[] = [];
  let waitingDay = 0;
  const flush = (): void => {
    const [ids, day] = [waiting, dayText(waitingDay)];
    waiting = [];
    // What could not be noted is noted when the token is read again or the next day.
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

/** The day of a stored use, counted from 1970; 0 for none. */
export function dayNumber(lastUsed: string | null): number {
  return lastUsed === null ? 0 : Date.parse(lastUsed) / (DAY_S * 1000);
}

function dayText(day: number): string {
  return formatInstant(day * DAY_S * 1000).slice(0, 10);
}
