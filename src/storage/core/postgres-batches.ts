import { nextTurn } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { insertDynamicRows } from './bulk-insert.ts';
import type { Connections } from './postgres-connections.ts';
import type { FailedUnit } from './postgres-failures.ts';
import type { Line } from './postgres-line.ts';
import type { KnownStatement, KnownStatements } from './postgres-statements.ts';
import { type RawValue, type Session, type StatementProbe, sessionOf } from './session.ts';
import type { Statements, Value } from './statements.ts';
import { UnitRestarted } from './unit-restarted.ts';

/** Dependencies of batches. */
export interface BatchesOptions {
  readonly connections: Pick<Connections, 'acquire'>;
  readonly statements: Statements;
  readonly known: KnownStatements;
  readonly probe: StatementProbe | undefined;
  /** Runs a unit of work in a transaction of its own. */
  readonly alone: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Maps an error for callers; also handles a commit with an unknown outcome. */
  readonly mapFailure: (error: unknown, unit: Pick<FailedUnit, 'isBroken' | 'isCommitting'>) => unknown;
}

/** Units of work that are committed together. */
export interface Batches {
  /** @param kind identifies units that run the same code */
  write<T>(kind: string, work: (session: Session) => Promise<T>): Promise<T>;
  /** Number of units waiting for a batch. */
  waiting(): number;
  /** Resolves when no unit is in progress. */
  settled(): Promise<void>;
}

/** Maximum number of concurrent batches. */
const BATCHES_MAX = 2;

/** Maximum number of units in a batch. */
const UNITS_MAX = 100;

/**
 * Lock timeout of a batch in milliseconds. After it, or a deadlock, each unit runs by itself, so that only those that
 * need the lock wait.
 */
const LOCK_MS = 50;
const BEGIN = `begin; set local lock_timeout = ${LOCK_MS}`;

/** Number of units of a kind that run alone after one had to leave its batch; doubles with each further one. */
const ALONE_MIN = 16;
const ALONE_MAX = 4096;

/** How long units of a kind stay out of batches. */
interface Backoff {
  /** How many more run alone. */
  alone: number;
  /** How many run alone after the next one leaves its batch. */
  next: number;
}

interface Group {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: Readonly<Record<string, Value>>[];
}

/**
 * Batches units of work that first read and then only insert. Those that wait at the same time share one transaction:
 * their queries are pipelined; when all units have ended, their inserts are pipelined with `commit`, one statement for
 * each table. The units do not affect each other: their queries take no locks, and all run before any insert, as they
 * might in concurrent transactions. A unit that does anything else leaves the batch: it restarts in a transaction of
 * its own, and further statements of its first run are rejected. If the batch is rolled back, all of its units restart
 * like this.
 * @source decision 827, 828, 829
 */
