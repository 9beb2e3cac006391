import type { Changes } from '../../contract/store/cache-changes.ts';
import type { OutageListener } from '../unit-of-work.ts';
import type { ReleaseLock, ServerLockOptions } from './server-lock.ts';
import type { Session } from './session.ts';
import type { Dialect, Statements } from './statements.ts';

/** What differs between the two databases: connecting, transactions, errors of unique constraints. */
export interface Driver {
  readonly dialect: Dialect;
  readonly statements: Statements;
  /**
   * Runs on one consistent snapshot of the database. On PostgreSQL the work may start again at its second statement.
   * @source decision 733
   */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Runs in a transaction of its own; resolves when it is durable; rejects when nothing was stored, unless the outcome
   * is unknown.
   */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for units that first read and then only insert: those that wait at the same time are committed
   * together. Others can be given too, but start again. `kind` names units that do the same. Undefined on SQLite, which
   * commits all units so. @source decision 827
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
   * Replaces the whole contents by those of a copy, all or nothing. No unit of work may be under way. Undefined on
   * PostgreSQL. @source decision 878
   */
  readonly replaceBy?: (file: string) => Promise<void>;
  /**
   * Syncs to disk what was committed without that, and each commit from now on before it is acknowledged. Undefined on
   * PostgreSQL. @source decision 1040
   */
  readonly beginSyncing?: () => Promise<void>;
  ping(): Promise<void>;
  /** Listens for units of work that were reported as failed but are committed after all: caches may be stale. */
  readonly onRepaired?: (listener: () => void) => void;
  /**
   * Applies what processes other than `origin` have changed since the last call. Calls must not overlap. Undefined on
   * SQLite.
   */
  readonly lookForChanges?: ((origin: string, apply: (changes: Changes) => void) => Promise<void>) | undefined;
  /**
   * Runs in a transaction on the connection that makes this process the elected one; undefined while another process is
   * elected. Calls must not overlap. Undefined on SQLite. @throws StoreUnavailable
   */
  readonly writeElected?: <T>(work: (session: Session) => Promise<T>) => Promise<T | undefined>;
  /** The load: units of work that wait for a connection, and busy connections. */
  load(): { readonly waiting: number; readonly busy: number };
  /** Takes the server lock, which keeps off the database all servers that may not share it. @throws ServerAlreadyRunning */
  acquireServerLock(options: ServerLockOptions): Promise<ReleaseLock>;
  /** Notes who holds the server lock, for servers that do not get it. Undefined on PostgreSQL, which knows. */
  readonly noteServer?: (holder: string) => void;
  onOutage(listener: OutageListener): void;
  /** Closes after the units of work under way have finished. */
  close(): Promise<void>;
}
