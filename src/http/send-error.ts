import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Family, Problem } from '../contract/problems/problems.ts';
import { errorReply } from './error-reply.ts';
import type { PipelineDependencies } from './exchange.ts';
import {
  asciiOnly,
  baseHeaders,
  clientRequestId,
  type Headers,
  JSON_TYPES,
  PROBLEM_TYPE,
  retryAfterHeaders,
  send,
} from './reply.ts';

/**
 * The error format of a path without an operation: below version 2 problem bodies, on other paths outside the
 * advertising API numeric codes.
 * @source decision 585
 */
export function familyOf(path: string): Family {
  const [, first] = /^\/(oauth|oauth2|1\.1|2)(?:\/|$|\?)/.exec(path) ?? [];
  return first === undefined ? 'ads' : first === '2' ? 'problem' : 'numeric';
}

/** The content type of errors by family. */
const TYPES: Readonly<Record<Family, string>> = {
  ads: JSON_TYPES.ads,
  numeric: JSON_TYPES.others,
  flat: JSON_TYPES.others,
  problem: PROBLEM_TYPE,
};

/** An error reply without an operation. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly transactionId: string;
}

/** Builds an error reply without an operation. */
export function errorResponse(
  deps: PipelineDependencies,
  failure: Problem,
  of: { readonly path: string; readonly requestId?: string | undefined; readonly secure: readonly string[] },
): ErrorResponse {
  const vocabulary = deps.vocabulary?.clientOf(of.path);
  const family = familyOf(vocabulary ? vocabulary.paths.own(of.path) : of.path);
  const words = vocabulary?.unrouted;
  const { status, body: ownBody } = errorReply(failure, family, '{}', { base: () => '', words });
  const body = words ? words.replyOut(ownBody) : ownBody;
  const transactionId = deps.nextTransactionId();
  const { requestId, secure } = of;
  const own = baseHeaders(family, TYPES[family], { transactionId, duration_ms: 0, requestId, secure });
  const headers = vocabulary ? vocabulary.headers(own) : own;
  if (failure.allow) headers.push('allow', failure.allow);
  // What a client can send instead. @source RFC 9110 15.5.16
  if (failure.errors[0]!.problem === 'CODING_UNKNOWN') headers.push('accept-encoding', 'identity');
  if (deps.includesHints && failure.hint !== undefined) headers.push('x-hint', asciiOnly(failure.hint));
  headers.push(...retryAfterHeaders(failure));
  return { status, headers, body, transactionId };
}

/** Sends an error reply to a request without an operation. */
export function sendError(
  deps: PipelineDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  failure: Problem,
): void {
  const of = { path: request.url ?? '/', requestId: clientRequestId(request), secure: deps.secureHeaders(request) };
  const { status, headers, body, transactionId } = errorResponse(deps, failure, of);
  if (deps.isDraining()) response.shouldKeepAlive = false;
  send(response, status, headers, body);
  deps.observer.unrouted(request, status, transactionId);
}
