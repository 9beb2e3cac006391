import type { Environment } from '../../../contract/declare/resource.ts';
import { AUDIENCE_PROCESSING, AUDIENCE_REMATCHING } from '../../../contract/store/audiences.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';

/** Audiences that are planned in one unit: others wait for it. */
const PLANNED_AT_ONCE = 500;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** Lets every audience whose size is counted in the directory meet one that changed, piece by piece. */
export const audienceRematching: JobKind<readonly Environment[]> = {
  name: AUDIENCE_REMATCHING,
  prepare: async (_, { audiences: { rules: audiences } }) =>
    ENVIRONMENTS.filter((each) => audiences.strategy(each) === 'directory'),
  async store(tx, { kind, key }, environments, now) {
    const found: string[] = [];
    for (const environment of environments)
      found.push(...(await tx.audiences.listUploaded(environment, key, PLANNED_AT_ONCE)));
    const next = found.sort().slice(0, PLANNED_AT_ONCE);
    for (const id of next) {
      await tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subjectOf('audience', id), run_at: now });
    }
    if (next.length === PLANNED_AT_ONCE) await tx.jobs.planNoLaterThan({ kind, key: next.at(-1)!, run_at: now });
  },
};
