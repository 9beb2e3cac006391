import pg from 'pg';
import { isOutdatedStatement } from './postgres-failures.ts';
import type { RawValue } from './session.ts';

/** Statistics and metadata of a statement across all connections. */
export interface KnownStatement {
  readonly sql: string;
  /** Its name as a prepared statement; empty for one that is sent as text each time. */
  readonly name: string;
  /** Whether it is a query that can run outside a transaction. */
  readonly isQuery: boolean;
  /** Whether it is a query that changes and locks nothing. */
  readonly isPlainQuery: boolean;
  /** The number of rows that it returned last. */
  rows: number;
  /** Its last duration in milliseconds, including the round trip. */
  took_ms: number;
  /** Number of detected schema changes: statements prepared before the last one are prepared again. */
  readonly schema: { changes: number };
  /** While above 0, reads that start with it begin in a transaction. @source decision 734 */
  reluctance: number;
}

/** The limit of a statement's reluctance. */
export const RELUCTANCE_MAX = 8;

/** The statements of a process by their SQL. */
export interface KnownStatements {
  get(sql: string): KnownStatement;
}

/** Prepared statements per connection; further ones are sent as text each time. */
const PREPARED_MAX = 500;
const QUERY = /^\s*(select|with|show)\b/i;
const PLAIN_QUERY = /^\s*select\b(?!.*\bfor (no key |key )?(update|share)\b)/is;

/** Assigns names to the first statements of a process. */
export function knownStatements(): KnownStatements {
  const known = new Map<string, KnownStatement>();
  const schema = { changes: 0 };
  return {
    get(sql) {
      const found = known.get(sql);
      if (found) return found;
      const isNamed = known.size < PREPARED_MAX;
      const name = isNamed ? `s${known.size}` : '';
      const isQuery = isNamed && QUERY.test(sql);
      const isPlainQuery = PLAIN_QUERY.test(sql);
      const added = { ...{ sql, name, isQuery, isPlainQuery, schema }, rows: 0, took_ms: 0, reluctance: 0 };
      if (isNamed) known.set(sql, added);
      return added;
    },
  };
}

/** The error code of a prepared statement that does not exist. */
const MISSING = '26000';

/** Columns of a result: how a row is built from its values. */
export interface Columns {
  readonly names: readonly string[];
  /** Undefined for text, which stays as it is. */
  readonly parsers: readonly (((value: string) => unknown) | undefined)[];
}

/** The prepared statements of a connection, by name. */
export type Prepared = Map<string, PreparedStatement>;

interface PreparedStatement {
  isDoubtful: boolean;
  columns: Columns | undefined;
  /** The number of schema changes when it was prepared. */
  readonly schemaChanges: number;
}

/** The part of pg's connection that writes messages; its type declarations lack most of it. */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void; destroy(): void };
  parse(message: { name?: string; text: string }): void;
  bind(message: { statement?: string; values?: readonly unknown[]; valueMapper?: (value: unknown) => unknown }): void;
  describe(message: { type: 'P' }): void;
  execute(message: { portal?: string }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  query(text: string): void;
}

/** A statement to be sent. */
export interface Message {
  /** Undefined for a command without values or rows, such as `commit`. */
  readonly known: KnownStatement | undefined;
  readonly text: string;
  readonly values: readonly RawValue[];
  readonly wantsRows: boolean;
  /** The command that begins a transaction, sent before the statement; if it fails, the statement does not run. */
  readonly begin: string | undefined;
}

/**
 * A statement in flight. The class of pg parses the column description for each answer, emits an event per row, and
 * creates a promise with a stack trace per statement; this one takes half the processor time.
 * @source decision 732
 */
export class SentStatement {
  readonly known: KnownStatement | undefined;
  readonly found: Record<string, unknown>[] = [];
  /** The command tag, such as `UPDATE 3`. */
  tag = '';
  /** Whether the transaction that was to begin with it has begun. */
  hasBegun = false;
  /** Called when it has waited too long behind another statement. */
  heldUp: (() => void) | undefined;
  readonly #message: Message;
  readonly #prepared: Prepared;
  readonly #settle: (error: Error | undefined, statement: SentStatement) => void;
  #isPreparing = false;
  #columns: Columns | undefined;
  #failure: Error | undefined;
  // Read by the client of pg.
  readonly name = undefined;
  readonly text: string;
  readonly rows = undefined;
  readonly callback = undefined;
  readonly query_timeout = undefined;
  readonly _result = undefined;

