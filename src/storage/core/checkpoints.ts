import { openThread } from '../../base/threads.ts';
import type { CheckpointCalls } from './checkpoint-worker.ts';

/** The length of SQLite's write-ahead log, in pages. */
export interface WalState {
  readonly pages: number;
  /** Pages already copied to the database file. */
  readonly checkpointed: number;
}

/** Copies the write-ahead log into the database file. */
export interface Checkpoints {
  /**
   * Called between two groups of writes; starts a checkpoint in the background when many pages wait. A promise means
   * that the log has become long and that writers should wait: SQLite restarts a log only when all of it has been
   * copied.
   */
  checkpointIfNeeded(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** A checkpoint starts at this many pages, about 4 MB, which is also SQLite's default. */
const MANY = 1000;
/** Writers wait for a log of this many pages, about 64 MB. */
const LONG = 16_384;

/**
 * Checkpoints in a thread: syncing megabytes to a busy disk takes long, and requests would have to wait. The thread
 * starts with the first checkpoint.
 */
export function checkpointsOf(file: string, state: () => WalState): Checkpoints {
  const thread = openThread<CheckpointCalls>(new URL('./checkpoint-worker.ts', import.meta.url));
  let moving: Promise<void> | undefined;
  let hasStarted = false;
  const move = (): Promise<void> => {
    hasStarted = true;
    moving ??= thread.call('move', file).finally(() => {
      moving = undefined;
    });
    return moving;
  };
  /** Few pages arrived during the last pass and writers are waiting, so one more pass copies the rest. */
  const moveAll = async (): Promise<void> => {
    await moving?.catch(() => {});
    await move().catch(() => {});
  };
  return {
    checkpointIfNeeded() {
      const { pages, checkpointed } = state();
      if (pages - checkpointed >= MANY && pages >= LONG) return moveAll();
      // The next pass makes up for a failed one: nothing is lost while the pages are in the log.
      if (pages - checkpointed >= MANY) move().catch(() => {});
      return undefined;
    },
    async close() {
      if (hasStarted) await thread.call('leave', undefined).catch(() => {});
      await thread.close();
    },
  };
}
