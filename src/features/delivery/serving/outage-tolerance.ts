import { elapsed_ms, pause } from '../../../base/timers.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { OutageTolerance } from '../../../contract/services/serving.ts';

/**
 * Number of timer ticks that a decision waits for the database, a second in all; one during a known outage. Ticks
 * instead of a deadline, because a process short of processor time is slow without fault of the database.
 * @source decision 1226
 */
const WAITS_MAX = 20;
const WAIT_MS = 50;
/** How long decisions use data in memory; equal to the expiry of budget reservations. @source decision 1226 */
const TOLERATED_MS = 60_000;

/** Tracks how long the database has been unreachable. */
export function outageTolerance(waitsMax = WAITS_MAX, now_ms: () => number = elapsed_ms): OutageTolerance {
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
      if (now_ms() - since_ms >= TOLERATED_MS) throw failure;
      return false;
    },
  };
}
