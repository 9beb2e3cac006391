import type { Session } from './session.ts';
import type { Connection } from './writer-queue.ts';

/** Reads that share a snapshot of the database. */
export interface SharedSnapshot {
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** What is read from now on sees everything that was committed until now. */
  renew(): void;
  /** Units under way. */
  busy(): number;
}

/**
 * Reads of one turn of the event loop share a snapshot: to open and to close one costs a quarter of what a small read
 * costs. A commit of this process ends the snapshot at once; what other processes commit is seen in the next turn.
 */
export function sharedSnapshot(reader: Connection): SharedSnapshot {
  let users = 0;
  let isOpen = false;
  /** Resolves when the last user of a snapshot that is out of date has gone. */
  let leaving: { promise: Promise<void>; resolve: () => void } | undefined;

  const close = (): void => {
    isOpen = false;
    leaving?.resolve();
    leaving = undefined;
    if (reader.isInTransaction()) reader.run('commit');
  };
  const endTurn = (): void => {
    if (!isOpen) return;
    if (users === 0) close();
    else setImmediate(endTurn);
  };
  const join = (): void => {
    users += 1;
    if (isOpen) return;
    isOpen = true;
    setImmediate(endTurn);
    reader.run('begin');
  };
  const leave = (): void => {
    users -= 1;
    if (users === 0 && leaving) close();
  };

  return {
    async read(work) {
      while (leaving) await leaving.promise;
      join();
      try {
        return await work(reader.session);
      } finally {
        leave();
      }
    },
    renew() {
      if (!isOpen) return;
      if (users === 0) close();
      else leaving ??= Promise.withResolvers<void>();
    },
    busy: () => users,
  };
}
