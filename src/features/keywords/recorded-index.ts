import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import { SingleFlight } from '../../base/single-flight.ts';
import { elapsed_ms, pause, withTimeout } from '../../base/timers.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { INDEXING_JOBS, KEYWORD_INDEXING } from '../../contract/services/keywords.ts';
import type { CorpusState } from '../../contract/store/corpus.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { emptyManifest, type Manifest, parseManifest } from './manifest.ts';

/** Dependencies of `RecordedIndex`. */
export interface IndexingDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** Runs a job that is due, if this node is a worker. */
  readonly runNow: (kind: string, key: string) => Promise<void>;
  /** How long a search waits for indexing; shorter only in tests. */
  readonly wait_ms_max?: number;
}

/** A manifest and its revision. */
export interface KnownIndex {
  readonly revision: number;
  readonly manifest: Manifest;
}

/** How long a search waits for indexing: less than the usual timeout of clients. @source decision 318 */
const WAIT_MS_MAX = 12_000;
const RETRY_S = 5;
/** Polling interval of searches that wait for indexing by other nodes. */
const LOOK_MS = 100;
/** Searches request the indexing of local posts at most this often. */
const REQUESTED_EVERY_MS = 1000;

/** The recorded index, and the jobs that bring it up to date. */
export class RecordedIndex {
  readonly #deps: IndexingDependencies;
  #known: KnownIndex | undefined;
  readonly #look = new SingleFlight<KnownIndex>();
  readonly #indexing = new SingleFlight();
  #requestedAt_ms = Number.NEGATIVE_INFINITY;

  constructor(deps: IndexingDependencies) {
    this.#deps = deps;
  }

  /** The recorded index of a corpus; an empty one if it has none. */
  async #indexOf({ mark, revision }: CorpusState): Promise<KnownIndex> {
    if (this.#known?.revision !== revision) {
      const found = await this.#deps.store.read((tx) => tx.corpus.findIndex());
      this.#known = found && { revision: found.revision, manifest: parseManifest(found.manifest) };
    }
    return this.#known?.manifest.mark === mark ? this.#known : { revision: 0, manifest: emptyManifest(mark, '') };
  }

  async read(): Promise<KnownIndex> {
    return this.#indexOf(await this.#deps.store.read((tx) => tx.corpus.findState()));
  }

  forget(): void {
    this.#known = undefined;
  }

  /** Reads the index after a pause; concurrent callers share one read. */
  #lookLater(): Promise<KnownIndex> {
    return this.#look.run(() => pause(LOOK_MS).then(() => this.read()));
  }

  /** Plans a job for now unless it is already due. */
  async #plan(key: string): Promise<void> {
    const { store, clock } = this.#deps;
    const now = formatInstant(clock.now());
    const run_at = await store.read((tx) => tx.jobs.find(KEYWORD_INDEXING, key));
    if (run_at === undefined || run_at > now) {
      await store.write((tx) => tx.jobs.planNoLaterThan({ kind: KEYWORD_INDEXING, key, run_at: now }));
    }
  }

  /** Plans a job for now, and runs it if this node is a worker. */
  async #run(key: string): Promise<void> {
    await this.#plan(key);
    await this.#deps.runNow(KEYWORD_INDEXING, key);
  }

  /** Waits for work; `isAwaited` returns false after the wait. @throws UNAVAILABLE if it takes too long or fails */
  async #waitFor(work: (isAwaited: () => boolean) => Promise<void>): Promise<void> {
    let isAwaited = true;
    try {
      await withTimeout(
        this.#deps.wait_ms_max ?? WAIT_MS_MAX,
        work(() => isAwaited),
      );
    } catch (error) {
      throw unavailable(error as Error);
    } finally {
      isAwaited = false;
    }
  }

  /**
   * Returns an index that covers all imported posts stored so far; recent local posts may be missing.
   * @source decision 318
   */
  async covering(): Promise<KnownIndex> {
    const state = await this.#deps.store.read((tx) => tx.corpus.findState());
    if (state.mark === '') return { revision: 0, manifest: emptyManifest('', '') };
    let current = await this.#indexOf(state);
    const isCovered = (): boolean => current.manifest.pages >= state.pages;
    if (isCovered()) return current;
    await this.#waitFor(async (isAwaited) => {
      await this.#plan(INDEXING_JOBS.build);
      // The job may do more than this search waits for.
      const ended = this.#deps.runNow(KEYWORD_INDEXING, INDEXING_JOBS.build).then(() => this.read());
      current = await Promise.race([ended, this.#lookLater()]);
      while (isAwaited() && !isCovered()) current = await this.#lookLater();
    });
    return current;
  }

  /** Requests the indexing of local posts. Searches scan them meanwhile, without waiting. */
  requestIndexing(): void {
    if (elapsed_ms() - this.#requestedAt_ms < REQUESTED_EVERY_MS) return;
    void this.#indexing.run(() =>
      this.#run(INDEXING_JOBS.build)
        // A later search requests it again.
        .catch(() => undefined)
        .finally(() => {
          this.#requestedAt_ms = elapsed_ms();
        }),
    );
  }

  /** Requests a check of the index, after files were missing or damaged; resolves once it is done. @source decision 819 */
  async awaitCheck(): Promise<void> {
    await this.#waitFor(async (isAwaited) => {
      await this.#run(INDEXING_JOBS.check);
      const isPlanned = async (): Promise<boolean> =>
        (await this.#deps.store.read((tx) => tx.jobs.find(KEYWORD_INDEXING, INDEXING_JOBS.check))) !== undefined;
      while (isAwaited() && (await isPlanned())) await pause(LOOK_MS);
    });
  }

  async close(): Promise<void> {
    await this.#indexing.running;
  }
}

/** Builds the problem that a search reports while the index is not ready. */
export function unavailable(error: Error): Problem {
  return new Problem([{ problem: 'UNAVAILABLE' }], { because: error.message, retryAfter_s: RETRY_S });
}