export function postgresBatches(options: BatchesOptions): Batches {
  const { connections, alone, mapFailure } = options;
  const backoffs = new Map<string, Backoff>();
  let queue: BatchUnit[] = [];
  let running = 0;
  let isGathering = false;
  let underWay = 0;
  let settled: { promise: Promise<void>; resolve: () => void } | undefined;

  /** Runs a batch once it is full, or a turn of the event loop, which may read more requests, brings no further unit. */
  const gather = (): void => {
    if (isGathering || queue.length === 0 || running === BATCHES_MAX) return;
    isGathering = true;
    const before = queue.length;
    nextTurn(() => {
      isGathering = false;
      if (queue.length > before && queue.length < UNITS_MAX) return gather();
      const units = queue.slice(0, UNITS_MAX);
      queue = queue.slice(UNITS_MAX);
      running += 1;
      void runBatch(units).finally(() => {
        running -= 1;
        gather();
      });
      gather();
    });
  };

  const runAlone = (unit: BatchUnit): void => {
    alone(unit.work).then(unit.resolve, unit.reject);
  };
  const leave = (unit: BatchUnit): void => {
    const { next } = backoffs.get(unit.kind) ?? { next: ALONE_MIN };
    backoffs.set(unit.kind, { alone: next, next: Math.min(ALONE_MAX, next * 2) });
    runAlone(unit);
  };

  async function runBatch(units: readonly BatchUnit[]): Promise<void> {
    let line: Line;
    try {
      line = await connections.acquire();
    } catch (error) {
      for (const unit of units) unit.reject(error);
      return;
    }
    const batch = new Batch(line, options);
    let broken: Error | undefined;
    try {
      await Promise.all(units.map((unit) => unit.run(batch, options, leave)));
      await batch.commit(units.filter((unit) => unit.hasEnded));
      for (const unit of units) if (unit.acknowledge()) backoffs.delete(unit.kind);
    } catch (error) {
      // A connection that cannot roll back is destroyed, which ends its transaction.
      await line.command('rollback').catch((failure: Error) => {
        broken = failure;
      });
      const { isCommitting } = batch;
      const failure = mapFailure(error, { isBroken: line.isBroken, isCommitting });
      const isOutcomeUnknown = failure instanceof StoreUnavailable && failure.isOutcomeUnknown;
      for (const unit of units) {
        if (unit.isSettled) continue;
        if (isOutcomeUnknown) unit.reject(failure);
        else runAlone(unit);
      }
    } finally {
      line.release(broken);
    }
  }

  /** Whether a unit of this kind runs alone, which uses up one of its turns to do so. */
  const takeTurnAlone = (kind: string): boolean => {
    const backoff = backoffs.get(kind);
    if (!backoff || backoff.alone === 0) return false;
    backoff.alone -= 1;
    return true;
  };

  return {
    async write<T>(kind: string, work: (session: Session) => Promise<T>): Promise<T> {
      if (takeTurnAlone(kind)) return alone(work);
      underWay += 1;
      try {
        return await new Promise<T>((resolve, reject) => {
          queue.push(new BatchUnit(kind, work, resolve as (value: unknown) => void, reject));
          gather();
        });
      } finally {
        underWay -= 1;
        if (underWay === 0) settled?.resolve();
      }
    },
    waiting: () => queue.length,
    settled() {
      if (underWay === 0) return Promise.resolve();
      settled ??= Promise.withResolvers<void>();
      return settled.promise;
    },
  };
}

/** A transaction of several units of work. */
class Batch {
  /** Whether the commit was sent, after which it may take effect. */
  isCommitting = false;
  readonly #line: Line;
  readonly #options: BatchesOptions;
  /** Queries in flight, by statement and values: equal queries share the answer. */
  readonly #unanswered = new Map<string, Promise<readonly unknown[]>>();
  /** Resolves with the command tag of `begin`. */
  #begun: Promise<string> | undefined;
  #failure: Error | undefined;

  constructor(line: Line, options: BatchesOptions) {
    this.#line = line;
    this.#options = options;
  }

