import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { elapsed_ms, every } from '../../base/timers.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Job, JobKind } from '../../contract/store/jobs.ts';
import type { Store, WriteTransaction } from '../../contract/store/store.ts';

/** Does jobs when they are due. */
export interface JobRunner {
  /** Looks for due jobs from now on, and renews the leases of those under way. */
  start(): void;
  /** Does everything that is due, and what becomes due by it; resolves when nothing is left. */
  runDue(): Promise<void>;
  /** Does one that is due, and whatever else is; resolves when it has ended, well or not. */
  runNow(kind: string, key: string): Promise<void>;
  /** Takes no more; resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** What a runner works with. */
export interface JobRunnerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly services: Services;
  // biome-ignore lint/suspicious/noExplicitAny: what comes of a job is its own affair
  readonly kinds: readonly JobKind<any>[];
  /** Is told why a job failed. */
  readonly onFailed: (job: Job, error: unknown) => void;
  /** Is told that a job ended, and how many expired rows it deleted. */
  readonly onEnded: (job: Job, outcome: 'done' | 'failed', duration_s: number, removed: number) => void;
  /** How long a lease lasts unless it is renewed; three times as long as it takes until that is done. */
  readonly lease_s?: number;
}

/** How soon a job is done after it is due, in milliseconds. */
const LOOK_MS = 250;
/** Leases are renewed while work lasts; whoever was stopped in the middle is followed after this. */
const LEASE_S = 120;
const TAKEN_AT_ONCE = 10;
/** A job that failed is tried again after this, then after twice as long, and so on. */
const RETRY_S = 5;
const RETRY_MAX_S = 3600;
/** A clock that went back by so much was set back, and not adjusted little by little. */
const SET_BACK_MS = 5000;
/** Nothing is planned for as long as this ahead, but for what is done at a time that people chose. */
const AHEAD_MAX_S = 8 * 86_400;

/** What keeps a runner busy, each apart from the others. */
const GROUPS = ['database', 'long', 'others'] as const;
type Group = (typeof GROUPS)[number];

const groupOf = ({ isLong, callsOtherServers }: Pick<JobKind, 'isLong' | 'callsOtherServers'>): Group =>
  isLong ? 'long' : callsOtherServers ? 'others' : 'database';

/**
 * Does the jobs of a store by its clock. A job is taken under a lease, and what comes of it is stored in the unit that
 * ends it, under the condition that the lease is still ours: a job whose worker was killed is done by another, once.
 * Kinds that take long, and kinds that wait for somebody else, are done beside the others.
 */
export function jobRunner(parts: JobRunnerDeps): JobRunner {
  const runners = new Map(
    GROUPS.map((group) => [
      group,
      runnerOf({ ...parts, kinds: parts.kinds.filter((kind) => groupOf(kind) === group) }),
    ]),
  );
  const all = [...runners.values()];
  const names = parts.kinds.map(({ name }) => name);
  const isDue = async (): Promise<boolean> => {
    const next = await parts.store.read((tx) => tx.jobs.findNext(names));
    return next !== undefined && next <= formatInstant(parts.clock.now());
  };
  let isStopped = false;
  return {
    start() {
      for (const runner of all) runner.start();
    },
    async runDue() {
      // What one of them ends with may be work for another.
      do await Promise.all(all.map((runner) => runner.runDue()));
      while (!isStopped && (await isDue()));
    },
    runNow(kind, key) {
      const known = parts.kinds.find(({ name }) => name === kind);
      return runners.get(known ? groupOf(known) : 'database')!.runNow(kind, key);
    },
    async stop() {
      isStopped = true;
      await Promise.all(all.map((runner) => runner.stop()));
    },
  };
}

