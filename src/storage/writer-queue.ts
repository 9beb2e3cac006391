import type { Session } from './session.ts';
import type { Driver } from './store.ts';

/** A connection that is used by one unit of work at a time. */
export interface Connection {
  readonly session: Session;
  /** Runs a word of transactions, such as `begin`. */
  run(word: string): void;
  /** The rows that a word answers with. */
  look(word: string): Readonly<Record<string, unknown>>[];
  isInTransaction(): boolean;
  close(): void;
}

/** What writes, one unit after the other. */
export interface WriterQueue {
  readonly write: Driver['write'];
  waiting(): number;
  isRunning(): boolean;
  /** Why nothing is written any more, once the disk has failed. */
  failure(): Error | undefined;
}

interface Waiting {
  work(session: Session): Promise<unknown>;
  done(value: unknown): void;
  failed(error: unknown): void;
}

/** What a queue needs beside a connection. */
export interface QueueOptions {
  /** Off only for measuring. */
  readonly groups: boolean;
  /** Is waited for before a group is written. */
  readonly begins: () => Promise<void>;
  /** Is called when a group is durable, before its units are acknowledged, and when nothing came of it. */
  readonly ended: () => void;
  /** Brings what is committed to the disk, away from this thread. Left out where commits do that, or nobody does. */
  readonly sync?: () => Promise<void>;
  /** Is called between two groups; what it promises is waited for. */
  readonly tend?: () => Promise<void> | undefined;
}

/** Units in a group at most: what a crash in the middle makes clients send again. */
const GROUP_MAX = 128;

/**
 * The writer's queue with group commit: units that arrived while the last group was being written run one after the
 * other, each in its own savepoint, and become durable through one fsync. No unit is acknowledged before that. While the
 * disk is waited for, everything else goes on.
 */
export function writerQueue(writer: Connection, options: QueueOptions): WriterQueue {
  const waiting: Waiting[] = [];
  let running = false;
  /** Why nothing is written any more. */
  let broken: Error | undefined;

  async function runGroup(): Promise<void> {
    const group = waiting.splice(0, options.groups ? GROUP_MAX : 1);
    const done: { unit: Waiting; value: unknown }[] = [];
    await options.begins();
    try {
      if (broken) throw broken;
      writer.run('begin immediate');
      for (const unit of group) {
        const outcome = await inSavepoint(writer, unit);
        if (outcome) done.push({ unit, value: outcome.value });
      }
      writer.run('commit');
      await options.sync?.().catch(breakWith);
    } catch (error) {
      if (writer.isInTransaction()) writer.run('rollback');
      for (const unit of group) unit.failed(error);
      return;
    } finally {
      options.ended();
    }
    for (const { unit, value } of done) unit.done(value);
  }

  /** What a disk did not take it may claim to have taken when it is asked again: only opening anew shows what is there. */
  function breakWith(error: Error): never {
    broken = new Error(`the disk did not take what was written: ${error.message}`, { cause: error });
    throw broken;
  }

  /** What arrived during the last fsync is still in the sockets: as long as a look at them brings units, look again. */
  async function gather(): Promise<void> {
    let before: number;
    do {
      before = waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    } while (options.groups && waiting.length > before && waiting.length < GROUP_MAX);
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      await options.tend?.();
      await runGroup();
    }
    running = false;
  }

  return {
    waiting: () => waiting.length,
    isRunning: () => running,
    failure: () => broken,
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

/** Runs one unit; a failure undoes it alone and is told to its caller at once. */
async function inSavepoint(writer: Connection, unit: Waiting): Promise<{ value: unknown } | undefined> {
  writer.run('savepoint unit');
  try {
    const value = await unit.work(writer.session);
    writer.run('release unit');
    return { value };
  } catch (error) {
    writer.run('rollback to unit');
    writer.run('release unit');
    unit.failed(error);
    return undefined;
  }
}
