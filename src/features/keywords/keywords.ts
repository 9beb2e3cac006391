import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { openThread } from '../../base/threads.ts';
import { within } from '../../base/timers.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { Keywords } from '../../contract/services/keywords.ts';
import type { Store } from '../../contract/store/store.ts';
import { createIndexing, type IndexingDependencies } from './indexing.ts';
import type { IndexingCalls } from './indexing-worker.ts';
import { indexablePosts, listLocalPosts } from './local-posts.ts';
import { emptyManifest, type Manifest, readManifest } from './manifest.ts';
import { DAY_S } from './post-page.ts';
import type { SearchCalls, SearchScope } from './search-worker.ts';

/** Dependencies of keyword search. */
export interface KeywordDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The folder of the index; created when missing. */
  readonly folder: string;
  /** Posts of earlier days are not counted. @source decision 319 */
  readonly retention_days: number;
  /** Memory for loaded segments. */
  readonly memory_bytes_max: number;
  /** How long a search waits for indexing; shorter only in tests. */
  readonly wait_ms_max?: number;
}

/** How long a search waits for indexing: less than the usual timeout of clients. @source decision 318 */
const WAIT_MS_MAX = 12_000;
const RETRY_S = 5;
/** A node that searches removes expired days at least this often. */
const INDEXED_EVERY_MS = 3_600_000;
/** Attempts at a search: a segment may be replaced after the search was planned and before it is read. */
const TRIES = 3;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** The folder of the index below the data folder. */
export function keywordsFolder(dataFolder: string): string {
  return join(dataFolder, 'keywords');
}

/** Opens keyword search over an index that is derived from the database; threads start on first use. */
export function openKeywords(parts: KeywordDependencies): Keywords {
  const { store, clock, folder, retention_days, memory_bytes_max, wait_ms_max = WAIT_MS_MAX } = parts;
  const thread = openThread<IndexingCalls>(new URL('./indexing-worker.ts', import.meta.url), { niceness: 2 });
  const searching = openThread<SearchCalls>(new URL('./search-worker.ts', import.meta.url));
  const index = createIndexing({ ...parts, thread, firstDay } satisfies IndexingDependencies);
  let known: Manifest | undefined;

  function firstDay(): number {
    return Math.floor(clock.now() / 1000 / DAY_S) - retention_days;
  }

  /**
   * A manifest that covers all imported posts stored so far; recent local posts may be missing.
   * @source decision 318
   */
  async function covering(): Promise<Manifest> {
    const { pages, mark } = await store.read((tx) => tx.corpus.findState());
    if (mark === '') return emptyManifest('', '');
    const current = (): Manifest | undefined => {
      known ??= readManifest(folder);
      const manifest = index.manifest() ?? known;
      return manifest?.mark === mark ? manifest : undefined;
    };
    // Local posts alone need no index.
    const isCovered = (): boolean => (current()?.pages ?? 0) >= pages;
    if (!isCovered()) {
      const work = (async () => {
        while (!isCovered()) await index.advance();
      })();
      await within(wait_ms_max, work).catch((error: Error) => {
        throw new Problem([{ problem: 'UNAVAILABLE' }], { because: error.message, retryAfter_s: RETRY_S });
      });
    }
    return current() ?? emptyManifest(mark, '');
  }

  let indexing: Promise<void> | undefined;
  let indexedAt_ms = Number.NEGATIVE_INFINITY;
  /**
   * Brings the index of this node up to date: the job does that only on the node that takes it. Searches do not wait for
   * it: they scan new local posts meanwhile.
   * @source decision 797
   */
  function beginIndexing(): void {
    indexing ??= (async () => {
      while (await index.advance());
      indexedAt_ms = clock.now();
    })()
      // The next search tries again.
      .catch(() => undefined)
      .finally(() => {
        indexing = undefined;
      });
  }

  async function searched(environment: Environment, from: number, to: number): Promise<SearchScope> {
    const manifest = await covering();
    const days = [Math.max(Math.floor(from / DAY_S), firstDay()), Math.ceil(to / DAY_S)] as const;
    const made = await listLocalPosts(store, environment, manifest.localPosts[environment]);
    const isOld = Math.abs(clock.now() - indexedAt_ms) > INDEXED_EVERY_MS;
    if (isOld || indexablePosts(made, Number.POSITIVE_INFINITY).length > 0) beginIndexing();
    const unindexed = made.filter(({ created_at }) => created_at >= days[0] * DAY_S && created_at < days[1] * DAY_S);
    return { folder, manifest, environment, days, unindexed, memory_bytes_max };
  }

  /** Retries when files were replaced meanwhile; rebuilds a damaged index. */
  async function asking<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof Problem || tries === TRIES) throw error;
        await index.check();
        known = undefined;
      }
    }
  }

  const isEmpty = ({ manifest, unindexed }: SearchScope): boolean =>
    manifest.segments.length === 0 && unindexed.length === 0;

  return {
    search: (question) =>
      asking(async () => {
        const on = await searched(question.environment, question.from, question.to);
        if (isEmpty(on)) {
          const buckets = Math.ceil((question.to - question.from) / question.bucket_s);
          return { volume: new Array<number>(buckets).fill(0), related: [] };
        }
        // Expired days count nothing, even while their segments still exist.
        return searching.call('search', { searched: on, question });
      }),
    authorsOf: (environment, groups) =>
      asking(async () => {
        if (groups.every((group) => group.length === 0)) return groups.map(() => new BigUint64Array());
        const on = await searched(environment, 0, FOREVER);
        if (isEmpty(on)) return groups.map(() => new BigUint64Array());
        return searching.call('speakers', { searched: on, groups });
      }),
    indexNext: () => index.advance(),
    async close() {
      await index.close();
      await indexing;
      await Promise.all([thread.close(), searching.close()]);
    },
  };
}
