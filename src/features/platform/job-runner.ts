import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { elapsed_ms, every } from '../../base/timers.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { ObjectsUnavailable } from '../../contract/problems/objects-unavailable.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { type Job, type JobKind, LANES, type PlannedJob } from '../../contract/store/jobs.ts';
import type { Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import { JobLeases, LeaseLost } from './job-leases.ts';
import type { Node } from './node.ts';

/** Housekeeping jobs, or all others. */
export type JobSelection = 'housekeeping' | 'others';

/** The outcome of a run; `lost`: the lease was lost, so the result was not stored. */
export type JobOutcome = 'done' | 'failed' | 'lost';

// biome-ignore lint/suspicious/noExplicitAny: each kind has an outcome type of its own
type AnyJobKind = JobKind<any>;

/** The dependencies of a runner. */
export interface JobRunnerDeps {
  readonly store: Store;
  /** The clock of the service, by which jobs are due. */
  readonly clock: Clock;
  readonly random: Random;
  /** The node that holds the leases. */
  readonly node: Node;
  readonly services: Services;
  readonly kinds: readonly AnyJobKind[];
  /** Called when a job failed. */
  readonly onFailed: (job: Job, error: unknown) => void;
  /** Called when a job ended in any way; `removed` is the number of expired rows that it deleted. */
  readonly onEnded: (job: Job, outcome: JobOutcome, duration_s: number, removed: number) => void;
  /** Duration of a lease without renewal, by the clock of the database. */
  readonly lease_s?: number;
}

/** The polling interval, in milliseconds. @source decision 182 */
const POLL_MS = 250;
/** Maximum delay before the jobs of a killed worker are taken over. @source decision 182 */
const LEASE_S = 15;
const TAKEN_AT_ONCE = 10;
/** Delay before the first retry of a failed job; it doubles with each attempt. @source decision 182 */
const RETRY_S = 5;
const RETRY_MAX_S = 3600;
/** Retry delay of a job that found the object store unavailable. */
const OBJECTS_RETRY_S = 2;
/** A clock that goes back by this much was set back, not slewed. @source decision 612 */
const SET_BACK_MS = 5000;
/** Exceeds every delay; only jobs at times chosen by users are planned further ahead. @source decision 612 */
const AHEAD_MAX_S = 8 * 86_400;

/**
 * Runs the due jobs of a store. A job is taken under a lease, and its outcome is stored in the unit of work that ends it,
 * provided that the lease is still held: another worker finishes the job of a killed one, exactly once.
 * @source decision 183, 1263
 */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #lanes: readonly LaneRunner[];
  readonly #selections: Readonly<Record<JobSelection, LaneRunner>>;
  #isStopped = false;

  constructor(deps: JobRunnerDeps) {
    const leases = new JobLeases(deps.store, deps.lease_s ?? LEASE_S);
    const runnerOf = (isIncluded: (kind: JobKind) => boolean): LaneRunner =>
      new LaneRunner(deps, leases, deps.kinds.filter(isIncluded));
    this.#deps = deps;
    this.#lanes = LANES.map((name) => runnerOf(({ lane = 'database' }) => lane === name));
    this.#selections = {
      housekeeping: runnerOf(({ isHousekeeping }) => isHousekeeping === true),
      others: runnerOf(({ isHousekeeping }) => !isHousekeeping),
    };
  }

  /** Starts to poll for due jobs, also after `stop`. */
  start(): void {
    this.#isStopped = false;
    for (const lane of this.#lanes) lane.start();
  }

  /** Runs all due jobs, including those that they plan; resolves when none is left. */
  async runDue(): Promise<void> {
    const { store, clock, kinds } = this.#deps;
    const names = kinds.map(({ name }) => name);
    // A job of one lane may plan a job of another.
    do await Promise.all(this.#lanes.map((lane) => lane.runDue()));
    while (!this.#isStopped && (await store.read((tx) => tx.jobs.hasDue(names, formatInstant(clock.now())))));
  }

  /** Runs all due jobs of the lane of a due job; resolves when that job has ended or failed. */
  async runNow(kind: string, key: string): Promise<void> {
    await this.#lanes.find(({ names }) => names.includes(kind))?.runNow(kind, key);
  }

  /** Waits for the running jobs, and pauses polling until the returned function is called. */
  async hold(): Promise<() => void> {
    const releases = await Promise.all(this.#lanes.map((lane) => lane.hold()));
    return () => {
      for (const release of releases) release();
    };
  }

  /** Finds the unleased job with the earliest time, due or not. */
  findNext(which: JobSelection): Promise<PlannedJob | undefined> {
    return this.#deps.store.read((tx) => tx.jobs.findNext(this.#selections[which].names));
  }

  /** Runs only the first due job, and returns it when it has ended or failed. */
  async runFirst(which: JobSelection): Promise<Job | undefined> {
    if (this.#isStopped) throw new Error('the job runner has stopped');
    return this.#selections[which].runFirst();
  }

  /** Starts no further jobs; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#lanes, ...Object.values(this.#selections)].map((runner) => runner.stop()));
  }
}

type Release = (tx: WriteTransaction) => Promise<void>;

/** Runs the jobs of some kinds. */
class LaneRunner {
  readonly names: readonly string[];
  readonly #deps: JobRunnerDeps;
  readonly #leases: JobLeases;
  readonly #kinds: readonly AnyJobKind[];
  #isStopped = false;
  #isHeld = false;
  #stopPolling = (): void => {};
  /** Stops heavy jobs. */
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #first: Promise<unknown> | undefined;
  /** Releases of jobs that could not be stored while the store was unavailable; they are retried. */
  #pendingReleases: Release[] = [];
  /** The time when the clock was last read. */
  #seen_ms: number | undefined;

  constructor(deps: JobRunnerDeps, leases: JobLeases, kinds: readonly AnyJobKind[]) {
    this.#deps = deps;
    this.#leases = leases;
    this.#kinds = kinds;
    this.names = kinds.map(({ name }) => name);
  }

  start(): void {
    this.#isStopped = false;
    this.#stopping = new AbortController();
    // The contents of the database may have been replaced since `stop`.
    this.#seen_ms = undefined;
    this.#pendingReleases = [];
    this.#stopPolling = every(POLL_MS, () => {
      this.#releasePending();
      // Requests report an unavailable database; the next poll comes soon.
      if (!this.#isHeld) void this.#run().catch(() => undefined);
    });
  }

  async runDue(): Promise<void> {
    // A running round may have read the clock before it moved.
    await this.#running;
    await this.#run();
  }

  async runNow(kind: string, key: string): Promise<void> {
    const isDue = async (): Promise<boolean> => {
      const run_at = await this.#deps.store.read((tx) => tx.jobs.find(kind, key));
      return run_at !== undefined && run_at <= this.#at();
    };
    // A running round may have passed the job already. The rounds of other processes are not awaited.
    for (let rounds = 0; rounds < 3 && !this.#isStopped && (await isDue()); rounds++) await this.#run();
  }

  async hold(): Promise<() => void> {
    this.#isHeld = true;
    await this.#running?.catch(() => undefined);
    return () => {
      this.#isHeld = false;
    };
  }

  async runFirst(): Promise<Job | undefined> {
    this.#releasePending();
    const jobs = this.#runSome(1);
    this.#first = jobs.catch(() => undefined);
    return (await jobs)[0];
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort(new LeaseLost('the node stops'));
    this.#stopPolling();
    await this.#running?.catch(() => undefined);
    await this.#first;
  }

  #at(seconds = 0): string {
    return formatInstant(this.#deps.clock.now() + seconds * 1000);
  }

  #run(): Promise<void> {
    this.#running ??= this.#runRound().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #runRound(): Promise<void> {
    await this.#checkClock();
    const atOnce = this.#kinds.some(({ lane }) => lane === 'heavy') ? 1 : TAKEN_AT_ONCE;
    while (!this.#isStopped) {
      if (!(await this.#deps.store.read((tx) => tx.jobs.hasDue(this.names, this.#at())))) return;
      if ((await this.#runSome(atOnce)).length === 0) return;
    }
  }

  /**
   * Runs delayed jobs now if the clock was set back, because they would otherwise also wait for the difference. After a
   * start this is unknown, so jobs planned beyond every possible delay are run.
   * @source decision 612
   */
  async #checkClock(): Promise<void> {
    const now_ms = this.#deps.clock.now();
    const seen_ms = this.#seen_ms;
    if (seen_ms === undefined || seen_ms - now_ms >= SET_BACK_MS) {
      const delayed = this.#kinds.filter(({ isTimed }) => !isTimed).map(({ name }) => name);
      await this.#deps.store.write(async (tx) => {
        const after = this.#at(seen_ms === undefined ? AHEAD_MAX_S : 0);
        await tx.jobs.bringForward(delayed, this.#at(), after);
        for (const kind of this.#kinds) await kind.bringForward?.(tx, this.#at(), after);
      });
    }
    this.#seen_ms = now_ms;
  }

  /** Takes and runs up to `max` due jobs. */
  async #runSome(max: number): Promise<readonly Job[]> {
    const { store, node, random } = this.#deps;
    // A node that others may consider dead must not take jobs. @source decision 751
    await node.ensureAlive();
    const lease = random.bytes(16).toString('hex');
    const takenAt_ms = elapsed_ms();
    const due = { kinds: this.names, now: this.#at(), lease, node: node.id, lease_s: this.#leases.lease_s, max };
    const jobs = await store
      .write((tx) => tx.jobs.take(due))
      .catch((error) => {
        // The jobs may have been taken although the call failed.
        this.#pendingReleases.push((tx) => tx.jobs.releaseLease(lease));
        throw error;
      });
    await Promise.all(jobs.map((job) => this.#attempt(job, takenAt_ms)));
    return jobs;
  }

  async #attempt(job: Job, takenAt_ms: number): Promise<void> {
    const { store, services, onFailed, onEnded } = this.#deps;
    const kind = this.#kinds.find(({ name }) => name === job.kind)!;
    const startedAt_ms = elapsed_ms();
    const took_s = (): number => (elapsed_ms() - startedAt_ms) / 1000;
    const { signal, end } = this.#leases.hold(job, takenAt_ms);
    try {
      const either = kind.lane === 'heavy' ? AbortSignal.any([signal, this.#stopping.signal]) : signal;
      const outcome = await kind.prepare?.(job, services, either);
      // A lapsed lease is still valid if no other worker took the job: no work is wasted. @source decision 753
      const ended = await store.write(async (tx) => {
        if (!(await tx.jobs.finish(job))) return undefined;
        return { removed: (await kind.store(tx, job, outcome, this.#at())) ?? 0 };
      });
      onEnded(job, ended ? 'done' : 'lost', took_s(), ended?.removed ?? 0);
    } catch (error) {
      const isLost = error instanceof LeaseLost;
      if (!isLost && !(error instanceof StoreUnavailable)) onFailed(job, error);
      onEnded(job, isLost ? 'lost' : 'failed', took_s(), 0);
      const retry_s = retryAfter_s(error, job.attempts);
      await this.#release((tx) => tx.jobs.release(job, this.#at(retry_s)));
    } finally {
      end();
    }
  }

  /** Releases jobs, now or as soon as the store is available. */
  async #release(...releases: Release[]): Promise<void> {
    if (releases.length === 0) return;
    try {
      await this.#deps.store.write(async (tx) => {
        for (const release of releases) await release(tx);
      });
    } catch {
      this.#pendingReleases.push(...releases);
    }
  }

  #releasePending(): void {
    const releases = this.#pendingReleases;
    this.#pendingReleases = [];
    void this.#release(...releases);
  }
}

/** Seconds until a failed job is retried. */
function retryAfter_s(error: unknown, attempts: number): number {
  if (error instanceof ObjectsUnavailable) return OBJECTS_RETRY_S;
  // An unavailable store, or a lost lease, is not a failure of the job.
  if (error instanceof StoreUnavailable || error instanceof LeaseLost) return 0;
  return Math.min(RETRY_S * 2 ** (attempts - 1), RETRY_MAX_S);
}
