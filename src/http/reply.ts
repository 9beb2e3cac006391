import type { ServerResponse } from 'node:http';
import type { Random } from '../base/random.ts';
import { type Family, Problem } from '../contract/problems.ts';
import { VERSION } from '../engine/operations.ts';
import type { Exchange, PipelineParts } from './exchange.ts';
import { requestIdOf } from './request-id.ts';

/** Makes transaction ids: 16 hex digits, unique per request. A random start of this process, then a count. */
export function transactionIds(random: Random): () => string {
  const prefix = random.bytes(4).toString('hex');
  let count = random.bytes(3).readUIntBE(0, 3);
  return () => {
    count = (count + 1) % 0x1_0000_0000;
    return prefix + count.toString(16).padStart(8, '0');
  };
}

/** Headers as a flat list of names and values, as the HTTP writer takes them fastest. */
export type Headers = string[];

const NO_STORE = 'no-cache, no-store, must-revalidate, pre-check=0, post-check=0';

/**
 * The headers of a reply: what every reply carries, and what its state adds.
 * @source campaigns 3.1; authentication gaps 1.4 and 13
 */
export function headersOf(exchange: Exchange, parts: PipelineParts, status: number, failure: unknown): Headers {
  const { operation, principal, transactionId, startedAt_ms } = exchange;
  const headers = standingHeaders(
    operation.family,
    transactionId,
    performance.now() - startedAt_ms,
    requestIdOf(exchange.request),
  );
  if (principal) headers.push('x-access-level', principal.level);
  if (principal) addRates(headers, exchange, parts, status);
  if (failure instanceof Problem) addFailure(headers, failure);
  if (status === 401) headers.push('www-authenticate', `OAuth realm="${realmOf(exchange, parts)}"`);
  if (parts.namesIgnored && exchange.ignored !== '') headers.push('x-ignored-parameters', asciiOnly(exchange.ignored));
  return headers;
}

/** What every reply carries, also where no operation answers. */
export function standingHeaders(
  family: Family,
  transactionId: string,
  duration_ms: number,
  requestId: string | undefined,
): Headers {
  const isAds = family === 'ads';
  const headers: Headers = [
    'content-type',
    isAds ? 'application/json;charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control',
    NO_STORE,
    'x-transaction-id',
    transactionId,
    'x-response-time',
    String(Math.round(duration_ms)),
  ];
  if (requestId) headers.push('x-request-id', requestId);
  if (isAds) headers.push('x-current-api-version', VERSION);
  else headers.push('pragma', 'no-cache', 'expires', 'Tue, 31 Mar 1981 05:00:00 GMT');
  return headers;
}

function addRates(headers: Headers, exchange: Exchange, parts: PipelineParts, status: number): void {
  const { operation, principal } = exchange;
  // A request refused before it was counted still counts against its user.
  const scope = { environment: parts.environment, principal: principal!, account: undefined, withTotalCount: false };
  exchange.taken ??= parts.rates.take(operation, scope);
  if (status >= 500) exchange.taken = parts.rates.giveBack(exchange.taken);
  const { user, account } = exchange.taken;
  addWindow(headers, 'x-rate-limit', user);
  if (account) addWindow(headers, 'x-account-rate-limit', account);
}

function addWindow(headers: Headers, name: string, window: { limit: number; remaining: number; reset: number }): void {
  headers.push(`${name}-limit`, String(window.limit));
  headers.push(`${name}-remaining`, String(window.remaining));
  headers.push(`${name}-reset`, String(window.reset));
}

function addFailure(headers: Headers, failure: Problem): void {
  if (failure.retryAfter_s !== undefined) headers.push('retry-after', String(failure.retryAfter_s));
  if (failure.allow !== undefined) headers.push('allow', failure.allow);
}

/** The base address that was asked, when it can stand in a quoted header value. */
function realmOf(exchange: Exchange, parts: PipelineParts): string {
  const [base = ''] = parts.origins(exchange.request);
  return /^[\w.:/[\]-]*$/.test(base) ? base : '';
}

function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500);
}

/** Sends a reply in one piece. */
export function send(response: ServerResponse, status: number, headers: Headers, body: string): void {
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.end(body);
}
