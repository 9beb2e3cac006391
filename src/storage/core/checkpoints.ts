import { openThread } from '../../base/threads.ts';
import type { CheckpointCalls } from './checkpoint-worker.ts';

/** How far the write-ahead log of the embedded database has come, in pages. */
export interface WalState {
  readonly pages: number;
  /** How many of them the database file has already. */
  readonly checkpointed: number;
}

/** Moves what the write-ahead log holds into the database file. */
export interface Checkpoints {
  /**
   * Is called between two groups of writes: moves pages beside what goes on when there are many. A promise means that the log
   * has become long, and that writers had better wait for it: only a log of which everything has been moved begins anew.
   */
  checkpointIfNeeded(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** A checkpoint starts at this many pages, about 4 MB, as in SQLite itself. */
const MANY = 1000;
/** About 64 MB. */
const LONG = 16_384;

/**
 * Checkpoints in a thread: to bring megabytes to a busy disk takes long, and requests would wait for it. The thread starts
 * with the first of them.
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
  /** What arrived while pages were being moved is little, and nobody writes meanwhile: a pass more moves it too. */
  const moveAll = async (): Promise<void> => {
    await moving?.catch(() => {});
    await move().catch(() => {});
  };
  return {
    checkpointIfNeeded() {
      const { pages, checkpointed: moved } = state();
      if (pages - moved >= MANY && pages >= LONG) return moveAll();
      // A pass that failed is made up for by the next one: nothing is lost while pages are in the log.
      if (pages - moved >= MANY) move().catch(() => {});
      return undefined;
    },
    async close() {
      if (hasStarted) await thread.call('leave', undefined).catch(() => {});
      await thread.close();
    },
  };
}
