import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { elapsed_ms, every } from '../../base/timers.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { ObjectsUnavailable } from '../../contract/problems/objects-unavailable.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Job, JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import type { Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import { JobLeases, LeaseLost } from './job-leases.ts';
import type { Node } from './node.ts';

/** Housekeeping jobs, or all others. */
export type JobSelection = 'housekeeping' | 'others';

/** How a run of a job ended; the result of a lost one was not stored, because the lease was lost. */
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
  /** How long a lease lasts unless it is renewed, by the clock of the database. */
  readonly lease_s?: number;
}

/** The polling interval, in milliseconds. @source decision 182 */
const POLL_MS = 250;
/** The jobs of a killed worker are taken over after this at the latest. @source decision 182 */
const LEASE_S = 15;
const TAKEN_AT_ONCE = 10;
/** A failed job is retried after this, then after twice as long, and so on. @source decision 182 */
const RETRY_S = 5;
const RETRY_MAX_S = 3600;
/** Retry delay of a job that found the object store unavailable. */
const OBJECTS_RETRY_S = 2;
/** A clock that went back by this much was set back, not adjusted gradually. @source decision 612 */
const SET_BACK_MS = 5000;
/** Longer than any delay; only jobs at a time that users chose are planned further ahead. @source decision 612 */
const AHEAD_MAX_S = 8 * 86_400;

/** The groups of jobs; each has a runner of its own, so that one does not delay the others. */
const GROUPS = ['database', 'long', 'others', 'awaited', 'alone', 'heavy'] as const;
type Group = (typeof GROUPS)[number];

function groupOf({ isAlone, isLong, isAwaited, isHeavy, callsOtherServers }: JobKind): Group {
  if (isAlone) return 'alone';
  if (isHeavy) return 'heavy';
  return isLong ? 'long' : isAwaited ? 'awaited' : callsOtherServers ? 'others' : 'database';
}

/**
 * Runs the jobs of a store by its clock. A job is taken under a lease, and its outcome is stored in the unit of work
 * that ends it, on condition that the lease is still held: a job whose worker was killed is done by another, once.
 * @source decision 183, 1263
 */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #groups: readonly GroupRunner[];
  readonly #selections: Readonly<Record<JobSelection, GroupRunner>>;
  #isStopped = false;

  constructor(deps: JobRunnerDeps) {
    const leases = new JobLeases(deps.store, deps.lease_s ?? LEASE_S);
    const runnerOf = (isIncluded: (kind: JobKind) => boolean): GroupRunner =>
      new GroupRunner(deps, leases, deps.kinds.filter(isIncluded));
    this.#deps = deps;
    this.#groups = GROUPS.map((group) => runnerOf((kind) => groupOf(kind) === group));
    this.#selections = {
      housekeeping: runnerOf(({ isHousekeeping }) => isHousekeeping === true),
      others: runnerOf(({ isHousekeeping }) => !isHousekeeping),
    };
  }

  /** Starts to poll for due jobs, also after `stop`. */
  start(): void {
    this.#isStopped = false;
    for (const group of this.#groups) group.start();
  }

  /** Runs all due jobs, and those that become due by them; resolves when none is left. */
  async runDue(): Promise<void> {
    const { store, clock, kinds } = this.#deps;
    const names = kinds.map(({ name }) => name);
    // A job of one group may plan a job of another.
    do await Promise.all(this.#groups.map((group) => group.runDue()));
    while (!this.#isStopped && (await store.read((tx) => tx.jobs.hasDue(names, formatInstant(clock.now())))));
  }

  /** Runs a due job, with all others of its group that are due; resolves when it has ended or failed. */
  async runNow(kind: string, key: string): Promise<void> {
    await this.#groups.find(({ names }) => names.includes(kind))?.runNow(kind, key);
  }

  /** Stops polling until the result is called; resolves when the running jobs have ended. */
  async hold(): Promise<() => void> {
    const releases = await Promise.all(this.#groups.map((group) => group.hold()));
    return () => {
      for (const release of releases) release();
    };
  }

  /** The free job that is to be done first, due or not. */
  findNext(which: JobSelection): Promise<PlannedJob | undefined> {
    return this.#deps.store.read((tx) => tx.jobs.findNext(this.#selections[which].names));
  }

  /** Runs the first of the due jobs and no other; resolves with it when it has ended or failed. */
  async runFirst(which: JobSelection): Promise<Job | undefined> {
    if (this.#isStopped) throw new Error('the job runner has stopped');
    return this.#selections[which].runFirst();
  }

  /** Starts no more jobs; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#groups, ...Object.values(this.#selections)].map((runner) => runner.stop()));
  }
}

type Release = (tx: WriteTransaction) => Promise<void>;

/** Runs the jobs of some kinds. */
class GroupRunner {
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
    const atOnce = this.#kinds.some(({ isHeavy }) => isHeavy) ? 1 : TAKEN_AT_ONCE;
    while (!this.#isStopped) {
      if (!(await this.#deps.store.read((tx) => tx.jobs.hasDue(this.names, this.#at())))) return;
      if ((await this.#runSome(atOnce)).length === 0) return;
    }
  }

  /**
   * Runs delayed jobs now when the clock was set back, because they would otherwise wait for the difference too.
   * Whether that happened before the start is unknown; then those are run that wait for longer than any delay.
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
    // A node that others may take for dead must not take jobs. @source decision 751
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
      const either = kind.isHeavy ? AbortSignal.any([signal, this.#stopping.signal]) : signal;
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
