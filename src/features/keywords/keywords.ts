import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { openThread } from '../../base/threads.ts';
import { elapsed_ms, every, pause, within } from '../../base/timers.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { DerivedObjects } from '../../contract/services/derived-files.ts';
import { INDEXING_JOBS, KEYWORD_INDEXING, type Keywords } from '../../contract/services/keywords.ts';
import { EVERYTHING } from '../../contract/store/cache-changes.ts';
import type { CorpusState } from '../../contract/store/corpus.ts';
import { filesTag } from '../../contract/store/derived-files.ts';
import type { Store } from '../../contract/store/store.ts';
import { createIndexBuilder, type IndexBuilderParts } from './index-builder.ts';
import { INDEX_FILES, IndexFileMissing, indexFiles } from './index-files.ts';
import type { IndexingCalls } from './indexing-worker.ts';
import { indexablePosts, listLocalPosts } from './local-posts.ts';
import { emptyManifest, type Manifest, parseManifest } from './manifest.ts';
import { DAY_S } from './post-page.ts';
import type { SearchCalls, SearchScope } from './search-worker.ts';

/** Dependencies of keyword search. */
export interface KeywordDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The files of the index as objects. */
  readonly derived: DerivedObjects;
  /** The folder of what this machine has of the index; created when missing. */
  readonly folder: string;
  /** Whether this node searches: then it fetches the whole index as it grows. */
  readonly isSearching: boolean;
  /** Runs a job that is due, if this node is a worker. */
  readonly runNow: (kind: string, key: string) => Promise<void>;
  /** Posts of earlier days are not counted. @source decision 319 */
  readonly retention_days: number;
  /** Memory for loaded segments. */
  readonly memory_bytes_max: number;
  /** How long a search waits for indexing; shorter only in tests. */
  readonly wait_ms_max?: number;
  /** After how long copies that could not be fetched or removed are tried again; shorter only in tests. */
  readonly refresh_ms?: number;
}

/** How long a search waits for indexing: less than the usual timeout of clients. @source decision 318 */
const WAIT_MS_MAX = 12_000;
const RETRY_S = 5;
/** How often a search that waits looks for what other nodes have indexed. */
const LOOK_MS = 100;
/** Searches ask for the indexing of local posts at most this often. */
const ASKED_EVERY_MS = 1000;
const REFRESH_MS = 60_000;
/** Attempts at a search of one index: its files may be gone, or damaged. */
const TRIES = 3;
/** Attempts at a search in all: the index may be replaced after each was planned and before it has read the files. */
const TRIES_MAX = 10;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** The folder of the index below the data folder. */
export function keywordsFolder(dataFolder: string): string {
  return join(dataFolder, 'keywords');
}

/** A manifest, and the revision in which it was recorded. */
interface KnownIndex {
  readonly revision: number;
  readonly manifest: Manifest;
}

