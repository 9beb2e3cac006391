import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Page, PageRefusal, PageRequest, PageResponse, Pages } from '../../contract/declare/pages.ts';
import { Problem, type ProblemName } from '../../contract/problems/problems.ts';
import { acceptsOnlyJson } from '../accept.ts';
import type { AddressLimiter } from '../address-limiter.ts';
import type { AuditLog, AuditOrigin } from '../audit-log.ts';
import type { ConnectionLimiter } from '../connection-limiter.ts';
import { type AccessLog, logLevelOf } from '../log-level.ts';
import { discardAndClose } from '../read-bytes.ts';
import { send } from '../reply.ts';
import { requestIdOf } from '../request-id.ts';
import type { RequestObserver } from '../request-observer.ts';
import type { UnauthenticatedBodies } from '../unauthenticated-bodies.ts';
import { browserNameOf } from './browser-names.ts';
import type { BrowserSessions, OpenSession } from './browser-sessions.ts';
import { DEVICE_COOKIE, readCookie, SESSION_COOKIE, setCookieHeader } from './cookies.ts';
import { isFromOwnPage } from './csrf.ts';
import { type BrandedService, renderDocument } from './document.ts';
import { pageHeaders } from './page-headers.ts';

/** The dependencies of the pages of a listener. */
export interface PageDeps {
  readonly face: BrandedService;
  readonly pages: Pages;
  readonly sessions: BrowserSessions;
  readonly counts: AddressLimiter;
  /** Limits all requests of one address; undefined when limits are off. @source decision 86 */
  readonly flood: AddressLimiter | undefined;
  /** The open connections of all listeners. */
  readonly connections: Pick<ConnectionLimiter, 'markAuthenticated'>;
  /** Reads forms, with stricter limits for clients without a session. */
  readonly strangers: UnauthenticatedBodies;
  readonly log: Logger;
  readonly auditLog: AuditLog;
  readonly observer: Pick<RequestObserver, 'pageVisited'>;
  readonly accessLog: AccessLog;
  readonly nextTransactionId: () => string;
  /** The origins of a request, with the one that it was sent to at the end; throws on plain HTTP where not allowed. */
  readonly origins: (request: IncomingMessage) => readonly string[];
  readonly addressOf: (request: IncomingMessage) => string;
  readonly secureHeaders: (request: IncomingMessage) => readonly string[];
  readonly isDraining: () => boolean;
}

/** The maximum size of a form. */
const FORM_BYTES_MAX = 131_072;
const STYLES = ['style.css', 'preview.css'];

/** Registers the pages and their stylesheets on a listener. */
export function registerPages(app: FastifyInstance, deps: PageDeps): void {
  for (const page of deps.pages.list) {
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: page.path,
      handler: () => {},
      // Answered before the framework validates the body, like operations.
      onRequest(request, reply, _next) {
        reply.hijack();
        void answer(deps, page, request.raw, reply.raw, request.params as Record<string, string>);
      },
    });
  }
  for (const name of STYLES) {
    const style = readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
    app.get(`/pages/${name}`, (_, reply) => {
      void reply.headers({
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'max-age=300',
      });
      return reply.send(style);
    });
  }
}

/** Answers one request for a page. Never rejects. */
async function answer(
  deps: PageDeps,
  page: Page,
  request: IncomingMessage,
  response: ServerResponse,
  path: Readonly<Record<string, string>>,
): Promise<void> {
  const verb = request.method === 'HEAD' ? 'GET' : request.method;
  const method = page.methods.find((each) => each === verb);
  if (!method) {
    deps.observer.pageVisited(page.path, OTHER, otherMethod(deps, page, request, response));
    return;
  }
  const transactionId = deps.nextTransactionId();
  const origin = { transaction_id: transactionId, request_id: requestIdOf(request), address: deps.addressOf(request) };
  let failure: unknown;
  let isSecure = false;
  let said: PageResponse;
  let cookies: readonly string[] = [];
  try {
    const origins = originsOf(deps, request);
    isSecure = origins?.at(-1)?.startsWith('https:') ?? false;
    if (origins) ({ said, cookies } = await visited(deps, page, { request, method, path, origins, isSecure, origin }));
    else said = deps.pages.errorPage('plain http');
  } catch (error) {
    said = refusalOf(deps.pages, error);
    failure = error;
  }
  if (said.audited?.length) await deps.auditLog.record(said.audited, origin);
  const seen = { request, secure: deps.secureHeaders(request), transactionId, cookies };
  // The rest of a refused form is discarded.
  const isCut = method === 'POST' && failure !== undefined && !request.complete;
  if (deps.isDraining() || isCut) response.shouldKeepAlive = false;
  if (isCut) discardAndClose(request);
  reply(response, said, deps.face, seen);
  note(deps, page, said, { ...origin, request, failure });
}

/** The error pages of problems of reading a form; all other problems mean that the database is unavailable. */
const OF_FORMS: Readonly<Partial<Record<ProblemName, PageRefusal>>> = {
  BODY_TOO_LARGE: 'too large',
  REQUEST_TOO_SLOW: 'too slow',
  RATE_LIMITED: 'too many visits',
};

function refusalOf(pages: Pages, error: unknown): PageResponse {
  if (!(error instanceof Problem)) return pages.errorPage('error');
  return pages.errorPage(OF_FORMS[error.errors[0]!.problem] ?? 'unavailable', error.retryAfter_s);
}

