import type { Environment } from '../../contract/declare/account-state.ts';
import type { RateUsage } from '../../http/rate-limiter.ts';

/** `call`: of an operation. `other`: a page, a file, or a path that does not exist. The others are sent by the service. */
export const KINDS = ['call', 'other', 'webhook', 'challenge'] as const;
/** What a request is about. */
export type Kind = (typeof KINDS)[number];

/** Of a reply, this much is kept. */
export const REPLY_BYTES_MAX = 64 * 1024;
/** Statements that are kept of a request; all are counted. */
export const STATEMENTS_MAX = 100;

/** Who a caller is. */
export interface EntryCaller {
  readonly kind: string;
  readonly user: string | undefined;
  readonly application: string;
  readonly level: string | undefined;
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
  readonly startedAt_ms: number = performance.now();
  duration_ms: number | undefined = undefined;
  readonly method: string;
  /** As received: path and query. Of requests that are sent, the whole URL. */
  readonly target: string;
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
  windows: RateUsage | undefined = undefined;
  transactionId: string | undefined = undefined;
  readonly statements: { readonly statement: string; readonly duration_ms: number }[] = [];
  statementCount = 0;
  statements_ms = 0;
  /** Ids of the faults that touched it. */
  faults: readonly string[] = [];
  status: number | undefined = undefined;
  replyHeaders: readonly string[] = [];
  replyBody: (string | Uint8Array)[] = [];
  replyBytes = 0;
  /** Why there was no whole reply. */
  failure: string | undefined = undefined;
  /** What it is charged with in memory. */
  size_bytes = 0;

  constructor(
    of: Pick<Entry, 'id' | 'direction' | 'kind' | 'at_ms' | 'method' | 'target' | 'headers' | 'environment'>,
  ) {
    this.id = of.id;
    this.direction = of.direction;
    this.kind = of.kind;
    this.at_ms = of.at_ms;
    this.method = of.method;
    this.target = of.target;
    this.headers = of.headers;
    this.environment = of.environment;
  }

  /** Adds a part of the reply, which is kept up to the limit. */
  addReply(chunk: string | Uint8Array): void {
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    const room = REPLY_BYTES_MAX - this.replyBytes;
    if (room > 0) {
      if (size > room) this.replyBody.push(Buffer.from(chunk as string).subarray(0, room));
      else this.replyBody.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk));
    }
    this.replyBytes += size;
  }

  /** Adds a statement of the database; what goes on after the reply is not part of it. */
  addStatement(statement: string, duration_ms: number): void {
    if (this.ended !== undefined) return;
    this.statementCount += 1;
    this.statements_ms += duration_ms;
    if (this.statements.length < STATEMENTS_MAX) this.statements.push({ statement, duration_ms });
  }
}

const NOTHING = new Uint8Array(0);
