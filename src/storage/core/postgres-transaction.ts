import { ConstraintViolated } from '../../contract/store/errors.ts';
import type { Line } from './postgres-line.ts';
import type { KnownStatements, Message } from './postgres-statements.ts';
import { type RawValue, type Session, type StatementProbe, sessionOf } from './session.ts';
import type { Statements } from './statements.ts';

/**
 * A transaction on a connection of its own. `begin` is sent with the first statement; if it fails, neither that one nor
 * a later one runs, which would otherwise take effect outside a transaction.
 * @source decision 735
 */
export class Transaction {
  readonly #begin: string;
  readonly #acquire: () => Promise<Line>;
  #line: Line | undefined;
  /** Resolves when the first statement has been answered. */
  #beginning: Promise<void> | undefined;
  #hasBegun = false;
  #failure: unknown;
  #isOver = false;

  constructor(begin: string, acquire: () => Promise<Line>) {
    this.#begin = begin;
    this.#acquire = acquire;
  }

  /** Undefined until the first statement, unless `open` was called. */
  get line(): Line | undefined {
    return this.#line;
  }

  /** Acquires the connection. @throws StoreUnavailable */
  async open(): Promise<Line> {
    this.#line ??= await this.#acquire();
    return this.#line;
  }

  /** The outcome of a statement. */
  ask(message: Message): Promise<unknown> {
    if (this.#isOver) return Promise.reject(over());
    if (this.#hasBegun) return this.#line!.ask(message);
    return this.#beginning ? this.#askAfterFirst(this.#beginning, message) : this.#askFirst(message);
  }

  /** Whether any statement was sent. */
  get hasAsked(): boolean {
    return this.#beginning !== undefined;
  }

  /** Refuses further statements, which would run outside the transaction: called before it is committed or rolled back. */
  end(): void {
    this.#isOver = true;
  }

  /** Ends a transaction that has only read, and returns its connection without waiting for the answer. */
  leave(): void {
    this.end();
    const line = this.#line;
    // A connection still being acquired is released once it is there.
    if (!line) return;
    line.command('commit').then(
      () => line.release(),
      (failure: Error) => line.release(failure),
    );
  }

  async #askFirst(message: Message): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#beginning = promise;
    try {
      const line = this.#line ?? (await this.open());
      if (this.#isOver) {
        line.release();
        throw over();
      }
      return await new Promise((done, fail) => {
        line.post({ ...message, begin: this.#begin }, (error, statement) => {
          this.#hasBegun = statement.hasBegun;
          if (error) fail(error);
          else done(statement.outcome);
        });
      });
    } catch (error) {
      if (!this.#hasBegun) this.#failure = error;
      throw error;
    } finally {
      resolve();
    }
  }

  async #askAfterFirst(beginning: Promise<void>, message: Message): Promise<unknown> {
    await beginning;
    if (this.#isOver) throw over();
    if (!this.#hasBegun) throw this.#failure;
    return this.#line!.ask(message);
  }
}

/** The session of a transaction that writes. */
export function transactionSession(
  transaction: Transaction,
  parts: {
    readonly statements: Statements;
    readonly known: KnownStatements;
    readonly probe?: StatementProbe | undefined;
  },
): Session {
  const { statements, known, probe } = parts;
  const ask = async (sql: string, values: readonly RawValue[], wantsRows: boolean): Promise<unknown> => {
    probe?.(sql);
    return transaction.ask({ known: known.get(sql), text: sql, values, wantsRows, begin: undefined });
  };
  return sessionOf(statements, {
    all: <Row>(sql: string, values: readonly RawValue[]) => ask(sql, values, true) as Promise<Row[]>,
    async run(sql, values) {
      try {
        return (await ask(sql, values, false)) as number;
      } catch (error) {
        if ((error as { code?: string }).code === '23505') throw new ConstraintViolated((error as Error).message);
        throw error;
      }
    },
  });
}

function over(): Error {
  return new Error('the unit of work has ended');
}
