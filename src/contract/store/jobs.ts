import type { Services } from '../declare/operation.ts';
import type { WriteTransaction } from './store.ts';

/** Work for later, planned in the unit of work that is its cause. Times are UTC texts. */
export interface PlannedJob {
  /** The name of a kind of jobs. */
  readonly kind: string;
  /** What it is about; of a kind there is one job a key at most. */
  readonly key: string;
  readonly run_at: string;
}

/** A job that somebody has taken: nobody else does while the lease lasts. */
export interface Job extends PlannedJob {
  /** What proves that it was taken here. */
  readonly lease: string;
  /** How often it was taken, this time included. */
  readonly attempts: number;
}

/** Which jobs are to be taken, and until when. */
export interface DueJobs {
  readonly kinds: readonly string[];
  readonly now: string;
  readonly until: string;
  readonly lease: string;
  readonly max: number;
}

/** The jobs of one kind that are due, whether somebody has taken them or not. */
export interface Backlog {
  readonly kind: string;
  readonly count: number;
  /** When the first of them should have been done. */
  readonly since: string;
}

/** Work for later, as it is kept. */
export interface Jobs {
  /** Plans a job; one that is planned already under its key is moved, and whoever does it has lost it. */
  plan(job: PlannedJob): Promise<void>;
  /**
   * Plans a job unless it is planned for no later. One that is being done is left to whoever does it, who must look at what
   * came meanwhile once he has ended it; until this unit ends, he cannot.
   */
  planNoLaterThan(job: PlannedJob): Promise<void>;
  /** Calls a job off, if there is one. */
  cancel(kind: string, key: string): Promise<void>;
  /** Takes up to `max` jobs of these kinds that are due and that nobody has taken, those that wait longest first. */
  take(due: DueJobs): Promise<Job[]>;
  /** Ends a job; false when it is not ours any more, and then nothing that was done for it may be stored. */
  finish(job: Job): Promise<boolean>;
  /** Gives a job back, to be done at a time. */
  release(job: Job, run_at: string): Promise<void>;
  /** Frees every job that was taken: for a server that starts, and that is the only one. Whoever took them is gone. */
  releaseAll(): Promise<void>;
  /** Frees what was taken under a lease, if anything was. */
  releaseLease(lease: string): Promise<void>;
  /** Lets what was taken under a lease be ours for longer. */
  renew(lease: string, until: string): Promise<void>;
  /** Makes those of these kinds due that wait for a time after `after`, and that nobody has taken; tells how many. */
  bringForward(kinds: readonly string[], now: string, after: string): Promise<number>;
  /** When the next job of these kinds is due, or free again; undefined without any. */
  findNext(kinds: readonly string[]): Promise<string | undefined>;
  /** What is due at a time, by kind. */
  listBacklogs(now: string): Promise<Backlog[]>;
  /** When a job is to be done; undefined when there is none. */
  find(kind: string, key: string): Promise<string | undefined>;
}

/** Something that is done later. What `outside` rejects with is tried again a while later. */
export interface JobKind<T = unknown> {
  readonly name: string;
  /** May take minutes: kinds that do are not done together with others, which would wait. */
  readonly isLong?: boolean;
  /** Waits for other people's servers: nothing else waits with it. */
  readonly callsOtherServers?: boolean;
  /** Is done at a time that people know of, never before; other kinds are done after a while, and take no harm from less. */
  readonly isTimed?: boolean;
  /** Makes what else waits for times after `after` due, when the clock was set back. */
  bringForward?(tx: WriteTransaction, now: string, after: string): Promise<void>;
  /** What takes more than the database: reads and writes files, takes ids. It may happen more than once. */
  prepare?(job: Job, services: Services): Promise<T>;
  /**
   * Stores what comes of it, in the unit that ends the job: once. Never called for a job that others have taken over. Kinds
   * that delete what has expired answer with the number of rows.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most kinds delete nothing, and so answer nothing
  store(tx: WriteTransaction, job: Job, outcome: T, now: string): Promise<void | number>;
}
