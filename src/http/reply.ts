import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '../base/random.ts';
import type { Deprecation } from '../contract/declare/deprecations.ts';
import type { Answer, Operation } from '../contract/declare/operation.ts';
import { RATES } from '../contract/declare/rates.ts';
import { type Family, Problem } from '../contract/problems/problems.ts';
import { VERSION } from '../engine/operations.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';
import type { RateScope, RateUsage } from './rate-limiter.ts';

/** Generates transaction ids: 16 hex digits, unique per request. A random prefix per process, then a counter. */
export function transactionIds(random: Random): () => string {
  const prefix = random.bytes(4).toString('hex');
  let count = random.bytes(3).readUIntBE(0, 3);
  return () => {
    count = (count + 1) % 0x1_0000_0000;
    return prefix + count.toString(16).padStart(8, '0');
  };
}

/** Headers as a flat list of names and values, the form that the HTTP writer handles fastest. */
export type Headers = string[];

const NO_STORE = 'no-cache, no-store, must-revalidate, pre-check=0, post-check=0';

/**
 * The headers of a reply: those of every reply, and those that depend on its state.
 * @source campaigns 3.1; authentication 1.4 and 13; decision 59
 */
export function buildReplyHeaders(
  exchange: Exchange,
  deps: PipelineDependencies,
  status: number,
  failure: unknown,
): Headers {
  const { operation, caller, transactionId, startedAt_ms, request } = exchange;
  const headers = baseHeaders(operation.family, typeOf(operation, failure), {
    transactionId,
    duration_ms: performance.now() - startedAt_ms,
    requestId: clientRequestId(request),
    secure: deps.secureHeaders(request),
  });
  // An empty reply has no content type.
  if (status === 204) headers.splice(0, 2);
  if (caller?.kind === 'user') headers.push('x-access-level', caller.level);
  // A proxy that buffers whole replies would never forward this one.
  if (operation.shape === 'stream' && !failure) headers.push('x-accel-buffering', 'no');
  if (operation.replacedBy) headers.push('x-api-warn', `This path is deprecated; use ${operation.replacedBy}`);
  const deprecation = operation.deprecation ?? (exchange.usesDeprecated ? operation.deprecatedInput : undefined);
  if (deprecation) addDeprecation(headers, deprecation, exchange, deps);
  headers.push(...exchange.answerHeaders);
  if (exchange.rateUsage) addRates(headers, deps, exchange.rateUsage, status);
  if (failure instanceof Problem) addFailure(headers, failure, deps.includesHints);
  if (status === 401) headers.push('www-authenticate', challengeOf(exchange, deps));
  if (deps.includesHints && exchange.ignoredParameters !== '')
    headers.push('x-ignored-parameters', asciiOnly(exchange.ignoredParameters));
  return headers;
}

/** The headers that an operation sets, with its hint in development mode. */
export async function answerHeaders(
  deps: Pick<PipelineDependencies, 'includesHints'>,
  { headers = {}, hint }: Answer,
): Promise<string[]> {
  const own = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  const told = deps.includesHints ? await hint?.() : undefined;
  return told === undefined ? own : [...own, 'x-hint', asciiOnly(told)];
}

/** The headers of every reply, even without an operation. */
export function baseHeaders(
  family: Family,
  type: string,
  of: {
    readonly transactionId: string;
    readonly duration_ms: number;
    readonly requestId: string | undefined;
    readonly secure: readonly string[];
  },
): Headers {
  const headers: Headers = [
    'content-type',
    type,
    'cache-control',
    NO_STORE,
    'x-transaction-id',
    of.transactionId,
    'x-response-time',
    String(Math.round(of.duration_ms)),
  ];
  headers.push(...of.secure);
  if (of.requestId) headers.push('x-request-id', of.requestId);
  if (family === 'ads') headers.push('x-current-api-version', VERSION);
  else headers.push('pragma', 'no-cache', 'expires', 'Tue, 31 Mar 1981 05:00:00 GMT');
  return headers;
}

/** The content types of replies: those of the advertising API, and the others. */
export const JSON_TYPES = { ads: 'application/json;charset=utf-8', others: 'application/json; charset=utf-8' } as const;

/** The content type of errors in version 2. @source RFC 9457 3 */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/**
 * Token operations reply in form encoding, with the content type that their clients expect.
 * @source authentication 1.4
 */
function typeOf(operation: Operation, failure: unknown): string {
  if (operation.family === 'ads') return JSON_TYPES.ads;
  const isPairs = operation.shape === 'form' && failure === undefined;
  if (operation.family === 'problem' && failure !== undefined) return PROBLEM_TYPE;
  return isPairs ? 'text/html;charset=utf-8' : JSON_TYPES.others;
}

