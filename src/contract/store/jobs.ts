import type { Services } from '../declare/operation.ts';
import type { WriteTransaction } from './store.ts';

/** A job to plan in the unit of work that causes it. Times are UTC texts. */
export interface PlannedJob {
  /** The name of a job kind. */
  readonly kind: string;
  /** What it is about; at most one job exists per kind and key. */
  readonly key: string;
  readonly run_at: string;
}

/** A job that a worker has leased; nobody else takes it while the lease lasts. */
export interface Job extends PlannedJob {
  /** Proves who holds the job: unique among all leases. */
  readonly lease: string;
  /** How often it was taken, including this time. */
  readonly attempts: number;
}

/** Which jobs to lease, by whom and for how long. */
export interface DueJobs {
  readonly kinds: readonly string[];
  /** The time of the service, by which jobs are due. */
  readonly now: string;
  readonly lease: string;
  /** The node that holds the lease. */
  readonly node: string;
  /** How long the lease lasts, by the clock of the database. */
  readonly lease_s: number;
  readonly max: number;
}

/** The due jobs of one kind, leased or not. */
export interface Backlog {
  readonly kind: string;
  readonly count: number;
  /** When the earliest of them was due. */
  readonly since: string;
}

/** What became of leases that were to be renewed; those of jobs in neither list are lost. */
export interface Renewal {
  readonly renewed: readonly Job[];
  /** Still held when the unit of work that is changing them began. */
  readonly changing: readonly Job[];
}

/** The stored jobs. */
export interface Jobs {
  /** Plans a job. One already planned under its key is moved, and its runner loses it. */
  plan(job: PlannedJob): Promise<void>;
  /**
   * Plans a job unless it is already planned for the same time or earlier. A running job is left to its worker, which
   * must check for new work after it ends the job; it cannot end it before this unit ends.
   */
  planNoLaterThan(job: PlannedJob): Promise<void>;
  /** Cancels a job, if it exists. */
  cancel(kind: string, key: string): Promise<void>;
  /** Leases up to `max` due jobs of these kinds that are free, longest waiting first. */
  take(due: DueJobs): Promise<Job[]>;
  /** Ends a job; returns false when the lease was lost, and then nothing done for the job may be stored. */
  finish(job: Job): Promise<boolean>;
  /** Returns a job, to run at a time. */
  release(job: Job, run_at: string): Promise<void>;
  /** Frees all jobs whose node is no more; returns how many. */
  releaseOrphaned(): Promise<number>;
  /** Frees all jobs under a lease. */
  releaseLease(lease: string): Promise<void>;
  /**
   * Extends the leases of jobs to this long from now, except those that another unit of work is just changing, such as
   * the one that ends the job.
   */
  renew(jobs: readonly Job[], lease_s: number): Promise<Renewal>;
  /** Makes free jobs of these kinds due that wait for a time after `after`; returns how many. */
  bringForward(kinds: readonly string[], now: string, after: string): Promise<number>;
  /** Whether a job of these kinds is due and free. */
  hasDue(kinds: readonly string[], now: string): Promise<boolean>;
  /** The free job of these kinds that is to be done first, by its time, then its kind and key. */
  findNext(kinds: readonly string[]): Promise<PlannedJob | undefined>;
  /** The due jobs, by kind. */
  listBacklogs(now: string): Promise<Backlog[]>;
  /** When a job is due; undefined when it does not exist. */
  find(kind: string, key: string): Promise<string | undefined>;
}

/** A kind of jobs. When `prepare` rejects, the job is retried a while later. */
export interface JobKind<T = unknown> {
  readonly name: string;
  /** May take minutes. Long kinds do not run together with others, which would wait for them. */
  readonly isLong?: boolean;
  /** Waits for servers of other parties: nothing else waits with it. */
  readonly callsOtherServers?: boolean;
  /** Requests wait for it: it has a runner of its own. At most one kind. */
  readonly isAlone?: boolean;
  /** Users wait for its result, of which they ask again and again: it has a runner of its own. */
  readonly isAwaited?: boolean;
  /**
   * Keeps a processor busy for minutes: a node runs one at a time, in a runner of its own. It is told to stop when the node
   * stops, and begins again elsewhere or later.
   */
  readonly isHeavy?: boolean;
  /** Runs at a time that users know of, never earlier. For other kinds the delay may be shorter without harm. */
  readonly isTimed?: boolean;
  /** Removes what nobody sees any more: nobody notices whether it runs a day later. */
  readonly isHousekeeping?: boolean;
  /** Makes other work of this kind due that waits for times after `after`, when the clock was set back. */
  bringForward?(tx: WriteTransaction, now: string, after: string): Promise<void>;
  /**
   * What needs more than the database: reads and writes files, takes ids. May run more than once. The signal tells it
   * to stop because the lease was lost, or given up: another worker may do the job. Work that stops rejects with its reason.
   */
  prepare?(job: Job, services: Services, signal: AbortSignal): Promise<T>;
  /**
   * Stores the result, in the unit that ends the job: once. Never called for a job that was taken over. Kinds that
   * delete expired rows return their number.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most kinds delete nothing, and so answer nothing
  store(tx: WriteTransaction, job: Job, outcome: T, now: string): Promise<void | number>;
}