function runnerOf({
  store,
  clock,
  random,
  services,
  kinds,
  onFailed: failed,
  onEnded: ended,
  ...options
}: JobRunnerDeps): JobRunner {
  const { lease_s = LEASE_S } = options;
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = [...byName.keys()];
  const at = (seconds = 0): string => formatInstant(clock.now() + seconds * 1000);
  let isStopped = false;
  let running: Promise<void> | undefined;
  /** The lease under which work is going on. */
  let held: string | undefined;
  /** What is to be returned to a store that was away when we wanted to. */
  let owed: ((tx: WriteTransaction) => Promise<void>)[] = [];

  /** Returns jobs, now or as soon as the store answers. */
  const settle = async (...debts: typeof owed): Promise<void> => {
    if (debts.length === 0) return;
    try {
      await store.write(async (tx) => {
        for (const debt of debts) await debt(tx);
      });
    } catch {
      owed.push(...debts);
    }
  };
  const settleOwed = (): void => {
    const debts = owed;
    owed = [];
    void settle(...debts);
  };
  const renew = (): void => {
    const lease = held;
    // What cannot be renewed now can be the next time; before the lease has ended there are two.
    if (lease !== undefined) store.write((tx) => tx.jobs.renew(lease, at(lease_s))).catch(() => undefined);
  };

  /** What the clock showed when it was last looked at. */
  let seen_ms: number | undefined;
  const delayed = kinds.filter(({ isTimed }) => !isTimed).map(({ name }) => name);
  /**
   * When the clock was set back, what was to wait for a while would wait until it has come there again: it is done now.
   * Whether that happened before we were started, nobody knows; then what waits for longer than anything may is done.
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

  const attempt = async (job: Job): Promise<void> => {
    const kind = byName.get(job.kind)!;
    const startedAt_ms = elapsed_ms();
    const took_s = (): number => (elapsed_ms() - startedAt_ms) / 1000;
    try {
      const outcome = await kind.prepare?.(job, services);
      const removed = await store.write(async (tx) =>
        (await tx.jobs.finish(job)) ? kind.store(tx, job, outcome, at()) : undefined,
      );
      ended(job, 'done', took_s(), removed ?? 0);
    } catch (error) {
      // A store that is away is no fault of the job, which is done as soon as it is back.
      const isAway = error instanceof StoreUnavailable;
      if (!isAway) failed(job, error);
      ended(job, 'failed', took_s(), 0);
      const wait_s = isAway ? 0 : Math.min(RETRY_S * 2 ** (job.attempts - 1), RETRY_MAX_S);
      await settle((tx) => tx.jobs.release(job, at(wait_s)));
    }
  };

  const round = async (): Promise<void> => {
    await heedClock();
    while (!isStopped) {
      const next = await store.read((tx) => tx.jobs.findNext(names));
      if (next === undefined || next > at()) return;
      const lease = random.bytes(16).toString('hex');
      const due = { kinds: names, now: at(), until: at(lease_s), lease, max: TAKEN_AT_ONCE };
      const jobs = await store
        .write((tx) => tx.jobs.take(due))
        .catch((error) => {
          // They may be taken although nobody was told.
          owed.push((tx) => tx.jobs.releaseLease(lease));
          throw error;
        });
      if (jobs.length === 0) return;
      held = lease;
      await Promise.all(jobs.map(attempt)).finally(() => {
        held = undefined;
      });
    }
  };

  const run = (): Promise<void> => {
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };
  let stopLooking = (): void => {};
  let stopRenewing = (): void => {};
  return {
    start() {
      // A database that is away says so to every request; the next look comes soon.
      stopLooking = every(LOOK_MS, () => {
        settleOwed();
        void run().catch(() => undefined);
      });
      stopRenewing = every((lease_s * 1000) / 3, renew);
    },
    async runDue() {
      // A round that is under way may have looked before the clock moved.
      await running;
      await run();
    },
    async runNow(kind, key) {
      const isDue = async (): Promise<boolean> => {
        const run_at = await store.read((tx) => tx.jobs.find(kind, key));
        return run_at !== undefined && run_at <= at();
      };
      // A round that was under way may have been past it; one of another process is not waited for.
      for (let rounds = 0; rounds < 3 && !isStopped && (await isDue()); rounds++) await run();
    },
    async stop() {
      isStopped = true;
      stopLooking();
      await running?.catch(() => undefined);
      stopRenewing();
    },
  };
}
