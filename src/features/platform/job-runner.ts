import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { elapsed_ms, every } from '../../base/timers.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { ObjectsUnavailable } from '../../contract/problems/objects-unavailable.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Job, JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import type { Store, WriteTransaction } from '../../contract/store/store.ts';
import { type JobLeases, jobLeases, LeaseLost } from './job-leases.ts';
import type { Node } from './node.ts';

/** Runs jobs when they are due. */
export interface JobRunner {
  /** Starts to poll for due jobs, also after `stop`. */
  start(): void;
  /** Runs all due jobs, and those that become due by them; resolves when none is left. */
  runDue(): Promise<void>;
  /** Runs a due job, with all others that are due; resolves when it has ended or failed. */
  runNow(kind: string, key: string): Promise<void>;
  /** Looks for no due jobs until the result is called; resolves when the running ones have ended. */
  hold(): Promise<() => void>;
  /** The job that is to be done first, due or not; undefined when there is none that nobody is doing. */
  findNext(which: JobSelection): Promise<PlannedJob | undefined>;
  /** Runs the first of the due jobs and no other; resolves with it when it has ended or failed. */
  runFirst(which: JobSelection): Promise<Job | undefined>;
  /** Starts no more jobs; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Jobs that remove what nobody sees any more, or all others. */
export type JobSelection = 'housekeeping' | 'others';

/** How a run of a job ended; the result of a lost one was not stored, because the lease was lost. */
export type JobOutcome = 'done' | 'failed' | 'lost';

/** The dependencies of a runner. */
export interface JobRunnerDeps {
  readonly store: Store;
  /** The clock of the service, by which jobs are due. */
  readonly clock: Clock;
  readonly random: Random;
  /** The node that holds the leases. */
  readonly node: Node;
  readonly services: Services;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has an outcome type of its own
  readonly kinds: readonly JobKind<any>[];
  /** Called when a job failed. */
  readonly onFailed: (job: Job, error: unknown) => void;
  /** Called when a job ended in any way; `removed` is the number of expired rows that it deleted. */
  readonly onEnded: (job: Job, outcome: JobOutcome, duration_s: number, removed: number) => void;
  /** How long a lease lasts unless it is renewed, by the clock of the database. */
  readonly lease_s?: number;
}

/** The polling interval, in milliseconds. @source decision 182 */
const LOOK_MS = 250;
/** The jobs of a killed worker are taken over after this at the latest. @source decision 182 */
const LEASE_S = 15;
const TAKEN_AT_ONCE = 10;
/** A failed job is retried after this, then after twice as long, and so on. @source decision 182 */
const RETRY_S = 5;
const RETRY_MAX_S = 3600;
/** A job that needs the object store is tried again after this while it is away: the database goes on. */
const OBJECTS_AWAY_S = 2;
/** A clock that went back by this much was set back, not adjusted gradually. @source decision 612 */
const SET_BACK_MS = 5000;
/** No delay is this long; only jobs at a time that people chose are planned further ahead. @source decision 612 */
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
 * Kinds that take long, and kinds that call other servers, run beside the others.
 * @source decision 183, 1263
 */
export function jobRunner(parts: JobRunnerDeps): JobRunner {
  const leases = jobLeases(parts.store, parts.lease_s ?? LEASE_S);
  const runners = new Map(
    GROUPS.map((group) => [
      group,
      runnerOf({ ...parts, leases, kinds: parts.kinds.filter((kind) => groupOf(kind) === group) }),
    ]),
  );
  const all = [...runners.values()];
  const housekeeping = parts.kinds.filter(({ isHousekeeping }) => isHousekeeping);
  const others = parts.kinds.filter(({ isHousekeeping }) => !isHousekeeping);
  const selections = {
    housekeeping: {
      names: housekeeping.map(({ name }) => name),
      ...runnerOf({ ...parts, leases, kinds: housekeeping }),
    },
    others: { names: others.map(({ name }) => name), ...runnerOf({ ...parts, leases, kinds: others }) },
  };
  const names = parts.kinds.map(({ name }) => name);
  const isDue = (): Promise<boolean> =>
    parts.store.read((tx) => tx.jobs.hasDue(names, formatInstant(parts.clock.now())));
  let isStopped = false;
  return {
    start() {
      isStopped = false;
      for (const runner of all) runner.start();
    },
    async runDue() {
      // A job of one runner may plan a job of another.
      do await Promise.all(all.map((runner) => runner.runDue()));
      while (!isStopped && (await isDue()));
    },
    runNow(kind, key) {
      const known = parts.kinds.find(({ name }) => name === kind);
      return runners.get(known ? groupOf(known) : 'database')!.runNow(kind, key);
    },
    async hold() {
      const released = await Promise.all(all.map((runner) => runner.hold()));
      return () => {
        for (const release of released) release();
      };
    },
    findNext: (which) => parts.store.read((tx) => tx.jobs.findNext(selections[which].names)),
    async runFirst(which) {
      if (isStopped) throw new Error('the job runner has stopped');
      return selections[which].runFirst();
    },
    async stop() {
      isStopped = true;
      await Promise.all([...all, selections.housekeeping, selections.others].map((runner) => runner.stop()));
    },
  };
}

/** Runs the jobs of some kinds. */
interface GroupRunner extends Omit<JobRunner, 'findNext' | 'runFirst'> {
  runFirst(): Promise<Job | undefined>;
}

function runnerOf(parts: JobRunnerDeps & { readonly leases: JobLeases }): GroupRunner {
  const { store, clock, random, node, services, kinds, leases, onFailed, onEnded } = parts;
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = [...byName.keys()];
  const takenAtOnce = kinds.some(({ isHeavy }) => isHeavy) ? 1 : TAKEN_AT_ONCE;
  const at = (seconds = 0): string => formatInstant(clock.now() + seconds * 1000);
  let isStopped = false;
  /** Tells heavy jobs to stop. */
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** Releases of jobs that could not be stored while the store was unavailable; they are tried again. */
  let pendingReleases: ((tx: WriteTransaction) => Promise<void>)[] = [];

  /** Releases jobs, now or as soon as the store is available. */
  const release = async (...releases: typeof pendingReleases): Promise<void> => {
    if (releases.length === 0) return;
    try {
      await store.write(async (tx) => {
        for (const each of releases) await each(tx);
      });
    } catch {
      pendingReleases.push(...releases);
    }
  };
  const releasePending = (): void => {
    const releases = pendingReleases;
    pendingReleases = [];
    void release(...releases);
  };

  /** The time when the clock was last read. */
  let seen_ms: number | undefined;
  const delayed = kinds.filter(({ isTimed }) => !isTimed).map(({ name }) => name);
  /**
   * Runs delayed jobs now when the clock was set back, because they would otherwise wait for the difference too.
   * Whether that happened before the start is unknown; then those are run that wait for longer than any delay.
   * @source decision 612
   */
  const heedClock = async (): Promise<void> => {
    const now_ms = clock.now();
    const isFirst = seen_ms === undefined;
    if (!isFirst && seen_ms! - now_ms < SET_BACK_MS) {
      seen_ms = now_ms;
      return;
    }
    await store.write(async (tx) => {
      const after = at(isFirst ? AHEAD_MAX_S : 0);
      await tx.jobs.bringForward(delayed, at(), after);
      for (const kind of kinds) await kind.bringForward?.(tx, at(), after);
    });
    seen_ms = now_ms;
  };

  const attempt = async (job: Job, takenAt_ms: number): Promise<void> => {
    const kind = byName.get(job.kind)!;
    const startedAt_ms = elapsed_ms();
    const took_s = (): number => (elapsed_ms() - startedAt_ms) / 1000;
    const { signal, end } = leases.hold(job, takenAt_ms);
    try {
      const either = kind.isHeavy ? AbortSignal.any([signal, stopping.signal]) : signal;
      const outcome = await kind.prepare?.(job, services, either);
      // A lease that lapsed while nobody took the job is still held: no work is wasted. @source decision 753
      const ended = await store.write(async (tx) => {
        if (!(await tx.jobs.finish(job))) return undefined;
        return { removed: (await kind.store(tx, job, outcome, at())) ?? 0 };
      });
      onEnded(job, ended ? 'done' : 'lost', took_s(), ended?.removed ?? 0);
    } catch (error) {
      // Work that was told to stop; another worker may be doing the job.
      const isLost = error instanceof LeaseLost;
      // An unavailable store is not a failure of the job, which is run again as soon as the store is back.
      const isAway = error instanceof StoreUnavailable;
      if (!isAway && !isLost) onFailed(job, error);
      onEnded(job, isLost ? 'lost' : 'failed', took_s(), 0);
      const isObjectStoreAway = error instanceof ObjectsUnavailable;
      const wait_s = isObjectStoreAway
        ? OBJECTS_AWAY_S
        : isAway || isLost
          ? 0
          : Math.min(RETRY_S * 2 ** (job.attempts - 1), RETRY_MAX_S);
      await release((tx) => tx.jobs.release(job, at(wait_s)));
    } finally {
      end();
    }
  };

  /** Takes and runs up to `max` due jobs. */
  const runSome = async (max: number): Promise<readonly Job[]> => {
    // A node that others may take for dead must not take jobs. @source decision 751
    await node.ensureAlive();
    const lease = random.bytes(16).toString('hex');
    const takenAt_ms = elapsed_ms();
    const due = { kinds: names, now: at(), lease, node: node.id, lease_s: leases.lease_s, max };
    const jobs = await store
      .write((tx) => tx.jobs.take(due))
      .catch((error) => {
        // The jobs may have been taken although the call failed.
        pendingReleases.push((tx) => tx.jobs.releaseLease(lease));
        throw error;
      });
    await Promise.all(jobs.map((job) => attempt(job, takenAt_ms)));
    return jobs;
  };

  const round = async (): Promise<void> => {
    await heedClock();
    while (!isStopped) {
      if (!(await store.read((tx) => tx.jobs.hasDue(names, at())))) return;
      if ((await runSome(takenAtOnce)).length === 0) return;
    }
  };

  const run = (): Promise<void> => {
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };
  let stopLooking = (): void => {};
  let isHeld = false;
  let first: Promise<unknown> | undefined;
  return {
    start() {
      isStopped = false;
      stopping = new AbortController();
      // Whatever was known before `stop` may not be true of the database any more.
      seen_ms = undefined;
      pendingReleases = [];
      // Requests report an unavailable database; the next poll comes soon.
      stopLooking = every(LOOK_MS, () => {
        releasePending();
        if (!isHeld) void run().catch(() => undefined);
      });
    },
    async runDue() {
      // A running round may have read the clock before it moved.
      await running;
      await run();
    },
    async runNow(kind, key) {
      const isDue = async (): Promise<boolean> => {
        const run_at = await store.read((tx) => tx.jobs.find(kind, key));
        return run_at !== undefined && run_at <= at();
      };
      // A running round may have passed the job already. The rounds of other processes are not waited for.
      for (let rounds = 0; rounds < 3 && !isStopped && (await isDue()); rounds++) await run();
    },
    async hold() {
      isHeld = true;
      await running?.catch(() => undefined);
      return () => {
        isHeld = false;
      };
    },
    async runFirst() {
      releasePending();
      const some = runSome(1);
      first = some.catch(() => undefined);
      return (await some)[0];
    },
    async stop() {
      isStopped = true;
      stopping.abort(new LeaseLost('the node stops'));
      stopLooking();
      await running?.catch(() => undefined);
      await first;
    },
  };
}
