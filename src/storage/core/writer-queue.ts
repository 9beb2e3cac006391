import { elapsed_ms, pause } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { mapDiskFailure } from './disk-failures.ts';
import type { Driver } from './driver.ts';
import type { Session } from './session.ts';

/** A connection, used by one unit of work at a time. */
export interface Connection {
  readonly session: Session;
  /** Runs a statement without arguments or rows, such as `begin`. */
  exec(word: string): void;
  /** The rows of a statement without arguments. */
  query(word: string): Readonly<Record<string, unknown>>[];
  isInTransaction(): boolean;
  close(): void;
}

/** Runs units of work that write, one after the other. */
export interface WriterQueue {
  readonly write: Driver['write'];
  waiting(): number;
  isRunning(): boolean;
  /** Resolves if writing works; otherwise attempts a repair. @throws StoreUnavailable */
  check(): Promise<void>;
}

interface Waiting {
  work(session: Session): Promise<unknown>;
  done(value: unknown): void;
  failed(error: unknown): void;
}

/** Options of a writer queue. */
export interface QueueOptions {
  /** Off only for measuring. */
  readonly groupCommit: boolean;
  /** Awaited before a group is written. */
  readonly beforeGroup: () => Promise<void>;
  /** Called when a group is durable, before its units of work are acknowledged, and when it failed. */
  readonly afterGroup: () => void;
  /** Syncs committed data to disk, off this thread. Omitted where commits sync by themselves, or where nothing does. */
  readonly sync?: () => Promise<void>;
  /**
   * Writes what a failed `sync` may have lost to disk again; rejects while that fails. Without it nothing is written
   * any more after a failed sync.
   * @source decision 304, 433
   */
  readonly repair?: () => Promise<void>;
  /** Called when units of work that were reported as failed became durable after all. */
  readonly onRepaired?: () => void;
  /** Called between two groups; its promise is awaited. */
  readonly checkpoint?: () => Promise<void> | undefined;
}

/** At most this many units of work in a group: clients repeat them after a crash. */
const GROUP_MAX = 128;

/** SQLite's code for a lock that another process holds. */
const BUSY = 5;
/** How long units of work wait for that lock, and how often they try. */
const LOCK_WAITED_MS = 5000;
const LOCK_RETRIED_MS = 10;

/** A repair rewrites the whole log, so attempts are at least this far apart, in milliseconds. */
const REPAIR_EVERY_MS = 500;

/**
 * A writer queue with group commit: units of work that arrived while the last group was being written run one after the
 * other, each in its own savepoint, and become durable through one fsync. None is acknowledged before that. Other work
 * goes on while the disk syncs. After a failed sync nothing is written or read until a repair succeeds.
 * @source decision 304, 433
 */
export function writerQueue(writer: Connection, options: QueueOptions): WriterQueue {
  const waiting: Waiting[] = [];
  let running = false;
  /** Why writes currently fail. */
  let broken: Error | undefined;
  let repairing: Promise<void> | undefined;
  let triedAt_ms = Number.NEGATIVE_INFINITY;

  async function runGroup(): Promise<void> {
    const group = waiting.splice(0, options.groupCommit ? GROUP_MAX : 1);
    const done: { unit: Waiting; value: unknown }[] = [];
    let isCommitted = false;
    try {
      await check();
      await begin();
      for (const unit of group) {
        const outcome = await inSavepoint(writer, unit);
        if (outcome) done.push({ unit, value: outcome.value });
      }
      writer.exec('commit');
      isCommitted = true;
      await options.sync?.().catch(repairAfter);
    } catch (error) {
      if (writer.isInTransaction()) writer.exec('rollback');
      const failure = isCommitted
        ? new StoreUnavailable(error as Error, { isOutcomeUnknown: true })
        : mapDiskFailure(error);
      for (const unit of group) unit.failed(failure);
      return;
    } finally {
      if (!broken) options.afterGroup();
    }
    for (const { unit, value } of done) unit.done(value);
  }

  /** Waits for other processes that write, without keeping this one from other work. */
  async function begin(): Promise<void> {
    const until_ms = elapsed_ms() + LOCK_WAITED_MS;
    for (;;) {
      await options.beforeGroup();
      try {
        return writer.exec('begin immediate');
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY || elapsed_ms() >= until_ms) throw error;
      }
      options.afterGroup();
      await pause(LOCK_RETRIED_MS);
    }
  }

  /** A second fsync may report success although the data of the failed one is lost. */
  async function repairAfter(error: Error): Promise<void> {
    broken = new Error(`could not sync to disk: ${error.message}`, { cause: error });
    triedAt_ms = Number.NEGATIVE_INFINITY;
    await check();
  }

  async function check(): Promise<void> {
    if (!broken) return;
    if (options.repair && !repairing && elapsed_ms() - triedAt_ms >= REPAIR_EVERY_MS) {
      repairing = options.repair().then(
        () => {
          broken = undefined;
          options.afterGroup();
          options.onRepaired?.();
        },
        () => {},
      );
      await repairing;
      repairing = undefined;
      triedAt_ms = elapsed_ms();
    } else await repairing;
    if (broken) throw new StoreUnavailable(broken);
  }

  /**
   * Requests that arrived during the last fsync are still in the sockets: wait for turns of the event loop while they
   * bring more units of work.
   */
  async function gather(): Promise<void> {
    let before: number;
    do {
      before = waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    } while (options.groupCommit && waiting.length > before && waiting.length < GROUP_MAX);
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      await options.checkpoint?.();
      await runGroup();
    }
    running = false;
  }

  return {
    waiting: () => waiting.length,
    isRunning: () => running,
    check,
    write: <T>(work: (session: Session) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, done: resolve as (value: unknown) => void, failed: reject });
        if (!running) {
          running = true;
          void drain();
        }
      }),
  };
}

/** Runs one unit of work; a failure rolls back only that one and is reported to its caller at once. */
async function inSavepoint(writer: Connection, unit: Waiting): Promise<{ value: unknown } | undefined> {
  writer.exec('savepoint unit');
  try {
    const value = await unit.work(writer.session);
    writer.exec('release unit');
    return { value };
  } catch (error) {
    // A full disk may have rolled back the whole transaction: then the whole group has failed.
    if (!writer.isInTransaction()) throw error;
    writer.exec('rollback to unit');
    writer.exec('release unit');
    unit.failed(mapDiskFailure(error));
    return undefined;
  }
}
