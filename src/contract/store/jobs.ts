import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import type { Services } from '../declare/operation.ts';

/** A job to plan in the unit of work that causes it. Times are UTC texts. */
export interface PlannedJob {
  /** The name of a job kind. */
  readonly kind: string;
  /** What it is about; at most one job exists per kind and key. */
  readonly key: string;
  readonly run_at: string;
}

/** A job leased by a worker, exclusively while the lease lasts. */
export interface Job extends PlannedJob {
  /** Proves who holds the job: unique among all leases. */
  readonly lease: string;
  /** How often it was taken, including this time. */
  readonly attempts: number;
}

/** The due jobs of one kind, leased or not. */
export interface Backlog {
  readonly kind: string;
  readonly count: number;
  /** When the earliest of them was due. */
  readonly since: string;
}

/**
 * Lanes of jobs: each has a runner of its own, so that jobs of one do not delay those of another.
 * - `database`: short jobs that need only the database
 * - `remote`: call servers of other parties
 * - `long`: may take minutes
 * - `awaited`: users poll for their results
 * - `alone`: requests wait for the only kind of the lane
 * - `heavy`: keep a processor busy for minutes. A node runs one at a time, and aborts it when the node stops.
 */
export const LANES = ['database', 'remote', 'long', 'awaited', 'alone', 'heavy'] as const;

/** A lane of jobs. */
type Lane = (typeof LANES)[number];

/** A kind of jobs. When `prepare` rejects, the job is retried a while later. */
export interface JobKind<T = unknown> {
  readonly name: string;
  /** `database` by default. */
  readonly lane?: Lane;
  /** Runs at a time that users know of, never earlier. For other kinds the delay may be shorter without harm. */
  readonly isTimed?: boolean;
  /** Housekeeping: may run up to a day late. */
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
