import { addSeconds, formatInstant, instantMs } from '../../../base/instants.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { treeOf } from '../../../contract/store/audience-trees.ts';
import {
  AUDIENCE_PROCESSING,
  AUDIENCE_REMATCHING,
  type MatchingStrategy,
  type ProcessedAudience,
  roundedPeople,
  type Subject,
} from '../../../contract/store/audiences.ts';
import { type StoredAudience, subjectOf } from '../../../contract/store/custom-audiences.ts';
import { type BuiltFiles, FETCHED_WITHIN_S, filesTag, OBJECT_REMOVAL } from '../../../contract/store/derived-files.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';

interface Outcome {
  readonly audience: StoredAudience;
  /** Undefined if it was deleted. */
  readonly processed: ProcessedAudience | undefined;
  readonly size_min: number;
  readonly delay_s: number;
  readonly strategy: MatchingStrategy;
}

/** Interval at which audiences are matched again, because users become inactive without an event. @source decision 286 */
const REMATCH_S = 86_400;
/** Number of uploads of a deleted audience removed in one unit of work, because other writers wait for it. */
const UPLOADS_PER_UNIT = 16;

/**
 * Processes an audience or list: merges uploads, matches the directory, counts, and stores the result. Then schedules
 * itself for the next possible change of the size, and the audiences that combine it.
 * @source creatives 18.3
 */
export const audienceProcessing: JobKind<Outcome | undefined> = {
  name: AUDIENCE_PROCESSING,
  lane: 'long',
  async prepare({ key }, services, signal) {
    const {
      store,
      audiences: { members: memberships, rules: audiences },
    } = services;
    const audience = await store.read((tx) => tx.audiences.find(key as Subject));
    if (!audience) return undefined;
    if (audience.deleted) await memberships.forget(audience.subject);
    return {
      audience,
      processed: audience.deleted ? undefined : await processAudience(audience, services, signal),
      size_min: audiences.size_min,
      delay_s: audiences.processing_delay_s(audience.environment),
      strategy: audiences.strategy(audience.environment),
    };
  },
  async store(tx, { key, kind }, outcome, now) {
    if (!outcome) return;
    const { audience, processed } = outcome;
    for (const id of await tx.audiences.listBuiltFrom(audience.id)) {
      await tx.jobs.planNoLaterThan({ kind, key: subjectOf('audience', id), run_at: now });
    }
    const isGone = (await tx.audiences.find(audience.subject))?.deleted !== 0;
    if (processed && !isGone) {
      await storeSize(tx, { ...outcome, processed }, now);
      await recordFiles(tx, audience.subject, processed.built, now);
      return;
    }
    await removeFiles(tx, audience.subject, processed?.built, now);
    if (!(await tx.audienceLog.remove(audience.subject, UPLOADS_PER_UNIT))) {
      await tx.jobs.planNoLaterThan({ kind, key, run_at: now });
    }
  },
};

function processAudience(
  { subject, environment, segments }: StoredAudience,
  { clock, audiences: { members: memberships, rules: audiences } }: Services,
  signal: AbortSignal,
): Promise<ProcessedAudience> {
  const now = Math.floor(clock.now() / 1000);
  const strategy = audiences.strategy(environment);
  return segments === null
    ? memberships.mergeAndCount(subject, strategy, now, signal)
    : memberships.countTree(treeOf(segments), strategy, now, signal);
}

/** Records files for all nodes. Those of a leaf may have been replaced by its own job in the meantime. */
async function recordFiles(
  tx: WriteTransaction,
  subject: Subject,
  built: readonly BuiltFiles[],
  now: string,
): Promise<void> {
  for (const each of built) {
    const outcome = await tx.derivedFiles.record(each, now);
    if (outcome === 'recorded') {
      tx.invalidate(filesTag(each.owner));
      const run_at = addSeconds(now, FETCHED_WITHIN_S);
      await tx.jobs.planNoLaterThan({ kind: OBJECT_REMOVAL, key: 'all', run_at });
    } else if (outcome === 'refused' && each.owner === subject) {
      await tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subject, run_at: now });
    }
  }
}

/** Removes the files of a deleted audience: objects by a job, copies on each node by invalidation. */
async function removeFiles(
  tx: WriteTransaction,
  subject: Subject,
  built: readonly BuiltFiles[] | undefined,
  now: string,
): Promise<void> {
  const own = built?.find(({ owner }) => owner === subject);
  if ((await tx.derivedFiles.remove(subject, own, now)) > 0) {
    await tx.jobs.planNoLaterThan({ kind: OBJECT_REMOVAL, key: 'all', run_at: now });
  }
  tx.invalidate(filesTag(subject));
}

async function storeSize(
  tx: WriteTransaction,
  { audience, processed, size_min, delay_s, strategy }: Outcome & { readonly processed: ProcessedAudience },
  now: string,
): Promise<void> {
  const { subject } = audience;
  const { size, merged, next_change_at = Number.POSITIVE_INFINITY } = processed;
  const last = await tx.audienceLog.find(subject);
  // An upload during this run did not schedule another job.
  const isBehind = last !== undefined && last.number > merged;
  const waiting = isBehind ? await tx.audienceLog.find(subject, merged + 1) : undefined;
  const isTargetable = size >= size_min;
  // Exact numbers are not revealed: by comparing two audiences, one could test whether an address is in the directory.
  const rounded = strategy === 'directory' ? roundedPeople(size) : size;
  const reported = { is_targetable: isTargetable ? 1 : 0, size: isTargetable ? rounded : null } as const;
  await tx.audiences.storeState(subject, { is_processing: isBehind ? 1 : 0, ...reported }, now);
  const now_s = instantMs(now) / 1000;
  const soonest_s = waiting
    ? Math.max(now_s, waiting.accepted_at + delay_s)
    : Math.min(next_change_at, strategy === 'directory' ? now_s + REMATCH_S : Number.POSITIVE_INFINITY);
  if (!Number.isFinite(soonest_s)) return;
  await tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subject, run_at: formatInstant(soonest_s * 1000) });
}

/** Number of jobs scheduled in one unit of work, because other writers wait for it. */
const JOBS_PER_UNIT = 500;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** Schedules the processing of all matched audiences after a change of the directory, in steps. @source decision 286 */
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
