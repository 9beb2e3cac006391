import type { Environment } from '../../contract/declare/account-state.ts';
import type { WrittenRows } from '../../contract/store/written-rows.ts';
import type { RateUsage } from '../../http/rate-limiter.ts';

/** `call`: of an operation. `other`: a page, a file, or a path that does not exist. The others are sent by the service. */
export const KINDS = ['call', 'other', 'webhook', 'challenge'] as const;
/** The kind of a request. */
export type Kind = (typeof KINDS)[number];

/** Of a reply, this much is kept. */
const REPLY_BYTES_MAX = 64 * 1024;
/** UTF-8 has at most so many bytes for each code unit of a text. */
export const BYTES_PER_UNIT = 3;
/** Statements that are kept of a request; all are counted. */
const STATEMENTS_MAX = 100;

/** The windows in which a call was counted. */
export type EntryWindows = Pick<RateUsage, 'user' | 'account' | 'address' | 'isRefused'>;

/** A caller. The object may have more members, which are not shown. */
export interface EntryCaller {
  readonly kind: string;
  readonly user?: string;
  readonly application?: string | undefined;
  readonly level?: string;
}

/** A request, received or sent, and what became of it. It is filled in while the request is handled. */
export class Entry {
  readonly id: number;
  /** The place of its end in the order in which requests ended; undefined while it lasts. */
  ended: number | undefined = undefined;
  readonly direction: 'in' | 'out';
  kind: Kind;
  /** By the clock of the machine, in milliseconds since 1970. */
  readonly at_ms: number;
  readonly startedAt_ms: number;
  duration_ms: number | undefined = undefined;
  readonly method: string;
  /** As received: path and query. Of requests that are sent, the whole URL. */
  readonly target: string;
  /** Such as `1.1`; undefined for requests that are sent. */
  readonly httpVersion: string | undefined;
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
  body: Uint8Array = NOTHING;
  /** Its size, of which `body` may be only the first part. */
  bodyBytes = 0;
  readonly environment: Environment | undefined;
  operation: string | undefined = undefined;
  account: string | undefined = undefined;
  caller: EntryCaller | undefined = undefined;
  role: string | undefined = undefined;
  /** JSON text. */
  parameters = '{}';
  ignored = '';
  windows: EntryWindows | undefined = undefined;
  transactionId: string | undefined = undefined;
  readonly statements = new EntryStatements();
  /** Ids of the faults that touched it. */
  faults: readonly string[] = [];
  status: number | undefined = undefined;
  replyHeaders: readonly string[] = [];
  replyBody: readonly (string | Uint8Array)[] = NO_PARTS;
  /** The size of the reply, of which `replyBody` may be only the first part; undefined until it is counted. */
  #replyBytes: number | undefined = 0;
  /** Why there was no whole reply. */
  failure: string | undefined = undefined;

  constructor(of: NewEntry) {
    this.startedAt_ms = of.startedAt_ms ?? performance.now();
    this.id = of.id;
    this.direction = of.direction;
    this.kind = of.kind;
    this.at_ms = of.at_ms;
    this.method = of.method;
    this.target = of.target;
    this.httpVersion = of.httpVersion;
    this.headers = of.headers;
    this.environment = of.environment;
  }

  get replyBytes(): number {
    this.#replyBytes ??= Buffer.byteLength(this.replyBody[0] as string);
    return this.#replyBytes;
  }
  set replyBytes(bytes: number) {
    this.#replyBytes = bytes;
  }

  /** Adds a part of the reply, which is kept up to the limit. */
  addReply(chunk: string | Uint8Array): void {
    if (typeof chunk === 'string' && this.replyBody === NO_PARTS && chunk.length * BYTES_PER_UNIT <= REPLY_BYTES_MAX) {
      // Kept as a whole: its bytes are counted as they are packed.
      this.replyBody = [chunk];
      this.#replyBytes = undefined;
      return;
    }
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    const room = REPLY_BYTES_MAX - this.replyBytes;
    if (room > 0) {
      const part = size > room ? Buffer.from(chunk as string).subarray(0, room) : chunk;
      // Bytes may be overwritten by those who wrote them.
      this.replyBody = [...this.replyBody, typeof part === 'string' ? part : Buffer.from(part)];
    }
    this.replyBytes += size;
  }

  /** The bytes of the parts that are kept have been counted: of a reply that is kept as a whole, it has no others. */
  counted(bytes: number): void {
    this.#replyBytes ??= bytes;
  }
}

/** The members of an entry when its request begins. */
type NewEntry = Pick<Entry, 'id' | 'direction' | 'kind' | 'at_ms' | 'method' | 'target' | 'headers' | 'environment'> &
  Partial<Pick<Entry, 'startedAt_ms' | 'httpVersion'>>;

/**
 * The database statements of an entry. They are a separate object because timers and the like keep the scope of a request,
 * which would keep the whole entry.
 */
export class EntryStatements {
  count = 0;
  duration_ms = 0;
  /** The first of them. */
  list: readonly EntryStatement[] = NO_STATEMENTS;
  isComplete = false;

  /** Adds one; what goes on after the reply is not part of it. */
  addStatement(statement: string, duration_ms: number, rows?: WrittenRows): void {
    if (this.isComplete) return;
    this.count += 1;
    this.duration_ms += duration_ms;
    if (this.list.length >= STATEMENTS_MAX) return;
    const wrote = rows && !OWN_TABLES.has(rows.table) ? writtenBy(rows) : undefined;
    this.list = [...this.list, { statement, duration_ms, ...(wrote && { wrote }) }];
  }
}

/** A database statement. */
interface EntryStatement {
  readonly statement: string;
  readonly duration_ms: number;
  readonly wrote?: Written;
}

/** What a statement wrote. */
export interface Written extends Pick<WrittenRows, 'verb' | 'table'> {
  /** Of an update, its keys and what it changed. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows there were, of which `rows` may be only the first. */
  readonly count: number;
}

/** Tables with which the service keeps its own books: nobody asked for these rows. */
const OWN_TABLES: ReadonlySet<string> = new Set(['sequences', 'used_nonces', 'cache_changes', 'jobs']);
/** Rows that are kept of a statement. */
const ROWS_MAX = 5;
/** Of larger rows, only the ids are kept. */
const ROWS_TEXT_MAX = 16 * 1024;

function writtenBy({ verb, table, args }: WrittenRows): Written {
  const values = Object.entries(args);
  const isRows = (each: unknown): boolean => Array.isArray(each) && typeof each[0] === 'object';
  const all = values.flatMap(([, each]) => (isRows(each) ? [each as Written['rows']] : []));
  const single = Object.fromEntries(values.filter(([, each]) => !isRows(each)));
  // An update has its keys and its new values in two lists of one row.
  const rows = verb === 'insert' && all[0] ? all[0] : [Object.assign(single, ...all.flat())];
  const kept = rows.slice(0, ROWS_MAX);
  const isLarge = JSON.stringify(kept).length > ROWS_TEXT_MAX;
  return { verb, table, count: rows.length, rows: isLarge ? kept.map(({ id }) => ({ id })) : kept };
}

const NOTHING = new Uint8Array(0);
const NO_PARTS: Entry['replyBody'] = [];
const NO_STATEMENTS: EntryStatements['list'] = [];
