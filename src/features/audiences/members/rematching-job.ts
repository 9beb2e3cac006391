import type { Environment } from '../../../contract/declare/account-state.ts';
import { AUDIENCE_PROCESSING, AUDIENCE_REMATCHING } from '../../../contract/store/audiences.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';

/** Jobs planned in one unit of work: other writers wait for it. */
const JOBS_PER_UNIT = 500;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/**
 * After a change of the directory, schedules the processing of every audience that is matched with it, in steps.
 * @source decision 286
 */
export const audienceRematching: JobKind<readonly Environment[]> = {
  name: AUDIENCE_REMATCHING,
  prepare: async (_, { audiences: { rules: audiences } }) =>
    ENVIRONMENTS.filter((each) => audiences.strategy(each) === 'directory'),
  async store(tx, { kind, key }, environments, now) {
    const found: string[] = [];
    for (const environment of environments)
      found.push(...(await tx.audiences.listUploaded(environment, key, JOBS_PER_UNIT)));
    const next = found.sort().slice(0, JOBS_PER_UNIT);
    for (const id of next) {
      await tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subjectOf('audience', id), run_at: now });
    }
    if (next.length === JOBS_PER_UNIT) await tx.jobs.planNoLaterThan({ kind, key: next.at(-1)!, run_at: now });
  },
};