/** Returns the caller and address to which a call is charged. */
export function rateScopeOf(deps: PipelineDependencies, exchange: Exchange): RateScope {
  const { operation, request } = exchange;
  const address = RATES[operation.rate].address === undefined ? '' : deps.addressOf(request);
  return {
    environment: deps.environment,
    caller: exchange.caller!,
    address,
    account: undefined,
    withTotalCount: false,
  };
}

/**
 * Charges a request that was refused before it was counted. Returns a promise only if the rate limiter does.
 */
export function chargeRefusedCall(exchange: Exchange, deps: PipelineDependencies): Promise<void> | undefined {
  if (!exchange.caller || exchange.rateUsage) return undefined;
  const usage = deps.rateLimiter.take(exchange.operation, rateScopeOf(deps, exchange));
  if (usage instanceof Promise) {
    return usage.then((counted) => {
      exchange.rateUsage = counted;
    });
  }
  exchange.rateUsage = usage;
  return undefined;
}

function addRates(headers: Headers, { rateLimiter }: PipelineDependencies, usage: RateUsage, status: number): void {
  const { user, account } = status >= 500 ? rateLimiter.refund(usage) : usage;
  addWindow(headers, 'x-rate-limit', user);
  if (account) addWindow(headers, 'x-account-rate-limit', account);
}

function addWindow(headers: Headers, name: string, window: { limit: number; remaining: number; reset: number }): void {
  headers.push(`${name}-limit`, String(window.limit));
  headers.push(`${name}-remaining`, String(window.remaining));
  headers.push(`${name}-reset`, String(window.reset));
}

/**
 * Adds deprecation headers: the date and a link always, the warning for people only from that date on.
 * @source activity 21.3; RFC 9745; RFC 8594
 */
function addDeprecation(
  headers: Headers,
  { from_s, path, rel, warning }: Deprecation,
  { request, operation, caller }: Exchange,
  { originsOf, services }: PipelineDependencies,
): void {
  // An unauthenticated request may have used an origin that is refused: its link is relative.
  const [base = ''] = caller ? originsOf(request) : [];
  headers.push('deprecation', `@${from_s}`, 'link', `<${base}${path}>; rel="${rel}"`);
  const sunset = operation.sunset?.(services);
  if (sunset !== undefined) headers.push('sunset', new Date(sunset).toUTCString());
  if (services.clock.now() >= from_s * 1000) headers.push('x-api-warn', warning);
}

/** The `retry-after` header of a failure, if any. */
export function retryAfterHeaders(failure: unknown): readonly string[] {
  const wait_s = failure instanceof Problem ? failure.retryAfter_s : undefined;
  return wait_s === undefined ? [] : ['retry-after', String(wait_s)];
}

function addFailure(headers: Headers, failure: Problem, tellsHints: boolean): void {
  headers.push(...retryAfterHeaders(failure));
  if (failure.allow !== undefined) headers.push('allow', failure.allow);
  if (tellsHints && failure.hint !== undefined) headers.push('x-hint', asciiOnly(failure.hint));
}

/**
 * The authentication challenge: the scheme that the request tried, if the operation accepts it, else OAuth.
 * @source authentication 1.4
 */
function challengeOf(exchange: Exchange, deps: PipelineDependencies): string {
  const realm = `realm="${realmOf(exchange, deps)}"`;
  const isBearer = /^\s*bearer(\s|$)/i.test(exchange.request.headers.authorization ?? '');
  return isBearer && takesBearer(exchange.operation) ? `Bearer ${realm}, error="invalid_token"` : `OAuth ${realm}`;
}

function takesBearer({ credential }: Operation): boolean {
  return credential === 'bearer' || credential === 'publisher' || credential === 'user-or-bearer';
}

/** The requested base URL, if it can stand in a quoted header value. */
function realmOf(exchange: Exchange, deps: PipelineDependencies): string {
  const [base = ''] = deps.originsOf(exchange.request);
  return /^[\w.:/[\]-]*$/.test(base) ? base : '';
}

/** Makes a text safe for a header. */
export function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500);
}

/** Converts flat headers to an object by name. */
export function headersByName(headers: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) pairs[headers[at]!] = headers[at + 1]!;
  return pairs;
}

/** Sends a whole reply. */
export function send(response: ServerResponse, status: number, headers: Headers, body: string): void {
  // A reply without a body has no length.
  if (status !== 204) headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.end(body);
}

/**
 * Shorter than any secret of this service, so that a secret sent by mistake is not logged.
 * @source decision 8
 */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,40}$/;

/** The client's `X-Request-ID`, if it is safe to log and echo. */
export function clientRequestId(request: IncomingMessage): string | undefined {
  const input = request.headers['x-request-id'];
  return typeof input === 'string' && REQUEST_ID.test(input) ? input : undefined;
}
