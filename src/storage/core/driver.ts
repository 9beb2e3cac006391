import type { Changes } from '../../contract/store/cache-changes.ts';
import type { OutageListener } from '../unit-of-work.ts';
import type { ReleaseLock, ServerLockOptions } from './server-lock.ts';
import type { Session } from './session.ts';
import type { Dialect, Statements } from './statements.ts';

/** The differences between the two databases: connecting, transactions, errors of unique constraints. */
export interface Driver {
  readonly dialect: Dialect;
  readonly statements: Statements;
  /**
   * Runs on one consistent snapshot of the database. On PostgreSQL, `work` may be restarted at its second statement.
   * @source decision 733
   */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Runs in a transaction of its own; resolves once it is durable; rejects if nothing was stored or the outcome is
   * unknown.
   */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for units that first read and then only insert: those waiting at the same time share a commit. A unit
   * that does anything else is restarted by itself. `kind` identifies units that run the same code. Undefined on
   * SQLite, where all units share commits.
   * @source decision 827
   */
  readonly writeTogether?: <T>(kind: string, work: (session: Session) => Promise<T>) => Promise<T>;
  /**
   * Like `write`, on a connection of its own, for short units that must not wait behind requests. Undefined on SQLite,
   * which has one writer.
   */
  readonly writeUrgent?: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Copies the database, as of one moment, to a new file. Undefined on PostgreSQL. */
  readonly copyTo?: (file: string) => Promise<void>;
  /**
   * Atomically replaces the whole contents with those of a copy. No unit of work may be in progress. Undefined on
   * PostgreSQL.
   * @source decision 878
   */
  readonly replaceWith?: (file: string) => Promise<void>;
  /**
   * Syncs earlier commits to disk, and from now on every commit before it is acknowledged. Undefined on PostgreSQL.
   * @source decision 1040
   */
  readonly beginSyncing?: () => Promise<void>;
  ping(): Promise<void>;
  /** Listens for units of work that were reported as failed but are committed after all: caches may be stale. */
  readonly onRepaired?: (listener: () => void) => void;
  /**
   * Passes `apply` the changes of processes other than `origin` since the last call. Calls must not overlap. Undefined on
   * SQLite.
   */
  readonly readExternalChanges?: ((origin: string, apply: (changes: Changes) => void) => Promise<void>) | undefined;
  /**
   * Runs in a transaction on the connection by which this process is elected; undefined while another process is
   * elected. Calls must not overlap. Undefined on SQLite.
   * @throws StoreUnavailable
   */
  readonly writeElected?: <T>(work: (session: Session) => Promise<T>) => Promise<T | undefined>;
  /** The load: units of work that wait for a connection, and busy connections. */
  load(): { readonly waiting: number; readonly busy: number };
  /** Takes the server lock, which excludes servers that may not share the database. @throws ServerAlreadyRunning */
  acquireServerLock(options: ServerLockOptions): Promise<ReleaseLock>;
  /**
   * Records the holder of the server lock, for the error message of other servers. Undefined on PostgreSQL, which knows
   * the holder.
   */
  readonly noteServer?: (holder: string) => void;
  onOutage(listener: OutageListener): void;
  /** Closes once the units of work in progress have finished. */
  close(): Promise<void>;
}
