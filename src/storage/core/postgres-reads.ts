import { elapsed_ms, nextTurn } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Connections } from './postgres-connections.ts';
import { isOutdatedStatement } from './postgres-failures.ts';
import type { Line, Settle } from './postgres-line.ts';
import { type KnownStatement, type KnownStatements, type Message, RELUCTANCE_MAX } from './postgres-statements.ts';
import { Transaction } from './postgres-transaction.ts';
import { type Executor, type RawValue, type Session, type StatementProbe, sessionOf } from './session.ts';
import type { Statements } from './statements.ts';
import { UnitRestarted } from './unit-restarted.ts';

/** Dependencies of reads. */
export interface ReadsOptions {
  readonly connections: Connections;
  readonly statements: Statements;
  readonly known: KnownStatements;
  readonly probe: StatementProbe | undefined;
  /** @throws StoreUnavailable while the server lock is lost */
  readonly assertHeld: () => void;
  /** Maps the error of a failed unit of work for callers. */
  readonly mapFailure: (error: unknown, unit: { readonly isBroken: boolean }) => unknown;
}

/** Units of work that only read. */
export interface Reads {
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Number of units waiting for a shared connection. */
  waiting(): number;
  /** Resolves when no unit is in progress. */
  settled(): Promise<void>;
}

const BEGIN = 'begin isolation level repeatable read read only';

/** Larger results cost more than a transaction and stay off shared connections. */
const FEW_ROWS = 100;

/** Slower statements, in milliseconds, are not sent on shared connections again. */
const VERY_SLOW_MS = 50;

/** Maximum number of runs of a unit whose statements were prepared before a migration. */
const ATTEMPTS = 3;

/** Maximum number of pooled units. */
const SPARE_UNITS = 256;

/**
 * Runs units of work that only read. The first statement of a unit runs outside a transaction on a shared connection:
 * it is its own snapshot, so that a unit of one statement, as most are, needs neither `begin` nor `commit`. All
 * statements of one turn of the event loop are written together. At its second statement, a unit is restarted in a
 * transaction, since all of its statements must see one snapshot; units that start with the same statement then begin
 * in a transaction.
 * @source decision 733
 */
export function postgresReads(options: ReadsOptions): Reads {
  const { connections, mapFailure, assertHeld } = options;
  const spare: ReadUnit[] = [];
  let queue: ReadUnit[] = [];
  let opening: readonly ReadUnit[] = [];
  let underWay = 0;
  let settled: { promise: Promise<void>; resolve: () => void } | undefined;

  const enqueue = (unit: ReadUnit): void => {
    if (queue.length === 0) nextTurn(sendQueue);
    queue.push(unit);
  };

  /** Runs after the answers that have arrived, so that an unanswered statement is really slow. */
  const sendQueue = (): void => {
    const units = queue;
    queue = [];
    const now_ms = elapsed_ms();
    const unsent: ReadUnit[] = [];
    for (const unit of units) {
      if (!unit.isQueued) continue;
      const picked = connections.shared.pick(now_ms);
      if (!picked) unsent.push(unit);
      else if (picked.isBehind && connections.canSpare()) unit.moveToTransaction();
      else unit.sendOn(picked.line);
    }
    if (unsent.length > 0) sendWhenOpen(unsent);
  };

  const sendWhenOpen = (units: readonly ReadUnit[]): void => {
    opening = [...opening, ...units];
    connections.shared.open().then(
      () => {
        opening = opening.filter((unit) => !units.includes(unit));
        for (const unit of units) if (unit.isQueued) enqueue(unit);
      },
      (error: Error) => {
        opening = opening.filter((unit) => !units.includes(unit));
        for (const unit of units) unit.refuse(error);
      },
    );
  };

  const run = async <T>(unit: ReadUnit, work: (session: Session) => Promise<T>): Promise<T> => {
    try {
      return await work(unit.session);
    } catch (error) {
      throw unit.isLeft ? error : mapFailure(error, unit);
    } finally {
      end(unit);
    }
  };
  const begin = (restart: (() => void) | undefined): ReadUnit => {
    const unit = spare.pop() ?? new ReadUnit(options, enqueue);
    unit.begin(restart);
    return unit;
  };
  const end = (unit: ReadUnit): void => {
    // The other run ends the unit.
    if (unit.isLeft) return;
    if (unit.end() && spare.length < SPARE_UNITS) spare.push(unit);
    underWay -= 1;
    if (underWay === 0) settled?.resolve();
  };

  const read = <T>(work: (session: Session) => Promise<T>, attempt: number): Promise<T> =>
    new Promise((resolve) => {
      assertHeld();
      const again = (error: unknown): Promise<T> => {
        // It was prepared before a migration. @source decision 834
        const isOutdated = error instanceof StoreUnavailable && isOutdatedStatement(error.cause);
        return isOutdated && attempt < ATTEMPTS ? read(work, attempt + 1) : Promise.reject(error);
      };
      underWay += 1;
      const unit = begin(() => resolve(run(begin(undefined), work).catch(again)));
      // A restarted run has resolved the promise by then; its error is ignored.
      run(unit, work).then(resolve, (error: unknown) => {
        if (!unit.isLeft) resolve(again(error));
      });
    });

  return {
    read: (work) => read(work, 1),
    waiting: () => opening.length,
    settled() {
      if (underWay === 0) return Promise.resolve();
      settled ??= Promise.withResolvers<void>();
      return settled.promise;
    },
  };
}

