import { rethrowDiskFailure } from './disk-failures.ts';
import type { Session } from './session.ts';
import type { Connection } from './writer-queue.ts';

/** Reads that share one snapshot of the database. */
export interface SharedSnapshot {
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Resolves when reads from then on, until `renew`, see exactly the commits so far: a commit that is not yet synced
   * must not be visible.
   */
  hold(): Promise<void>;
  /** Reads from now on see everything committed so far. */
  renew(): void;
  /** Number of units of work in progress. */
  busy(): number;
}

/**
 * Reads of one turn of the event loop share a snapshot: opening and closing one costs a quarter of a small read. The
 * snapshot ends once a commit of this process is synced, and not before; commits of other processes become visible in
 * the next turn.
 */
export function sharedSnapshot(reader: Connection): SharedSnapshot {
  let users = 0;
  let isOpen = false;
  let isHeld = false;
  /** Whether its turn has ended: it closes with its last user. */
  let isOver = false;
  /** Resolves when the last user of an outdated snapshot has finished. */
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
      // SQLite takes the snapshot with the first read.
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
