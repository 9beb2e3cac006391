import { formatInstant, instantMs } from '../../base/instants.ts';
import { KEYWORD_INDEXING } from '../../contract/services/keywords.ts';
import type { JobKind } from '../../contract/store/jobs.ts';

/** Steps of one job: a job of minutes would be repeated as a whole when it is interrupted. */
const STEPS = 5;
/** Period when there are no new posts, so that old posts expire. */
const IDLE_PERIOD_S = 3600;

/** Brings the index of posts up to date and removes expired posts. */
export const keywordIndexing: JobKind<boolean> = {
  name: KEYWORD_INDEXING,
  isLong: true,
  async prepare(_, { keywords }, signal) {
    for (let steps = 0; steps < STEPS; steps++) {
      signal.throwIfAborted();
      if (!(await keywords.indexNext())) return false;
    }
    return true;
  },
  async store(tx, { kind, key }, isMore, now) {
    const run_at = isMore ? now : formatInstant(instantMs(now) + IDLE_PERIOD_S * 1000);
    await tx.jobs.planNoLaterThan({ kind, key, run_at });
  },
};
