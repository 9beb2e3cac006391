import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { openThread } from '../../base/threads.ts';
import { within } from '../../base/timers.ts';
import type { Environment } from '../../contract/declare/resource.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { KEYWORD_INDEXING, type Keywords } from '../../contract/services/keywords.ts';
import type { Store } from '../../contract/store/store.ts';
import { type IndexingParts, indexing } from './indexing.ts';
import type { IndexingAnswers } from './indexing-worker.ts';
import { postsMadeHere, settledOf } from './local-posts.ts';
import { emptyManifest, type Manifest, readManifest } from './manifest.ts';
import { DAY_S } from './post-page.ts';
import type { SearchAnswers, Searched } from './search-worker.ts';

/** What keywords are searched with. */
export interface KeywordParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the index is kept; made when it is not there. */
  readonly folder: string;
  /** Posts of days that are longer ago count no more. */
  readonly retention_days: number;
  /** Memory of what is searched. */
  readonly memory_bytes_max: number;
  /** How long a question waits for what is being indexed; less only for trials. */
  readonly patience_ms?: number;
}

/** Less than clients wait for an answer. */
const PATIENCE_MS = 12_000;
const RETRY_S = 5;
/** A segment may be gone when it is looked for: another has taken its place. */
const TRIES = 3;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** The folder of the index in a data folder. */
export function keywordsFolder(dataFolder: string): string {
  return join(dataFolder, 'keywords');
}

/** Opens the search of posts: threads that start when they are first needed, over an index that is made from the database. */
export function openKeywords(parts: KeywordParts): Keywords {
  const { store, clock, folder, retention_days, memory_bytes_max, patience_ms = PATIENCE_MS } = parts;
  const thread = openThread<IndexingAnswers>(new URL('./indexing-worker.ts', import.meta.url), { niceness: 2 });
  const searching = openThread<SearchAnswers>(new URL('./search-worker.ts', import.meta.url));
  const index = indexing({ ...parts, thread, firstDay } satisfies IndexingParts);
  let known: Manifest | undefined;

  function firstDay(): number {
    return Math.floor(clock.now() / 1000 / DAY_S) - retention_days;
  }

  /** An index that has everything that was stored so far, but for posts that were made here of late. */
  async function covering(): Promise<Manifest> {
    const { pages, mark } = await store.read((tx) => tx.corpus.findState());
    if (mark === '') return emptyManifest('', '');
    const current = (): Manifest | undefined => {
      known ??= readManifest(folder);
      const manifest = index.manifest() ?? known;
      return manifest?.mark === mark ? manifest : undefined;
    };
    // Of posts that were made here alone no index is needed.
    const isCovered = (): boolean => (current()?.pages ?? 0) >= pages;
    if (!isCovered()) {
      const work = (async () => {
        while (!isCovered()) await index.advance();
      })();
      await within(patience_ms, work).catch((error: Error) => {
        throw new Problem([{ problem: 'UNAVAILABLE' }], { because: error.message, retryAfter_s: RETRY_S });
      });
    }
    return current() ?? emptyManifest(mark, '');
  }

  /** Nobody waits for posts that were made here to be indexed; they are looked through until they are. */
  function planIndexing(): Promise<void> {
    const run_at = formatInstant(clock.now());
    return store.write((tx) => tx.jobs.planNoLaterThan({ kind: KEYWORD_INDEXING, key: '', run_at }));
  }

  async function searched(environment: Environment, from: number, to: number): Promise<Searched> {
    const manifest = await covering();
    const days = [Math.max(Math.floor(from / DAY_S), firstDay()), Math.ceil(to / DAY_S)] as const;
    const made = await postsMadeHere(store, environment, manifest.posts[environment]);
    if (settledOf(made, clock.now()).length > 0) await planIndexing();
    const loose = made.filter(({ created_at }) => created_at >= days[0] * DAY_S && created_at < days[1] * DAY_S);
    return { folder, manifest, environment, days, loose, memory_bytes_max };
  }

  /** Asks again when files were replaced in the meantime; an index that is broken is made anew. */
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

  const isEmpty = ({ manifest, loose }: Searched): boolean => manifest.segments.length === 0 && loose.length === 0;

  return {
    search: (question) =>
      asking(async () => {
        const on = await searched(question.environment, question.from, question.to);
        if (isEmpty(on)) {
          const buckets = Math.ceil((question.to - question.from) / question.bucket_s);
          return { volume: new Array<number>(buckets).fill(0), related: [] };
        }
        // Days that are forgotten count nothing, whether their segments are still there or not.
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
      await Promise.all([thread.close(), searching.close()]);
    },
  };
}
