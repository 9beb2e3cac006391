import { formatInstant, instantMs } from '../../base/instants.ts';
import { KEYWORD_INDEXING } from '../../contract/services/keywords.ts';
import type { JobKind } from '../../contract/store/jobs.ts';

/** Steps of one job: it ends before its lease does, and another goes on. */
const STEPS = 5;
/** When there is nothing to do, it is looked again after so long: posts grow old. */
const AGAIN_S = 3600;

/** Brings the index of posts up to date, and forgets what is too old. */
export const keywordIndexing: JobKind<boolean> = {
  name: KEYWORD_INDEXING,
  isLong: true,
  async prepare(_, { keywords }) {
    for (let steps = 0; steps < STEPS; steps++) if (!(await keywords.indexNext())) return false;
    return true;
  },
  async store(tx, { kind, key }, isMore, now) {
    const run_at = isMore ? now : formatInstant(instantMs(now) + AGAIN_S * 1000);
    await tx.jobs.planNoLaterThan({ kind, key, run_at });
  },
};
