import { addSeconds } from '../../base/instants.ts';
import { INDEXING_JOBS, type IndexChange, type IndexStep, KEYWORD_INDEXING } from '../../contract/services/keywords.ts';
import { FETCHED_WITHIN_S, filesTag, OBJECT_REMOVAL } from '../../contract/store/derived-files.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { INDEX_FILES } from './index-files.ts';

/** Period without new posts, so that old posts expire. */
const IDLE_PERIOD_S = 3600;
/** Pages removed per transaction, for which other writers wait. */
const PAGES_PER_UNIT = 50;

/**
 * Brings the index of posts up to date, a step at a time, and removes expired posts. A step takes seconds, and is
 * recorded in the unit of work that ends it.
 * @source decision 815
 */
export const keywordIndexing: JobKind<IndexStep> = {
  name: KEYWORD_INDEXING,
  // Searches wait for it. @source decision 821
  lane: 'alone',
  prepare: ({ key }, { keywords }, signal) => (key === INDEXING_JOBS.check ? keywords.check() : keywords.build(signal)),
  async store(tx, { kind, key }, { change, firstDay }, now) {
    let isMore = key === INDEXING_JOBS.check;
    if (change) {
      await recordChange(tx, change, now);
      isMore = true;
    } else if (key === INDEXING_JOBS.build) {
      await tx.posts.adoptForeign();
      isMore = (await tx.removeOldest('corpus_pages', firstDay, PAGES_PER_UNIT)) > 0;
    }
    const run_at = isMore ? now : addSeconds(now, IDLE_PERIOD_S);
    await tx.jobs.planNoLaterThan({ kind, key: INDEXING_JOBS.build, run_at });
  },
};

/**
 * Records a change. If the index was changed by others meanwhile, nothing happens: the new objects are removed when they
 * are due.
 */
async function recordChange(tx: WriteTransaction, change: IndexChange, now: string): Promise<void> {
  const { former, manifest, added, replaced } = change;
  if (!(await tx.corpus.replaceIndex(former, manifest))) return;
  if (!(await tx.derivedFiles.exchange(added, replaced, now))) {
    throw new Error('segments of the index were stored too long ago to be recorded');
  }
  tx.invalidate(filesTag(INDEX_FILES));
  if (replaced.length === 0) return;
  const run_at = addSeconds(now, FETCHED_WITHIN_S);
  await tx.jobs.planNoLaterThan({ kind: OBJECT_REMOVAL, key: 'all', run_at });
}