  /** Whether a statement has failed: the transaction can only be rolled back. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  ask(known: KnownStatement, values: readonly RawValue[]): Promise<readonly unknown[]> {
    const key = `${known.sql} ${JSON.stringify(values)}`;
    const asked = this.#unanswered.get(key);
    if (asked) return asked;
    this.#begin();
    const answer = new Promise<readonly unknown[]>((resolve, reject) => {
      this.#line.post({ known, text: known.sql, values, wantsRows: true, begin: undefined }, (error, statement) => {
        this.#unanswered.delete(key);
        if (!error) return resolve(statement.found);
        this.#failure ??= error;
        reject(error);
      });
    });
    this.#unanswered.set(key, answer);
    return answer;
  }

  /** Sent together with the first queries; a query outside the transaction is harmless if `begin` fails. */
  #begin(): Promise<string> {
    if (!this.#begun) {
      this.#begun = this.#line.command(BEGIN);
      this.#begun.catch(() => {});
    }
    return this.#begun;
  }

  /** Inserts the rows of these units and commits. */
  async commit(units: readonly BatchUnit[]): Promise<void> {
    if (this.#failure) throw this.#failure;
    const groups = groupsOf(units);
    if (!this.#begun && groups.length === 0) return;
    // If `begin` fails, the inserts would take effect outside a transaction.
    await this.#begin();
    const { statements, known } = this.#options;
    let firstError: Error | undefined;
    const session = sessionOf(statements, {
      all: () => Promise.reject(new Error('only rows are inserted')),
      // All statements are sent together: PostgreSQL skips those after one that has failed.
      async run(sql, values) {
        line.post({ known: known.get(sql), text: sql, values, wantsRows: false, begin: undefined }, (error) => {
          if (error) firstError ??= error;
        });
        return 0;
      },
    });
    const line = this.#line;
    this.isCommitting = groups.length > 0;
    for (const { table, columns, rows } of groups) await insertDynamicRows(session, table, rows, { columns });
    const tag = await line.command('commit');
    // PostgreSQL answers `commit` of a failed transaction with ROLLBACK and no error.
    if (tag === 'COMMIT') return;
    this.isCommitting = false;
    throw firstError ?? new Error('the transaction was rolled back');
  }
}

/** Groups the rows of units by table, in the order of first use. */
function groupsOf(units: readonly BatchUnit[]): Group[] {
  const groups = new Map<string, Group>();
  for (const unit of units) {
    for (const { table, columns, rows } of unit.inserts) {
      const key = `${table} ${columns}`;
      const group = groups.get(key);
      if (group) group.rows.push(...rows);
      else groups.set(key, { table, columns, rows: [...rows] });
    }
  }
  return [...groups.values()];
}

/** `left`: restarted alone; statements of this run are rejected. */
type State = 'running' | 'ended' | 'left' | 'settled';

/** A unit of work in a batch. */
class BatchUnit {
  readonly kind: string;
  readonly work: (session: Session) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly inserts: Group[] = [];
  #state: State = 'running';
  #value: unknown;

  constructor(
    kind: string,
    work: (session: Session) => Promise<unknown>,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.kind = kind;
    this.work = work;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Whether its work has succeeded and awaits the commit. */
  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Whether its caller has a result, or gets it from another run. */
  get isSettled(): boolean {
    return this.#state === 'settled' || this.#state === 'left';
  }

  /** Resolves the caller's promise; returns whether the unit succeeded. */
  acknowledge(): boolean {
    if (this.#state !== 'ended') return false;
    this.#state = 'settled';
    this.resolve(this.#value);
    return true;
  }

  /** Resolves when its work has ended or it has left. */
  run(batch: Batch, { statements, known, probe }: BatchesOptions, onLeft: (unit: BatchUnit) => void): Promise<void> {
    return new Promise((done) => {
      const stop = (): Promise<never> =>
        Promise.reject(this.#state === 'left' ? new UnitRestarted() : new Error('the unit of work has ended'));
      const leave = (): Promise<never> => {
        if (this.#state !== 'running') return stop();
        this.#state = 'left';
        onLeft(this);
        done();
        return stop();
      };
      const all = async <Row>(sql: string, values: readonly RawValue[]): Promise<Row[]> => {
        const statement = known.get(sql);
        if (this.inserts.length > 0 || !statement.isPlainQuery) return leave();
        if (this.#state !== 'running') return stop();
        probe?.(sql);
        return [...(await batch.ask(statement, values))] as Row[];
      };
      const session: Session = {
        ...sessionOf(statements, { all, run: () => leave() }),
        allRaw: () => leave(),
        runRaw: () => leave(),
        deferInsert: async (table, columns, rows) => {
          if (this.#state !== 'running') return stop();
          probe?.(`insert into ${table}`);
          this.inserts.push({ table, columns, rows: [...rows] });
        },
      };
      this.work(session).then(
        (value) => {
          if (this.#state !== 'running') return;
          this.#state = 'ended';
          this.#value = value;
          done();
        },
        (error: unknown) => {
          if (this.#state !== 'running') return;
          // After a failed statement, which may be another unit's, the unit runs again, alone; other errors are final.
          if (!batch.hasFailed) {
            this.#state = 'settled';
            this.reject(error);
          }
          done();
        },
      );
    });
  }
}
