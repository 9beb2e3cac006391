import type { IncomingMessage } from 'node:http';
import type { Environment } from '../contract/declare/account-state.ts';
import type { AccountAccesses, OtherAuthenticators, UserAuthenticator } from '../contract/declare/callers.ts';
import type { Operation, Services } from '../contract/declare/operation.ts';
import type { ErrorDetail } from '../contract/problems/problems.ts';
import type { CallState } from '../engine/perform-operation.ts';
import type { Store } from '../storage/unit-of-work.ts';
import type { AddressLimiter } from './address-limiter.ts';
import type { AuditLog } from './audit-log.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import type { DeveloperTools } from './developer-tools.ts';
import type { FirstRequestBuffer } from './first-request-buffer.ts';
import type { RateLimiter, RateUsage } from './rate-limiter.ts';
import type { ReplyGroups } from './reply-groups.ts';
import type { UnauthenticatedBodies } from './request-buffers.ts';
import type { RequestMemory } from './request-memory.ts';
import type { RequestObserver } from './request-observer.ts';
import type { SecureHeaders } from './request-origin.ts';
import type { StreamWriter } from './stream/writer.ts';
import type { OperationWords, Vocabulary } from './vocabulary/vocabulary.ts';

/** The dependencies of the pipeline of one listener. */
export interface PipelineDependencies {
  readonly environment: Environment;
  readonly services: Services;
  /** Every operation of the catalog. */
  readonly operations: readonly Operation[];
  /** Waits until caches reflect all changes from before the request; undefined if they always do. */
  readonly fence: Store['fence'];
  /** Authenticates requests signed with an access token: nearly all of them. */
  readonly userAuthenticator: UserAuthenticator;
  readonly otherAuthenticators: OtherAuthenticators;
  readonly accountAccess: AccountAccesses;
  /** Limits requests per address before the caller is known; undefined when limits are off. */
  readonly addressLimiter: AddressLimiter | undefined;
  /** Reads bodies of unauthenticated callers. */
  readonly unauthenticatedBodies: UnauthenticatedBodies;
  /** Memory for the bodies of authenticated callers. */
  readonly authenticatedMemory: RequestMemory;
  /** The open connections of all listeners. */
  readonly connectionLimiter: ConnectionLimiter;
  /** New connections, until their first request has arrived. */
  readonly firstRequestBuffer: FirstRequestBuffer;
  readonly rateLimiter: RateLimiter;
  readonly observer: RequestObserver;
  readonly auditLog: AuditLog;
  readonly replyGroups: ReplyGroups;
  readonly streamWriter: StreamWriter;
  readonly nextTransactionId: () => string;
  readonly originsOf: (request: IncomingMessage) => readonly string[];
  /** Security headers of replies, such as HSTS over https. */
  readonly secureHeaders: SecureHeaders;
  /** The address of the caller. */
  readonly addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  readonly body_bytes_max: number;
  /** How long a connection may take for the TLS handshake, and then for the head of a request. */
  readonly request_head_timeout_s: number;
  /** How long a client may leave a pending reply unread. */
  readonly reply_stall_timeout_s: number;
  /** The service is stopping: connections are closed after their reply. */
  readonly isDraining: () => boolean;
  /** Development mode: headers name ignored parameters and explain errors in more detail. */
  readonly includesHints: boolean;
  /** The vocabulary of another interface; undefined without an alias file. */
  readonly vocabulary: Vocabulary | undefined;
  /** The text for people about an error, for calls of page scripts. */
  readonly textOfError?: (error: ErrorDetail) => string;
  /** Undefined in production. */
  readonly tools: DeveloperTools | undefined;
}

/** The state of a request. */
export interface Exchange extends CallState {
  /** Translates the call, if an alias file is in use. */
  words: OperationWords | undefined;
  readonly request: IncomingMessage;
  readonly transactionId: string;
  readonly startedAt_ms: number;
  rateUsage: RateUsage | undefined;
  /** The call used input that its operation marks as deprecated. */
  usesDeprecated: boolean;
  /** Headers of the answer, in a flat list of names and values. */
  answerHeaders: readonly string[];
  /** The body was not read to its end, so the connection closes after the reply. */
  closesConnection: boolean;
}
