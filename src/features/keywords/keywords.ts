import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../base/random.ts';
import { openThread } from '../../base/threads.ts';
import { every } from '../../base/timers.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { DerivedObjects } from '../../contract/services/derived-files.ts';
import type { IndexStep, KeywordQuery, KeywordStats, Keywords, Phrase } from '../../contract/services/keywords.ts';
import { type Changes, EVERYTHING } from '../../contract/store/cache-changes.ts';
import { filesTag } from '../../contract/store/derived-files.ts';
import { IndexBuilder } from './index-builder.ts';
import { INDEX_FILES, IndexFileMissing, IndexFiles } from './index-files.ts';
import type { IndexingCalls } from './indexing-worker.ts';
import { indexablePosts, listLocalPosts } from './local-posts.ts';
import { DAY_S } from './post-page.ts';
import { type IndexingDependencies, type KnownIndex, RecordedIndex, unavailable } from './recorded-index.ts';
import type { SearchCalls, SearchScope } from './search-worker.ts';

/** Dependencies of keyword search. */
export interface KeywordDependencies extends IndexingDependencies {
  readonly random: Random;
  /** The files of the index as objects. */
  readonly derived: DerivedObjects;
  /** The folder of this machine's copies of the index; created when missing. */
  readonly folder: string;
  /** Whether this node runs searches; if so, it keeps a full copy of the index. */
  readonly isSearching: boolean;
  /** Posts of earlier days are not counted. @source decision 319 */
  readonly retention_days: number;
  /** Memory for loaded segments. */
  readonly memory_bytes_max: number;
  /** Retry interval of failed copies and removals; shorter only in tests. */
  readonly refresh_ms?: number;
}

const REFRESH_MS = 60_000;
/** Attempts per index, whose files may be missing or damaged. */
const TRIES = 3;
/** Total attempts: the index may be replaced between planning a search and reading the files. */
const TRIES_MAX = 10;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** The folder of the index below the data folder. */
export function keywordsFolder(dataFolder: string): string {
  return join(dataFolder, 'keywords');
}

/** Keyword search over an index that workers build from the database; threads start on first use. */
export class KeywordSearch implements Keywords {
  readonly #deps: KeywordDependencies;
  readonly #indexing = openThread<IndexingCalls>(new URL('./indexing-worker.ts', import.meta.url), { niceness: 2 });
  readonly #searching = openThread<SearchCalls>(new URL('./search-worker.ts', import.meta.url));
  readonly #files: IndexFiles;
  readonly #builder: IndexBuilder;
  readonly #index: RecordedIndex;
  /** The last index whose files were all available to a search. */
  #served: KnownIndex | undefined;
  #sentRevision = -1;
  #refreshing: Promise<unknown> = Promise.resolve();
  #isStale = false;
  readonly #stopRefreshing: () => void;

