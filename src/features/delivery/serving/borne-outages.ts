import { elapsed_ms, pause } from '../../../base/timers.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { BorneOutages } from '../../../contract/services/serving.ts';

/**
 * How often a decision waits for a reply of the database, a second in all; once while the database is known to be away. A
 * process without processor time waits longer, because then the delay is not the database's. @source decision 1226
 */
const WAITS_MAX = 20;
const WAIT_MS = 50;
/** How long decisions are made from memory. Promises of budgets are kept as long. @source decision 1226 */
const BORNE_MS = 60_000;

/** Notes since when the database does not answer. */
export function borneOutages(waitsMax = WAITS_MAX, now_ms: () => number = elapsed_ms): BorneOutages {
  let since_ms: number | undefined;
  return {
    async wait(work) {
      let isDone = false;
      const answered = work.then(
        () => {
          since_ms = undefined;
          isDone = true;
          return undefined;
        },
        (error: Error) => {
          isDone = true;
          return error;
        },
      );
      const late = async (): Promise<Error | undefined> => {
        for (let waits = since_ms === undefined ? waitsMax : 1; waits > 0 && !isDone; waits--) await pause(WAIT_MS);
        return isDone ? answered : new StoreUnavailable(new Error('the database does not answer in time'));
      };
      const failure = await Promise.race([answered, late()]);
      if (!failure) return true;
      if (!(failure instanceof StoreUnavailable)) throw failure;
      since_ms ??= now_ms();
      if (now_ms() - since_ms >= BORNE_MS) throw failure;
      return false;
    },
  };
}
