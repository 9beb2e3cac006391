import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { restrictToOwner } from './private-files.ts';

/** Releases the lock of `lockServerFile` or of a driver's `acquireServerLock`. */
export type ReleaseLock = () => Promise<void>;

/** Options of the server lock. */
export interface ServerLockOptions {
  /** Whether other nodes of the database may hold it too; PostgreSQL only. */
  readonly isShared: boolean;
}

/** Another process already serves the same data. */
export class ServerAlreadyRunning extends Error {
  override readonly name = 'ServerAlreadyRunning';
}

/**
 * Takes an operating-system lock on a file, which the end of this process releases, even if it is killed. Rate windows,
 * used nonces and caches are kept in memory, so two servers on the same data would contradict each other.
 * @source decision 67
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
    const holder = existsSync(holderOf(path)) ? ` (${readFileSync(holderOf(path), 'utf8')})` : '';
    throw new ServerAlreadyRunning(`another process${holder} serves the data that ${path} locks; stop it first`);
  }
  // Remove the note of a killed process.
  rmSync(holderOf(path), { force: true });
  return async () => database.close();
}

/** Records the holder of a lock, for the error message of other processes. */
export function noteHolder(path: string, holder: string): void {
  writeFileSync(holderOf(path), holder, { mode: 0o600 });
}

const holderOf = (path: string): string => `${path}.holder`;
