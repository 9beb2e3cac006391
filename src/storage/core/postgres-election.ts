import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Connections } from './postgres-connections.ts';
import type { Line } from './postgres-line.ts';
import type { KnownStatements } from './postgres-statements.ts';
import { Transaction, transactionSession } from './postgres-transaction.ts';
import type { Session } from './session.ts';
import type { Statements } from './statements.ts';

/** Dependencies of the election. */
export interface PostgresElectionParts {
  /** A pool of one connection. */
  readonly connections: Pick<Connections, 'acquire' | 'close'>;
  readonly statements: Statements;
  readonly known: KnownStatements;
  /** @throws StoreUnavailable while the server lock is lost */
  readonly assertHeld: () => void;
  /** Maps the error of a failed unit for callers. */
  readonly mapFailure: (error: unknown, unit: { readonly isBroken: boolean }) => unknown;
}

/** Elects the process of a database that does the work of a single process. */
export interface PostgresElection {
  /**
   * Runs a unit of work if this process is elected or can be; otherwise returns undefined. Calls must not overlap.
   * @throws StoreUnavailable
   */
  write<T>(work: (session: Session) => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
}

/** The advisory lock key of the elected process: an arbitrary number. */
const ELECTED = 4_815_162_344;

/**
 * A frozen or disconnected process must not stay elected: PostgreSQL terminates its session after this idle time, and
 * its statements after this lock wait. Older servers have no session timeout.
 */
const SILENCE_MS = 5000;
const TAKE_PART = `select set_config(name, '${SILENCE_MS}ms', false) from pg_settings
  where name in ('idle_session_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout')`;

/** PostgreSQL's error code lock_not_available. */
const LOCK_TIMEOUT = '55P03';
const OLDEST = `select pid, floor(extract(epoch from clock_timestamp() - xact_start))::text as age_s from pg_stat_activity
  where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
  order by xact_start limit 1`;

const TRY = `select pg_try_advisory_lock(${ELECTED}) as got`;

/**
 * Elects by an advisory lock on a dedicated connection, which also runs the work: a process that has lost the
 * connection, and perhaps the lock, cannot change anything.
 * @source decision 759
 */
export function postgresElection(parts: PostgresElectionParts): PostgresElection {
  const { connections, statements, known, assertHeld, mapFailure } = parts;
  let line: Line | undefined;
  let isElected = false;
  let underWay: Promise<unknown> = Promise.resolve();

  const drop = (cause: Error): void => {
    line?.release(cause);
    line = undefined;
    isElected = false;
  };
  const ask = (on: Line, text: string): Promise<unknown> =>
    on.ask({ known: undefined, text, values: [], wantsRows: true, begin: undefined });

  const elected = async (): Promise<Line | undefined> => {
    if (line?.isBroken) drop(new Error('the connection broke'));
    if (!line) {
      line = await connections.acquire();
      await ask(line, TAKE_PART);
    }
    if (!isElected) isElected = ((await ask(line, TRY)) as [{ got: boolean }])[0].got;
    return isElected ? line : undefined;
  };

  /** Finds the transaction that probably holds the lock: the oldest writing one of the database. */
  const heldUp = async (cause: Error): Promise<StoreUnavailable> => {
    const other = await connections.acquire();
    try {
      const [oldest] = (await ask(other, OLDEST)) as [{ pid: number; age_s: string }?];
      if (!oldest) return new StoreUnavailable(cause);
      const { pid, age_s } = oldest;
      const message = `${cause.message}; process ${pid} of PostgreSQL has had a transaction open for ${age_s} s`;
      return new StoreUnavailable(new Error(message, { cause }));
    } finally {
      other.release();
    }
  };

  async function write<T>(work: (session: Session) => Promise<T>): Promise<T | undefined> {
    assertHeld();
    try {
      const own = await elected();
      if (!own) return undefined;
      const transaction = new Transaction('begin', async () => own);
      const session = transactionSession(transaction, { statements, known });
      const value = await work(session).finally(() => transaction.end());
      if (transaction.hasAsked && (await own.command('commit')) !== 'COMMIT')
        throw new Error('the transaction was rolled back because a statement failed');
      return value;
    } catch (error) {
      // Ending the session ends its transaction.
      const isBroken = line?.isBroken ?? false;
      drop(error as Error);
      const isHeldUp = (error as { code?: string }).code === LOCK_TIMEOUT;
      const failure = isHeldUp ? await heldUp(error as Error) : mapFailure(error, { isBroken });
      throw failure instanceof StoreUnavailable ? failure : new StoreUnavailable(failure as Error);
    }
  }

  return {
    write(work) {
      const writing = write(work);
      underWay = writing.catch(() => undefined);
      return writing;
    },
    async close() {
      await underWay;
      line?.release();
      line = undefined;
      await connections.close();
    },
  };
}
