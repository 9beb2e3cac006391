import type { Clock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';
import type { Random } from '../base/random.ts';
import { every } from '../base/timers.ts';
import type { Job, JobKind } from '../contract/jobs.ts';
import type { Services } from '../contract/operation.ts';
import type { Store } from '../contract/store.ts';

/** Does jobs when they are due. */
export interface JobRunner {
  /** Does everything that is due, and what becomes due by it; resolves when nothing is left. */
  runDue(): Promise<void>;
  /** Takes no more; resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** What a runner works with. */
export interface JobRunnerParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly services: Services;
  // biome-ignore lint/suspicious/noExplicitAny: what comes of a job is its own affair
  readonly kinds: readonly JobKind<any>[];
  /** Is told why a job failed. */
  readonly failed: (job: Job, error: unknown) => void;
}

/** How soon a job is done after it is due, in milliseconds. */
const LOOK_MS = 250;
/** Longer than any job takes: whoever was stopped in the middle is followed after this. */
const LEASE_S = 120;
const TAKEN_AT_ONCE = 10;
/** A job that failed is tried again after this, then after twice as long, and so on. */
const RETRY_S = 5;
const RETRY_MAX_S = 3600;

/**
 * Does the jobs of a store by its clock. A job is taken under a lease, and what comes of it is stored in the unit that
 * ends it, under the condition that the lease is still ours: a job whose worker was killed is done by another, once.
 */
export function jobRunner({ store, clock, random, services, kinds, failed }: JobRunnerParts): JobRunner {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = [...byName.keys()];
  const at = (seconds = 0): string => formatInstant(clock.now() + seconds * 1000);
  let isStopped = false;
  let running: Promise<void> | undefined;

  const attempt = async (job: Job): Promise<void> => {
    const kind = byName.get(job.kind)!;
    try {
      const outcome = await kind.outside?.(job, services);
      await store.write(async (tx) => {
        if (await tx.jobs.finish(job)) await kind.store(tx, job, outcome, at());
      });
    } catch (error) {
      failed(job, error);
      const wait_s = Math.min(RETRY_S * 2 ** (job.attempts - 1), RETRY_MAX_S);
      await store.write((tx) => tx.jobs.giveBack(job, at(wait_s)));
    }
  };

  const round = async (): Promise<void> => {
    while (!isStopped) {
      const next = await store.read((tx) => tx.jobs.findNext(names));
      if (next === undefined || next > at()) return;
      const lease = random.bytes(16).toString('hex');
      const jobs = await store.write((tx) =>
        tx.jobs.take({ kinds: names, now: at(), until: at(LEASE_S), lease, max: TAKEN_AT_ONCE }),
      );
      if (jobs.length === 0) return;
      await Promise.all(jobs.map(attempt));
    }
  };

  const start = (): Promise<void> => {
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };
  // A database that is away says so to every request; the next look comes soon.
  const stopLooking = every(LOOK_MS, () => void start().catch(() => undefined));
  return {
    async runDue() {
      // A round that is under way may have looked before the clock moved.
      await running;
      await start();
    },
    async stop() {
      isStopped = true;
      stopLooking();
      await running?.catch(() => undefined);
    },
  };
}
