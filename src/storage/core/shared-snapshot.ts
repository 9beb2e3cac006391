import { rethrowDiskFailure } from './disk-failures.ts';
import type { Session } from './session.ts';
import type { Connection } from './writer-queue.ts';

/** Reads that share one snapshot of the database. */
export interface SharedSnapshot {
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Resolves when what is read from then on, until the snapshot is renewed, sees what was committed by now and nothing that
   * comes after: what is on its way to the disk is nobody's yet.
   */
  hold(): Promise<void>;
  /** What is read from now on sees everything that was committed until now. */
  renew(): void;
  /** Units under way. */
  busy(): number;
}

/**
 * Reads of one turn of the event loop share a snapshot: to open and to close one costs a quarter of what a small read
 * costs. A commit of this process ends the snapshot as soon as it is on disk, and not before; what other processes commit is
 * seen in the next turn.
 */
export function sharedSnapshot(reader: Connection): SharedSnapshot {
  let users = 0;
  let isOpen = false;
  let isHeld = false;
  /** The turn in which it was opened has ended: it is closed as soon as nobody uses it. */
  let isOver = false;
  /** Resolves when the last user of a snapshot that is out of date has gone. */
  let leaving: { promise: Promise<void>; resolve: () => void } | undefined;

  const close = (): void => {
    isOpen = false;
    leaving?.resolve();
    leaving = undefined;
    if (reader.isInTransaction()) reader.exec('commit');
  };
  const endTurn = (): void => {
    if (!isOpen) return;
    isOver = true;
    closeUnused();
  };
  const closeUnused = (): void => {
    if (users === 0 && (leaving || (isOver && !isHeld))) close();
  };
  const open = (): void => {
    if (isOpen) return;
    reader.exec('begin');
    isOpen = true;
    isOver = false;
  };
  const join = (): void => {
    if (!isOpen) {
      open();
      setImmediate(endTurn);
    }
    users += 1;
  };
  const leave = (): void => {
    users -= 1;
    closeUnused();
  };

  return {
    async read(work) {
      while (leaving) await leaving.promise;
      join();
      try {
        return await work(reader.session);
      } catch (error) {
        rethrowDiskFailure(error);
      } finally {
        leave();
      }
    },
    async hold() {
      while (leaving) await leaving.promise;
      open();
      isHeld = true;
      // Only with the first look is the snapshot taken.
      reader.query('select 1 from sqlite_schema limit 1');
    },
    renew() {
      isHeld = false;
      if (!isOpen) return;
      if (users === 0) close();
      else leaving ??= Promise.withResolvers<void>();
    },
    busy: () => users,
  };
}