/**
 * `queued`: the first statement waits for the end of the turn. `shared`: it was sent on a shared connection. `left`:
 * the work was restarted; statements of this run are rejected.
 */
type State = 'over' | 'new' | 'queued' | 'shared' | 'transaction' | 'left';

/** A run of a unit of work. */
class ReadUnit {
  readonly session: Session;
  readonly #options: ReadsOptions;
  readonly #enqueue: (unit: ReadUnit) => void;
  #state: State = 'over';
  #restart: (() => void) | undefined;
  #transaction: Transaction | undefined;
  /** The first statement, and how many there were. */
  #first: KnownStatement | undefined;
  #count = 0;
  /** Statements in flight on shared connections. */
  #unanswered = 0;
  #hasBroken = false;
  /** The first statement until it is answered. */
  #queued: { message: Message; resolve: (outcome: unknown) => void; reject: (error: Error) => void } | undefined;

  constructor(options: ReadsOptions, enqueue: (unit: ReadUnit) => void) {
    this.#options = options;
    this.#enqueue = enqueue;
    const ask = (sql: string, values: readonly RawValue[], wantsRows: boolean): Promise<unknown> => {
      const known = options.known.get(sql);
      return this.#ask({ known, text: sql, values, wantsRows, begin: undefined });
    };
    this.session = sessionOf(options.statements, {
      all: (sql, values) => ask(sql, values, true),
      run: (sql, values) => ask(sql, values, false),
    } as Executor);
  }

  /** Begins in a transaction, unless `restart` is given. */
  begin(restart: (() => void) | undefined): void {
    this.#restart = restart;
    this.#state = 'new';
    this.#first = undefined;
    this.#count = 0;
    this.#hasBroken = false;
  }

  /** Whether its connection broke. */
  get isBroken(): boolean {
    return this.#hasBroken || (this.#transaction?.line?.isBroken ?? false);
  }

  get isQueued(): boolean {
    return this.#state === 'queued';
  }

  /** Whether it was restarted. */
  get isLeft(): boolean {
    return this.#state === 'left';
  }

  /** Sends the queued statement on a shared connection. */
  sendOn(line: Line): void {
    const { message, resolve, reject } = this.#queued!;
    this.#state = 'shared';
    this.#unanswered += 1;
    const settle: Settle = (error, statement) => {
      this.#unanswered -= 1;
      // The run has moved to a transaction, or was restarted.
      if (this.#state !== 'shared') return;
      this.#queued = undefined;
      if (!error) return resolve(statement.outcome);
      this.#hasBroken = line.isBroken;
      reject(error);
    };
    line.post(message, settle, () => {
      if (this.#state === 'shared') this.moveToTransaction();
    });
  }

  /** Moves statements in flight, and all further ones, to a transaction. */
  moveToTransaction(): void {
    const { message, resolve, reject } = this.#queued!;
    this.#queued = undefined;
    this.#state = 'transaction';
    this.#askTransaction(message).then(resolve, reject);
  }

  /** Rejects the queued statement. */
  refuse(error: Error): void {
    if (!this.isQueued) return;
    const { reject } = this.#queued!;
    this.#queued = undefined;
    this.#state = 'shared';
    this.#hasBroken = true;
    reject(error);
  }

  /** Ends the unit; returns whether it can be reused. */
  end(): boolean {
    if (this.#state === 'transaction') this.#learn();
    this.#transaction?.leave();
    this.#transaction = undefined;
    this.#restart = undefined;
    const isAnswered = this.#queued === undefined && this.#unanswered === 0;
    this.#queued = undefined;
    this.#state = 'over';
    return isAnswered;
  }

  #ask(message: Message): Promise<unknown> {
    if (this.#state === 'over') return Promise.reject(new Error('the unit of work has ended'));
    if (this.#state === 'shared') {
      this.#state = 'left';
      this.#restart?.();
    }
    if (this.#state === 'left') return Promise.reject(new UnitRestarted());
    try {
      this.#options.probe?.(message.text);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#count += 1;
    this.#first ??= message.known;
    if (this.#state === 'new') {
      if (this.#canShare(message)) return this.#queue(message);
      this.#state = 'transaction';
    }
    // Nothing was sent yet.
    if (this.#state === 'queued') this.moveToTransaction();
    return this.#askTransaction(message);
  }

  #canShare({ known, wantsRows }: Message): boolean {
    if (!this.#restart || !known?.isQuery || !wantsRows) return false;
    return known.reluctance === 0 && known.rows <= FEW_ROWS;
  }

  #queue(message: Message): Promise<unknown> {
    this.#state = 'queued';
    return new Promise((resolve, reject) => {
      this.#queued = { message, resolve, reject };
      this.#enqueue(this);
    });
  }

  #askTransaction(message: Message): Promise<unknown> {
    this.#transaction ??= new Transaction(BEGIN, this.#options.connections.acquire);
    return this.#transaction.ask(message);
  }

  /** Records whether units that start with this statement should begin in a transaction. @source decision 734 */
  #learn(): void {
    const first = this.#first;
    if (!first) return;
    if (first.took_ms > VERY_SLOW_MS) first.reluctance = RELUCTANCE_MAX;
    else if (this.#count > 1) first.reluctance = Math.min(RELUCTANCE_MAX, first.reluctance + 1);
    else first.reluctance = Math.max(0, first.reluctance - 1);
  }
}
