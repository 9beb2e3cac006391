import type { IncomingMessage } from 'node:http';
import type { AccountAccesses, Authenticator, Authenticators, Caller } from '../contract/declare/callers.ts';
import type { Operation, Services } from '../contract/declare/operation.ts';
import type { Environment } from '../contract/declare/resource.ts';
import type { Noted } from '../contract/store/audit.ts';
import type { AddressCounts } from './address-counts.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connections } from './connections.ts';
import type { FirstRequests } from './first-requests.ts';
import type { Observer } from './observer.ts';
import type { Rates, Taken } from './rates.ts';
import type { SecureHeaders } from './request.ts';
import type { RequestMemory } from './request-memory.ts';
import type { StrangerBodies } from './stranger-bodies.ts';
import type { StreamWriter } from './stream/writer.ts';

/** What the pipeline of one listener works with. */
export interface PipelineParts {
  readonly environment: Environment;
  readonly services: Services;
  /** Every operation there is. */
  readonly operations: readonly Operation[];
  /** Judges requests signed with an access token: nearly all of them. */
  readonly authenticator: Authenticator;
  readonly authenticators: Authenticators;
  readonly accesses: AccountAccesses;
  /** Requests of one address, counted before it is known who calls; undefined when limits are off. */
  readonly flood: AddressCounts | undefined;
  /** Reads bodies of callers who are not authenticated. */
  readonly strangers: StrangerBodies;
  /** Memory for the bodies of authenticated callers. */
  readonly callerMemory: RequestMemory;
  /** The open connections of all listeners. */
  readonly connections: Connections;
  /** New connections, until their first request has arrived. */
  readonly firstRequests: FirstRequests;
  readonly rates: Rates;
  readonly observer: Observer;
  readonly auditLog: AuditLog;
  readonly streamWriter: StreamWriter;
  readonly nextTransactionId: () => string;
  readonly origins: (request: IncomingMessage) => readonly string[];
  /** What replies carry because they go over https. */
  readonly secureHeaders: SecureHeaders;
  /** The address of the caller. */
  readonly address: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  readonly body_bytes_max: number;
  /** How long a connection may take for the head of a request, and for the handshake before it. */
  readonly request_head_timeout_s: number;
  /** How long a client may take nothing of a reply that waits for it. */
  readonly reply_stall_timeout_s: number;
  /** The service is ending: connections are closed after their reply. */
  readonly isDraining: () => boolean;
  /** Development mode: headers name parameters that nobody reads, and tell more of what is wrong. */
  readonly tellsHints: boolean;
}

/** What is known of a request so far; each step adds to it, and the reply is written from it. */
export interface Exchange {
  readonly operation: Operation;
  readonly request: IncomingMessage;
  readonly transactionId: string;
  readonly startedAt_ms: number;
  readonly path: Record<string, string>;
  caller: Caller | undefined;
  taken: Taken | undefined;
  /** The echo of what could be read, JSON text. */
  params: string;
  ignored: string;
  /** What is recorded for auditors. */
  noted: readonly Noted[];
  /** The call made use of what its operation takes as deprecated. */
  usesDeprecated: boolean;
  /** The body was not read to its end: the connection ends with the reply. */
  isCut: boolean;
}
