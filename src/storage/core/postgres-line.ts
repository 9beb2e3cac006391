import type pg from 'pg';
import { elapsed_ms } from '../../base/timers.ts';
import { type Message, type Prepared, SentStatement, type Wire } from './postgres-statements.ts';

/** Called when a statement is answered. */
export type Settle = (error: Error | undefined, statement: SentStatement) => void;

/** A connection to the database server, with its statements in the order in which they are answered. */
export class Line {
  readonly client: pg.Client;
  readonly wire: Wire;
  /** The key of the server lock under which it was admitted. */
  lockKey: string | undefined;
  isBroken = false;
  /** Statements in flight, oldest first. */
  readonly waiting: SentStatement[] = [];
  /** The number of the last check when the oldest statement was sent or the last answer arrived. */
  sinceLook = 0;
  readonly #looks: () => number;
  readonly #prepared: Prepared = new Map();
  #isGathering = false;
  /** When the oldest statement in flight was sent, or the one before it answered. */
  #since_ms = 0;

  constructor(client: pg.Client, looks: () => number) {
    this.client = client;
    this.wire = (client as unknown as { connection: Wire }).connection;
    this.#looks = looks;
  }

  /** Queues a statement behind those in flight. `heldUp` is called if it waits too long for one of them. */
  post(message: Message, settle: Settle, heldUp?: () => void): void {
    const sent = new SentStatement(message, this.#prepared, (error, statement) => {
      this.#answered(statement);
      settle(error, statement);
    });
    sent.heldUp = heldUp;
    if (this.waiting.length === 0) {
      this.sinceLook = this.#looks();
      this.#since_ms = elapsed_ms();
    }
    this.waiting.push(sent);
    this.#gather();
    this.client.query(sent);
  }

  /** Corks the socket until the end of the current callback. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.wire.stream.cork();
    process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isGathering = false;
    this.wire.stream.uncork();
  };

  /** The outcome of a statement: its rows, or the number of changed rows. */
  ask(message: Message): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.post(message, (error, statement) => (error ? reject(error) : resolve(statement.outcome)));
    });
  }

  /** Runs a command such as `commit`; returns its command tag. */
  command(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const message: Message = { known: undefined, text, values: [], wantsRows: false, begin: undefined };
      this.post(message, (error, { tag }) => (error ? reject(error) : resolve(tag)));
    });
  }

  /** How long the oldest statement in flight has been running, in milliseconds; 0 if there is none. */
  busy_ms(now_ms: number): number {
    return this.waiting.length === 0 ? 0 : now_ms - this.#since_ms;
  }

  /** Notifies all statements queued behind the oldest one. */
  notifyBlocked(): void {
    for (const statement of this.waiting.slice(1)) {
      const { heldUp } = statement;
      statement.heldUp = undefined;
      heldUp?.();
    }
  }

  /** Destroys the socket without a termination message, since the server may be unreachable. */
  destroy(): void {
    this.wire.stream.destroy();
  }

  /** Returns it to its pool, or destroys it when it is broken. */
  release(broken?: Error): void {
    if (broken) this.destroy();
    (this.client as pg.PoolClient).release(broken);
  }

  #answered(statement: SentStatement): void {
    if (this.waiting[0] === statement) this.waiting.shift();
    else this.waiting.splice(this.waiting.indexOf(statement), 1);
    const now_ms = elapsed_ms();
    if (statement.known) statement.known.took_ms = now_ms - this.#since_ms;
    this.#since_ms = now_ms;
    this.sinceLook = this.#looks();
  }
}