  constructor(deps: KeywordDependencies) {
    const { store, derived, folder, random, refresh_ms = REFRESH_MS } = deps;
    this.#deps = deps;
    this.#files = new IndexFiles(derived);
    this.#index = new RecordedIndex(deps);
    this.#builder = new IndexBuilder({
      store,
      random,
      files: this.#files,
      thread: this.#indexing,
      folder: join(folder, 'building'),
      firstDay: () => this.#firstDay(),
    });
    store.onInvalidate(['files'], (changes) => this.#onChanges(changes));
    this.#stopRefreshing = every(refresh_ms, () => {
      if (this.#isStale) this.refresh();
    });
  }

  #onChanges(changes: Changes): void {
    if (changes === EVERYTHING) {
      this.#index.forget();
      this.#sentRevision = -1;
    }
    if (changes === EVERYTHING ? this.#deps.store.fence : changes.has(filesTag(INDEX_FILES))) this.refresh();
  }

  #firstDay(): number {
    return Math.floor(this.#deps.clock.now() / 1000 / DAY_S) - this.#deps.retention_days;
  }

  async #scopeOf(index: KnownIndex, environment: Environment, from: number, to: number): Promise<SearchScope> {
    const { manifest, revision } = index;
    const days = [Math.max(Math.floor(from / DAY_S), this.#firstDay()), Math.ceil(to / DAY_S)] as const;
    const entries = manifest.segments.filter(
      ({ scope, day }) => (scope === 'both' || scope === environment) && day >= days[0] && day < days[1],
    );
    const segments = await this.#files.pathsOf(entries);
    const terms = await this.#files.termsFiles(manifest);
    this.#served = index;
    const local = await listLocalPosts(this.#deps.store, environment, manifest.localPosts[environment]);
    if (indexablePosts(local, Number.POSITIVE_INFINITY).length > 0) this.#index.requestIndexing();
    // The thread gets the other segments once per revision.
    const current = this.#sentRevision === revision ? undefined : this.#files.listKnown(manifest);
    this.#sentRevision = revision;
    return {
      edition: manifest.edition,
      terms,
      segments,
      current,
      memory_bytes_max: this.#deps.memory_bytes_max,
      // Expired days count nothing, even while their segments still exist.
      unindexed: local.filter(({ created_at }) => created_at >= days[0] * DAY_S && created_at < days[1] * DAY_S),
    };
  }

  /**
   * Returns the scope of a search; undefined if it has no posts. While the object store is unavailable, falls back to
   * an earlier index with the same posts.
   * @source decision 818
   */
  async #findScope(environment: Environment, from: number, to: number): Promise<SearchScope | undefined> {
    const index = await this.#index.covering();
    const former = this.#served;
    const scope = await this.#scopeOf(index, environment, from, to).catch((error) => {
      const { mark, pages } = index.manifest;
      const isEqual = former && former.manifest.mark === mark && former.manifest.pages >= pages;
      if (!(error instanceof StoreUnavailable && isEqual)) throw error;
      return this.#scopeOf(former, environment, from, to);
    });
    return scope.segments.length === 0 && scope.unindexed.length === 0 ? undefined : scope;
  }

  /** Retries if files were replaced meanwhile; has a damaged index rebuilt. */
  async #retrying<T>(search: () => Promise<T>): Promise<T> {
    let failed = { revision: -1, tries: 0 };
    for (let tries = 1; ; tries++) {
      try {
        return await search();
      } catch (error) {
        if (error instanceof Problem) throw error;
        this.#files.forget();
        this.#index.forget();
        const { revision } = await this.#index.read();
        failed = { revision, tries: revision === failed.revision ? failed.tries + 1 : 1 };
        if (failed.tries === TRIES || tries === TRIES_MAX) {
          throw error instanceof IndexFileMissing ? unavailable(error) : error;
        }
        if (failed.tries > 1) await this.#index.awaitCheck();
      }
    }
  }

  search(query: KeywordQuery): Promise<KeywordStats> {
    const { environment, from, to, bucket_s } = query;
    return this.#retrying(async () => {
      const scope = await this.#findScope(environment, from, to);
      if (scope) return this.#searching.call('search', { scope, query });
      return { volume: new Array<number>(Math.ceil((to - from) / bucket_s)).fill(0), related: [] };
    });
  }

  authorsOf(environment: Environment, groups: readonly (readonly Phrase[])[]): Promise<BigUint64Array[]> {
    return this.#retrying(async () => {
      const hasPhrases = groups.some((group) => group.length > 0);
      const scope = hasPhrases ? await this.#findScope(environment, 0, FOREVER) : undefined;
      return scope ? this.#searching.call('findAuthors', { scope, groups }) : groups.map(() => new BigUint64Array());
    });
  }

  build(signal: AbortSignal): Promise<IndexStep> {
    return this.#builder.build(signal);
  }

  check(): Promise<IndexStep> {
    return this.#builder.check();
  }

  refresh(): void {
    const work = async (): Promise<void> => {
      this.#isStale = true;
      await removeFormerFormat(this.#deps.folder);
      await this.#files.refresh(async () => (await this.#index.read()).manifest, this.#deps.isSearching);
      this.#isStale = false;
    };
    this.#refreshing = this.#refreshing.then(work).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#stopRefreshing();
    await this.#refreshing;
    await this.#index.close();
    await this.#builder.close();
    await Promise.all([this.#indexing.close(), this.#searching.close()]);
  }
}

/** Removes the index of earlier releases, which kept the manifest in the folder. */
async function removeFormerFormat(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (/^(manifest\.json(\.new)?|[0-9a-f]{16})$/.test(name)) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
