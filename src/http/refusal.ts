import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Family, Problem } from '../contract/problems.ts';
import { failureReply } from './envelopes.ts';
import type { PipelineParts } from './exchange.ts';
import { type Headers, JSON_TYPES, send, standingHeaders } from './reply.ts';
import { requestIdOf } from './request-id.ts';

/** Paths outside the advertising interface have numeric codes. */
export function familyOf(path: string): Family {
  return /^\/(oauth|oauth2|1\.1|2)(\/|$|\?)/.test(path) ? 'numeric' : 'ads';
}

/** A reply that no operation gives. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly transactionId: string;
}

/** What is said where no operation answers. */
export function refusalOf(
  parts: PipelineParts,
  failure: Problem,
  of: { readonly path: string; readonly requestId?: string | undefined; readonly secure: readonly string[] },
): Refusal {
  const family = familyOf(of.path);
  const { status, body } = failureReply(failure, family, '{}', { base: () => '' });
  const transactionId = parts.nextTransactionId();
  const type = family === 'ads' ? JSON_TYPES.ads : JSON_TYPES.others;
  const { requestId, secure } = of;
  const headers = standingHeaders(family, type, { transactionId, duration_ms: 0, requestId, secure });
  if (failure.allow) headers.push('allow', failure.allow);
  if (failure.retryAfter_s !== undefined) headers.push('retry-after', String(failure.retryAfter_s));
  return { status, headers, body, transactionId };
}

/** Answers a request that no operation answers. */
export function refuse(
  parts: PipelineParts,
  request: IncomingMessage,
  response: ServerResponse,
  failure: Problem,
): void {
  const of = { path: request.url ?? '/', requestId: requestIdOf(request), secure: parts.secureHeaders(request) };
  const { status, headers, body, transactionId } = refusalOf(parts, failure, of);
  if (parts.isDraining()) response.shouldKeepAlive = false;
  send(response, status, headers, body);
  parts.observer.unrouted(request, status, transactionId);
}