/** Opens keyword search over an index that workers build from the database; threads start on first use. */
export function openKeywords(parts: KeywordDependencies): Keywords {
  const { store, clock, folder, retention_days, memory_bytes_max, wait_ms_max = WAIT_MS_MAX } = parts;
  const thread = openThread<IndexingCalls>(new URL('./indexing-worker.ts', import.meta.url), { niceness: 2 });
  const searching = openThread<SearchCalls>(new URL('./search-worker.ts', import.meta.url));
  const files = indexFiles(parts.derived);
  const building = join(folder, 'building');
  const builder = createIndexBuilder({
    ...parts,
    files,
    thread,
    firstDay,
    folder: building,
  } satisfies IndexBuilderParts);
  let known: KnownIndex | undefined;
  /** The last one of which everything that a search needed was here. */
  let served: KnownIndex | undefined;
  let sentRevision = -1;

  function firstDay(): number {
    return Math.floor(clock.now() / 1000 / DAY_S) - retention_days;
  }

  /** The recorded index of a corpus; an empty one when it has none. */
  async function indexOf({ mark, revision }: CorpusState): Promise<KnownIndex> {
    if (known?.revision !== revision) {
      const found = await store.read((tx) => tx.corpus.findIndex());
      known = found && { revision: found.revision, manifest: parseManifest(found.manifest) };
    }
    return known?.manifest.mark === mark ? known : { revision: 0, manifest: emptyManifest(mark, '') };
  }

  /** Plans a job for now, unless it is due already. */
  async function planJob(key: string): Promise<void> {
    const now = formatInstant(clock.now());
    const run_at = await store.read((tx) => tx.jobs.find(KEYWORD_INDEXING, key));
    if (run_at === undefined || run_at > now) {
      await store.write((tx) => tx.jobs.planNoLaterThan({ kind: KEYWORD_INDEXING, key, run_at: now }));
    }
  }

  /** Plans a job for now, and runs it if this node is a worker. */
  async function runJob(key: string): Promise<void> {
    await planJob(key);
    await parts.runNow(KEYWORD_INDEXING, key);
  }

  const unavailable = (error: Error): never => {
    throw new Problem([{ problem: 'UNAVAILABLE' }], { because: error.message, retryAfter_s: RETRY_S });
  };

  const readIndex = async (): Promise<KnownIndex> => indexOf(await store.read((tx) => tx.corpus.findState()));
  let looking: Promise<KnownIndex> | undefined;
  /** What is recorded a moment later; all that wait look together. */
  function look(): Promise<KnownIndex> {
    looking ??= pause(LOOK_MS)
      .then(readIndex)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  /**
   * An index that covers all imported posts stored so far; recent local posts may be missing.
   * @source decision 318
   */
  async function covering(): Promise<KnownIndex> {
    const state = await store.read((tx) => tx.corpus.findState());
    if (state.mark === '') return { revision: 0, manifest: emptyManifest('', '') };
    let current = await indexOf(state);
    const isCovered = (): boolean => current.manifest.pages >= state.pages;
    if (isCovered()) return current;
    let isWaiting = true;
    const work = (async () => {
      await planJob(INDEXING_JOBS.build);
      // There may be more to do than what this search waits for.
      const ended = parts.runNow(KEYWORD_INDEXING, INDEXING_JOBS.build).then(readIndex);
      current = await Promise.race([ended, look()]);
      while (isWaiting && !isCovered()) current = await look();
    })();
    await within(wait_ms_max, work)
      .catch(unavailable)
      .finally(() => {
        isWaiting = false;
      });
    return current;
  }

  let asking: Promise<void> | undefined;
  let askedAt_ms = Number.NEGATIVE_INFINITY;
  /** Has local posts indexed, once there are many: searches do not wait for it, they scan them meanwhile. */
  function askForIndexing(): void {
    if (elapsed_ms() - askedAt_ms < ASKED_EVERY_MS) return;
    asking ??= runJob(INDEXING_JOBS.build)
      // A later search asks again.
      .catch(() => undefined)
      .finally(() => {
        asking = undefined;
        askedAt_ms = elapsed_ms();
      });
  }

  /** Has the index checked, because files are missing or damaged; resolves when that has been done. @source decision 819 */
  async function awaitCheck(): Promise<void> {
    let isWaiting = true;
    const work = (async () => {
      await runJob(INDEXING_JOBS.check);
      const isPlanned = async (): Promise<boolean> =>
        (await store.read((tx) => tx.jobs.find(KEYWORD_INDEXING, INDEXING_JOBS.check))) !== undefined;
      while (isWaiting && (await isPlanned())) await pause(LOOK_MS);
    })();
    await within(wait_ms_max, work)
      .catch(unavailable)
      .finally(() => {
        isWaiting = false;
      });
  }

  async function scopeOf(index: KnownIndex, environment: Environment, from: number, to: number): Promise<SearchScope> {
    const { manifest, revision } = index;
    const days = [Math.max(Math.floor(from / DAY_S), firstDay()), Math.ceil(to / DAY_S)] as const;
    const entries = manifest.segments.filter(
      ({ scope, day }) => (scope === 'both' || scope === environment) && day >= days[0] && day < days[1],
    );
    const [segments, termPaths] = [await files.pathsOf(entries), await files.pathsOf(manifest.terms)];
    served = index;
    const made = await listLocalPosts(store, environment, manifest.localPosts[environment]);
    if (indexablePosts(made, Number.POSITIVE_INFINITY).length > 0) askForIndexing();
    // The thread is told of removed segments once.
    const current = sentRevision === revision ? undefined : files.listKnown(manifest);
    sentRevision = revision;
    return {
      edition: manifest.edition,
      terms: manifest.terms.map(({ from, terms, units }, at) => ({ path: termPaths[at]!, from, terms, units })),
      ...{ segments, current, memory_bytes_max },
      // Expired days count nothing, even while their segments still exist.
      unindexed: made.filter(({ created_at }) => created_at >= days[0] * DAY_S && created_at < days[1] * DAY_S),
    };
  }

  /** While the object store is away, a former index will do that has the same posts. @source decision 818 */
  async function searched(environment: Environment, from: number, to: number): Promise<SearchScope> {
    const index = await covering();
    const former = served;
    try {
      return await scopeOf(index, environment, from, to);
    } catch (error) {
      const { mark, pages } = index.manifest;
      const isEqual = former && former.manifest.mark === mark && former.manifest.pages >= pages;
      if (!(error instanceof StoreUnavailable && isEqual)) throw error;
      return scopeOf(former, environment, from, to);
    }
  }

  /** Retries when files were replaced meanwhile; has a damaged index built anew. */
  async function retrying<T>(ask: () => Promise<T>): Promise<T> {
    let failed = { revision: -1, tries: 0 };
    for (let tries = 1; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof Problem) throw error;
        files.forget();
        known = undefined;
        const { revision } = await readIndex();
        failed = { revision, tries: revision === failed.revision ? failed.tries + 1 : 1 };
        if (failed.tries === TRIES || tries === TRIES_MAX) {
          throw error instanceof IndexFileMissing ? unavailable(error) : error;
        }
        if (failed.tries > 1) await awaitCheck();
      }
    }
  }

  let refreshing: Promise<unknown> = Promise.resolve();
  let isStale = false;
  const refresh = (): void => {
    const work = async (): Promise<void> => {
      isStale = true;
      await removeFormerFormat(folder);
      await files.refresh(async () => (await readIndex()).manifest, parts.isSearching);
      isStale = false;
    };
    refreshing = refreshing.then(work).catch(() => undefined);
  };
  store.onInvalidate(['files'], (changes) => {
    if (changes === EVERYTHING) {
      known = undefined;
      sentRevision = -1;
    }
    if (changes === EVERYTHING ? store.fence : changes.has(filesTag(INDEX_FILES))) refresh();
  });
  const stopRefreshing = every(parts.refresh_ms ?? REFRESH_MS, () => {
    if (isStale) refresh();
  });

  const isEmpty = ({ segments, unindexed }: SearchScope): boolean => segments.length === 0 && unindexed.length === 0;

  return {
    search: (question) =>
      retrying(async () => {
        const on = await searched(question.environment, question.from, question.to);
        if (isEmpty(on)) {
          const buckets = Math.ceil((question.to - question.from) / question.bucket_s);
          return { volume: new Array<number>(buckets).fill(0), related: [] };
        }
        return searching.call('search', { searched: on, question });
      }),
    authorsOf: (environment, groups) =>
      retrying(async () => {
        if (groups.every((group) => group.length === 0)) return groups.map(() => new BigUint64Array());
        const on = await searched(environment, 0, FOREVER);
        if (isEmpty(on)) return groups.map(() => new BigUint64Array());
        return searching.call('speakers', { searched: on, groups });
      }),
    build: builder.build,
    check: builder.check,
    refresh,
    async close() {
      stopRefreshing();
      await refreshing;
      await asking;
      await builder.close();
      await Promise.all([thread.close(), searching.close()]);
    },
  };
}

/** Removes the index of releases that had its manifest in the folder. */
async function removeFormerFormat(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (/^(manifest\.json(\.new)?|[0-9a-f]{16})$/.test(name))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
