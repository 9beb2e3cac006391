import { DatabaseSync } from 'node:sqlite';
import { restrictToOwner } from './private-files.ts';

/** Lets go of what `lockServerFile` or `acquireServerLock` of a driver holds. */
export type ReleaseLock = () => Promise<void>;

/** Another process serves the same data. */
export class ServerAlreadyRunning extends Error {
  override readonly name = 'ServerAlreadyRunning';
}

/**
 * Holds a file for as long as this process lives, whatever ends it, by a lock of the operating system.
 * Rate windows, used nonces and caches are kept in a process, so two of them on the same data would not know of each
 * other's.
 */
export function lockServerFile(path: string): ReleaseLock {
  restrictToOwner(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    // 5 is SQLITE_BUSY.
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new ServerAlreadyRunning(`another process serves the data beside ${path}; stop it first`);
  }
  return async () => database.close();
}