/** The origins of a request; undefined where plain HTTP is not allowed. */
function originsOf(deps: PageDeps, request: IncomingMessage): readonly string[] | undefined {
  try {
    return deps.origins(request);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

interface Arrived {
  readonly request: IncomingMessage;
  readonly method: 'GET' | 'POST';
  readonly path: Readonly<Record<string, string>>;
  readonly origins: readonly string[];
  readonly isSecure: boolean;
  readonly origin: AuditOrigin;
}

/** Handles a request in order: rate limit, session, form, form token, page, changes of the session. */
async function visited(
  deps: PageDeps,
  page: Page,
  { request, method, path, origins, isSecure, origin }: Arrived,
): Promise<{ said: PageResponse; cookies: readonly string[] }> {
  const { pages, sessions, counts } = deps;
  const { address } = origin;
  // Forms are not counted here: their failures have limits of their own.
  const isCounted = page.isRateLimited && method === 'GET';
  const wait_s = deps.flood?.take(address) ?? (isCounted ? counts.take(address) : undefined);
  if (wait_s !== undefined) return { said: pages.errorPage('too many visits', wait_s), cookies: [] };
  const session = await sessions.open({
    cookie: readCookie(request, SESSION_COOKIE, isSecure),
    address,
    browser: browserNameOf(request.headers['user-agent']),
  });
  const isKnown = session.user !== undefined;
  if (isKnown) deps.connections.markAuthenticated(request.socket);
  const max = isKnown ? FORM_BYTES_MAX : Math.min(FORM_BYTES_MAX, deps.strangers.bytes_max);
  const query = /\?(.*)$/s.exec(request.url!)?.[1] ?? '';
  const input = method === 'POST' ? (await deps.strangers.read(request, { address, max, isKnown })).toString() : query;
  const parameters = new URLSearchParams(input);
  const pageRequest: PageRequest = {
    method,
    isHead: request.method === 'HEAD',
    parameter: (name) => parameters.get(name) ?? undefined,
    parameters: [...parameters],
    query,
    pathParams: path,
    user: session.user,
    session: session.stored,
    csrfToken: session.csrfToken,
    address,
    deviceCookie: readCookie(request, DEVICE_COOKIE, isSecure),
    serviceName: deps.face.name,
    record: deps.auditLog.transactional(origin),
  };
  const isKept = session.stored !== undefined;
  const tokens = { input: pageRequest.parameter('authenticity_token'), own: session.csrfToken, isKept };
  if (method === 'POST' && !isFromOwnPage(request, origins, tokens)) {
    return { said: pages.errorPage('form token'), cookies: [] };
  }
  const said = await page.answer(pageRequest);
  return { said, cookies: await settle(session, said, isSecure) };
}

/** Applies a response to the session. Returns the Set-Cookie headers. */
async function settle(session: OpenSession, said: PageResponse, isSecure: boolean): Promise<readonly string[]> {
  const known = said.deviceCookie === undefined ? [] : [setCookieHeader(DEVICE_COOKIE, said.deviceCookie, isSecure)];
  if (said.logout) {
    await session.end();
    return [setCookieHeader(SESSION_COOKIE, undefined, isSecure), ...known];
  }
  const value = await valueAfter(session, said);
  return value === undefined ? known : [setCookieHeader(SESSION_COOKIE, value, isSecure), ...known];
}

/** The new value of the session cookie; undefined if it stays the same. */
async function valueAfter(session: OpenSession, said: PageResponse): Promise<string | undefined> {
  if (said.login !== undefined) return session.startFor(said.login);
  if (said.reauthenticated) return session.renew();
  return said.hasForm ? session.ensureStored() : undefined;
}

interface Seen {
  readonly request: IncomingMessage;
  readonly secure: readonly string[];
  readonly transactionId: string;
  readonly cookies: readonly string[];
}

function reply(
  response: ServerResponse,
  said: PageResponse,
  face: BrandedService,
  { request, secure, transactionId, cookies }: Seen,
): void {
  const isJson = said.error !== undefined && acceptsOnlyJson(request.headers.accept);
  const headers = pageHeaders(said);
  headers.push('content-type', isJson ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8');
  headers.push('vary', 'accept, cookie', 'x-transaction-id', transactionId, ...secure);
  const requestId = requestIdOf(request);
  if (requestId) headers.push('x-request-id', requestId);
  for (const cookie of cookies) headers.push('set-cookie', cookie);
  if (said.location !== undefined) headers.push('location', said.location);
  if (said.retryAfter_s !== undefined) headers.push('retry-after', String(said.retryAfter_s));
  const page = 'content' in said.html ? renderDocument(said.html, face) : said.html.render();
  send(response, said.status, headers, isJson ? JSON.stringify({ errors: [said.error] }) : page);
}

/** Logs a request for a page, without its parameters, cookies and redirect target. */
function note(
  { log, accessLog, observer }: PageDeps,
  page: Page,
  said: PageResponse,
  { request, failure, ...origin }: AuditOrigin & { readonly request: IncomingMessage; readonly failure: unknown },
): void {
  observer.pageVisited(page.path, request.method!, said.status);
  const line = { ...origin, method: request.method, route: page.path, status: said.status };
  const level = logLevelOf(said.status, failure, accessLog);
  if (level === 'error') log.error({ ...line, err: failure }, 'page failed');
  else if (level) log.info(line, 'page');
}

/** The metric label of methods that a page does not support, because clients choose them. */
const OTHER = 'other';

/** Answers with the allowed methods; returns the status. */
function otherMethod(deps: PageDeps, page: Page, request: IncomingMessage, response: ServerResponse): number {
  const secure = deps.secureHeaders(request);
  const allow = [...page.methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])), 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, ['allow', allow, ...secure]);
    response.end();
    return 204;
  }
  const message = `This method requires a ${page.methods.join(' or ')}.`;
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'allow',
    allow,
    'cache-control',
    'no-store',
    ...secure,
  ];
  send(response, 405, headers, JSON.stringify({ errors: [{ code: 86, message }] }));
  return 405;
}
