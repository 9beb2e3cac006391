import type { IncomingMessage } from 'node:http';
import type { AccountAccesses, Authenticator } from '../contract/callers.ts';
import type { Operation, Principal, Services } from '../contract/operation.ts';
import type { Environment } from '../contract/resource.ts';
import type { Observer } from './observer.ts';
import type { Rates, Taken } from './rates.ts';

/** What the pipeline of one listener works with. */
export interface PipelineParts {
  readonly environment: Environment;
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly accesses: AccountAccesses;
  readonly rates: Rates;
  readonly observer: Observer;
  readonly nextTransactionId: () => string;
  readonly origins: (request: IncomingMessage) => readonly string[];
  readonly body_bytes_max: number;
  /** The service is ending: connections are closed after their reply. */
  readonly isDraining: () => boolean;
  /** Development mode: parameters that nobody reads are named in a header. */
  readonly namesIgnored: boolean;
}

/** What is known of a request so far; each step adds to it, and the reply is written from it. */
export interface Exchange {
  readonly operation: Operation;
  readonly request: IncomingMessage;
  readonly transactionId: string;
  readonly startedAt_ms: number;
  readonly path: Record<string, string>;
  principal: Principal | undefined;
  taken: Taken | undefined;
  /** The echo of what could be read, JSON text. */
  params: string;
  ignored: string;
}