  constructor(
    message: Message,
    prepared: Prepared,
    settle: (error: Error | undefined, statement: SentStatement) => void,
  ) {
    this.known = message.known;
    this.text = message.text;
    this.#message = message;
    this.#prepared = prepared;
    this.#settle = settle;
  }

  /** The rows, or the number of rows that were changed. */
  get outcome(): readonly Record<string, unknown>[] | number {
    return this.#message.wantsRows ? this.found : Number(/\d+$/.exec(this.tag)?.[0] ?? 0);
  }

  // Called by the client of pg: to send the statement, and for each message of the answer.

  submit(wire: Wire): void {
    const { known, text, values, begin } = this.#message;
    if (!known) {
      wire.query(text);
      return;
    }
    try {
      if (begin !== undefined) {
        wire.parse({ text: begin });
        wire.bind({});
        wire.execute({});
      }
      this.#submitStatement(wire, known, values);
    } catch (error) {
      // The value cannot be serialized; PostgreSQL answers the other messages.
      this.#failure ??= error as Error;
    } finally {
      wire.sync();
    }
  }

  #submitStatement(wire: Wire, { name, sql, schema }: KnownStatement, values: readonly RawValue[]): void {
    const before = name === '' ? undefined : this.#prepared.get(name);
    const isUsable = before && !before.isDoubtful && before.schemaChanges === schema.changes;
    if (!isUsable) {
      this.#isPreparing = true;
      // It may have been prepared before its first execution failed; closing one that does not exist does nothing.
      if (before) wire.close({ type: 'S', name });
      wire.parse({ name, text: sql });
      const schemaChanges = schema.changes;
      if (name !== '') this.#prepared.set(name, { isDoubtful: false, columns: undefined, schemaChanges });
    }
    wire.bind({ statement: name, values, valueMapper: toWire });
    this.#columns = isUsable ? before.columns : undefined;
    // A prepared statement whose columns change fails: they are described once. @source decision 732
    if (this.#message.wantsRows && !this.#columns) wire.describe({ type: 'P' });
    wire.execute({});
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#columns = columnsOf(fields);
    const prepared = this.#message.known && this.#prepared.get(this.#message.known.name);
    if (prepared) prepared.columns = this.#columns;
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (!this.#columns || this.#failure) return;
    try {
      this.found.push(rowOf(this.#columns, fields));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.tag = text;
    if (text === 'BEGIN') this.hasBegun = true;
  }

  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    const prepared = this.known && this.#prepared.get(this.known.name);
    if (prepared && isOutdatedStatement(error)) {
      const { schema } = this.known!;
      // Count concurrent failures once.
      if (prepared.schemaChanges === schema.changes) schema.changes += 1;
    } else if (prepared && (this.#isPreparing || (error as { code?: string }).code === MISSING)) {
      prepared.isDoubtful = true;
      prepared.columns = undefined;
    }
    this.#settle(this.#failure ?? error, this);
  }

  handleReadyForQuery(): void {
    if (this.known) this.known.rows = this.found.length;
    this.#settle(this.#failure, this);
  }
}
// pg pipelines only instances of its own class, whose constructor is needlessly expensive.
Object.setPrototypeOf(SentStatement.prototype, pg.Query.prototype);

function columnsOf(fields: readonly pg.FieldDef[]): Columns {
  return { names: fields.map(({ name }) => name), parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)) };
}

const { INT8, TEXT, VARCHAR } = pg.types.builtins;

/** 64-bit integers arrive as text by default; validation keeps ours within safe integers. */
function parserOf(type: number): ((value: string) => unknown) | undefined {
  if (type === TEXT || type === VARCHAR) return undefined;
  return type === INT8 ? Number : (pg.types.getTypeParser(type, 'text') as (value: string) => unknown);
}

function rowOf({ names, parsers }: Columns, values: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) {
    const value = values[index]!;
    const parse = parsers[index];
    row[names[index]!] = value === null || parse === undefined ? value : parse(value);
  }
  return row;
}

/** The text of a value, or its bytes; lists become arrays. */
function toWire(value: unknown): unknown {
  if (typeof value === 'string' || value === null) return value;
  if (typeof value === 'number') return String(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return arrayText(value);
  throw new TypeError(`a statement cannot bind a value of type ${typeof value}`);
}

/** PostgreSQL's text of an array: quotes and backslashes are escaped, bytes are written in hexadecimal. */
function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) => {
    const text = toWire(item);
    if (text === null) return 'NULL';
    const plain = Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : String(text);
    return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${texts.join(',')}}`;
}
