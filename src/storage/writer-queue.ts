import type { Session } from './session.ts';
import type { Driver } from './store.ts';

/** A connection that is used by one unit of work at a time. */
export interface Connection {
  readonly session: Session;
  /** Runs a word of transactions, such as `begin`. */
  run(word: string): void;
  isInTransaction(): boolean;
  close(): void;
}

/** What writes, one unit after the other. */
export interface WriterQueue {
  readonly write: Driver['write'];
  waiting(): number;
  isRunning(): boolean;
}

interface Waiting {
  work(session: Session): Promise<unknown>;
  committed(value: unknown): void;
  failed(error: unknown): void;
}

/** Units in a group at most: what a crash in the middle makes clients send again. */
const GROUP_MAX = 128;

/**
 * The writer's queue with group commit: units that arrived while the last group was being written run one after the
 * other, each in its own savepoint, and become durable through one fsync. No unit is acknowledged before that.
 */
export function writerQueue(
  writer: Connection,
  options: {
    /** Off only for measuring. */
    readonly groups: boolean;
    /** Is called when a group is durable, before its units are acknowledged. */
    readonly committed: () => void;
  },
): WriterQueue {
  const waiting: Waiting[] = [];
  let running = false;

  async function runGroup(): Promise<void> {
    const group = waiting.splice(0, options.groups ? GROUP_MAX : 1);
    const done: { unit: Waiting; value: unknown }[] = [];
    try {
      writer.run('begin immediate');
      for (const unit of group) {
        const outcome = await inSavepoint(writer, unit);
        if (outcome) done.push({ unit, value: outcome.value });
      }
      writer.run('commit');
    } catch (error) {
      if (writer.isInTransaction()) writer.run('rollback');
      for (const unit of group) unit.failed(error);
      return;
    }
    options.committed();
    for (const { unit, value } of done) unit.committed(value);
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
      await runGroup();
    }
    running = false;
  }

  return {
    waiting: () => waiting.length,
    isRunning: () => running,
    write: <T>(work: (session: Session) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, committed: resolve as (value: unknown) => void, failed: reject });
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
