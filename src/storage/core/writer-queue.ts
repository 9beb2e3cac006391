import { elapsed_ms, pause } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { mapDiskFailure } from './disk-failures.ts';
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

interface Waiting {
  work(session: Session): Promise<unknown>;
  done(value: unknown): void;
  failed(error: unknown): void;
}

/** Options of a writer queue. */
export interface QueueOptions {
  /** Off only in benchmarks. */
  readonly groupCommit: boolean;
  /** Awaited before a group is written. */
  readonly beforeGroup: () => Promise<void>;
  /** Called when a group is durable, before its units of work are acknowledged, and when it failed. */
  readonly afterGroup: () => void;
  /** Syncs committed data to disk in another thread. Omitted if commits are synced implicitly, or never. */
  readonly sync?: () => Promise<void>;
  /**
   * Writes again what a failed `sync` may have lost; rejects while that fails. Without it, all writes fail after a
   * failed sync.
   * @source decision 304, 433
   */
  readonly repair?: () => Promise<void>;
  /** Called when units of work that were reported as failed became durable after all. */
  readonly onRepaired?: () => void;
  /** Called between two groups; its promise is awaited. */
  readonly checkpoint?: () => Promise<void> | undefined;
}

/** Maximum number of units of work in a group: clients repeat them after a crash. */
const GROUP_MAX = 128;

/** SQLite's code for a lock that another process holds. */
const BUSY = 5;
/** How long units of work wait for that lock, and the interval of attempts, in milliseconds. */
const LOCK_WAITED_MS = 5000;
const LOCK_RETRIED_MS = 10;

/** Minimum interval of repairs, which rewrite the whole log, in milliseconds. */
const REPAIR_EVERY_MS = 500;

/**
 * A writer queue with group commit: units of work that arrived while the last group was being written run one after the
 * other, each in its own savepoint, and become durable through one fsync. None is acknowledged before that. Other work
 * goes on while the disk syncs. After a failed sync nothing is written or read until a repair succeeds.
 * @source decision 304, 433
 */
export class WriterQueue {
  readonly #writer;
  readonly #options;
  readonly #waiting: Waiting[] = [];
  #running = false;
  /** Why writes currently fail. */
  #broken: Error | undefined;
  #repairing: Promise<void> | undefined;
  #triedAt_ms = Number.NEGATIVE_INFINITY;

  constructor(writer: Connection, options: QueueOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  waiting(): number {
    return this.#waiting.length;
  }

  isRunning(): boolean {
    return this.#running;
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, done: resolve as (value: unknown) => void, failed: reject });
      if (!this.#running) {
        this.#running = true;
        void this.#drain();
      }
    });
  }

  /** Resolves if writing works; otherwise attempts a repair. @throws StoreUnavailable */
  async check(): Promise<void> {
    if (!this.#broken) return;
    const { repair, afterGroup, onRepaired } = this.#options;
    if (repair && !this.#repairing && elapsed_ms() - this.#triedAt_ms >= REPAIR_EVERY_MS) {
      this.#repairing = repair().then(
        () => {
          this.#broken = undefined;
          afterGroup();
          onRepaired?.();
        },
        () => {},
      );
      await this.#repairing;
      this.#repairing = undefined;
      this.#triedAt_ms = elapsed_ms();
    } else await this.#repairing;
    if (this.#broken) throw new StoreUnavailable(this.#broken);
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#options.checkpoint?.();
      await this.#runGroup();
    }
    this.#running = false;
  }

  /**
   * Requests that arrived during the last fsync are still in the sockets: wait for turns of the event loop while they
   * bring more units of work.
   */
  async #gather(): Promise<void> {
    let before: number;
    do {
      before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#options.groupCommit && this.#waiting.length > before && this.#waiting.length < GROUP_MAX);
  }

  async #runGroup(): Promise<void> {
    const group = this.#waiting.splice(0, this.#options.groupCommit ? GROUP_MAX : 1);
    const done: { unit: Waiting; value: unknown }[] = [];
    let isCommitted = false;
    try {
      await this.check();
      await this.#begin();
      for (const unit of group) {
        const outcome = await inSavepoint(this.#writer, unit);
        if (outcome) done.push({ unit, value: outcome.value });
      }
      this.#writer.exec('commit');
      isCommitted = true;
      await this.#options.sync?.().catch((error: Error) => this.#repairAfter(error));
    } catch (error) {
      if (this.#writer.isInTransaction()) this.#writer.exec('rollback');
      const failure = isCommitted
        ? new StoreUnavailable(error as Error, { isOutcomeUnknown: true })
        : mapDiskFailure(error);
      for (const unit of group) unit.failed(failure);
      return;
    } finally {
      if (!this.#broken) this.#options.afterGroup();
    }
    for (const { unit, value } of done) unit.done(value);
  }

  /** Waits for other writing processes without blocking this one. */
  async #begin(): Promise<void> {
    const until_ms = elapsed_ms() + LOCK_WAITED_MS;
    for (;;) {
      await this.#options.beforeGroup();
      try {
        return this.#writer.exec('begin immediate');
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY || elapsed_ms() >= until_ms) throw error;
      }
      this.#options.afterGroup();
      await pause(LOCK_RETRIED_MS);
    }
  }

  /** A second fsync may report success although the data of the failed one is lost. */
  async #repairAfter(error: Error): Promise<void> {
    this.#broken = new Error(`could not sync to disk: ${error.message}`, { cause: error });
    this.#triedAt_ms = Number.NEGATIVE_INFINITY;
    await this.check();
  }
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
