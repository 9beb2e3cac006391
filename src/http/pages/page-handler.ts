import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { noHtml } from '../../base/html.ts';
import { language } from '../../base/language.ts';
import type { Page, PageRefusal, PageRequest, PageResponse, Pages } from '../../contract/declare/pages.ts';
import { Problem, type ProblemName } from '../../contract/problems/problems.ts';
import type { RenderedPage, SentForms } from '../../contract/services/sent-forms.ts';
import type { AddressLimiter } from '../address-limiter.ts';
import type { AuditOrigin } from '../audit-log.ts';
import type { PipelineDependencies } from '../exchange.ts';
import { discardAndClose } from '../read-body.ts';
import { clientRequestId, send } from '../reply.ts';
import { type AccessLog, logLevelOf } from '../request-observer.ts';
import { acceptsOnlyJson, METHODS, type Routes, sharedRouter } from '../routes.ts';
import { type BrowserSessions, browserName, type OpenSession } from './browser-sessions.ts';
import { DEVICE_COOKIE, readCookie, SESSION_COOKIE, setCookieHeader } from './cookies.ts';
import { isFromOwnOrigin, isFromOwnPage } from './csrf.ts';
import { type BrandedService, renderDocument } from './document.ts';
import { type CallDeps, callsOf } from './page-calls.ts';
import { pageHeaders } from './page-headers.ts';
import { continueIn, inLanguageOf, LANGUAGE_PARAMETER, languageChoice, noteParameter } from './page-language.ts';
import { styleSheets } from './style-sheets.ts';

/** The dependencies of the pages of a listener: those of the pipeline, and their own. */
export interface PageDeps extends Omit<PipelineDependencies, 'environment' | 'tools'> {
  readonly branding: BrandedService;
  readonly pages: Pages;
  readonly sessions: BrowserSessions;
  readonly sentForms: SentForms;
  /** Limits views of pages that ask for it. */
  readonly pageViewLimiter: AddressLimiter;
  readonly log: Logger;
  readonly accessLog: AccessLog;
  /** The pipelines for calls of pages, by environment. */
  readonly calls: CallDeps;
}

/** The maximum size of a form. */
const FORM_BYTES_MAX = 131_072;

/** Answers the requests of a listener for pages; returns false, and does nothing, when no page has the path. */
export function pageAnswerer(deps: PageDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const byPath = new Map(deps.pages.list.map((page) => [page.path, page]));
  const find = sharedRouter([...byPath.keys()]);
  return (request, response) => {
    const route = METHODS.has(request.method!) ? find(request.url!) : undefined;
    if (!route) return false;
    void inLanguageOf(request, deps.branding.language, () =>
      answer(deps, byPath.get(route.path)!, request, response, route.params),
    );
    return true;
  };
}

/** Registers the stylesheets of the pages on a listener. */
export function registerStyles(routes: Routes): void {
  const headers = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' };
  for (const [name, body] of Object.entries(styleSheets)) routes.get(`/pages/${name}`, () => ({ headers, body }));
}

/** Answers one request for a page. Never rejects. */
async function answer(
  deps: PageDeps,
  page: Page,
  request: IncomingMessage,
  serverResponse: ServerResponse,
  path: Readonly<Record<string, string>>,
): Promise<void> {
  const verb = request.method === 'HEAD' ? 'GET' : request.method;
  const method = page.methods.find((each) => each === verb);
  if (!method) {
    deps.observer.pageVisited(page.path, OTHER, otherMethod(deps, page, request, serverResponse));
    return;
  }
  const transactionId = deps.nextTransactionId();
  const origin = {
    transaction_id: transactionId,
    request_id: clientRequestId(request),
    address: deps.addressOf(request),
  };
  const rendered = (response: PageResponse): RenderedPage => renderPage(response, deps.branding, request);
  let failure: unknown;
  let sent: RenderedPage;
  try {
    const origins = allowedOriginsOf(deps, request);
    sent = origins
      ? await respond(deps, page, { request, method, path, origins, origin, rendered })
      : rendered(deps.pages.errorPage('plain http'));
  } catch (error) {
    sent = rendered(refusalOf(deps.pages, error));
    failure = error;
  }
  // The rest of a refused form is discarded.
  const closesConnection = method === 'POST' && failure !== undefined && !request.complete;
  if (deps.isDraining() || closesConnection) serverResponse.shouldKeepAlive = false;
  if (closesConnection) discardAndClose(request);
  sendPage(serverResponse, sent, { request, secure: deps.secureHeaders(request), transactionId });
  logPage(deps, page, sent, { ...origin, request, failure });
}

/** Error pages for problems of reading a form; all other problems mean that the database is unavailable. */
const FORM_REFUSALS: Readonly<Partial<Record<ProblemName, PageRefusal>>> = {
  BODY_TOO_LARGE: 'too large',
  REQUEST_TOO_SLOW: 'too slow',
  RATE_LIMITED: 'too many visits',
};

function refusalOf(pages: Pages, error: unknown): PageResponse {
  if (!(error instanceof Problem)) return pages.errorPage('error');
  return pages.errorPage(FORM_REFUSALS[error.errors[0]!.problem] ?? 'unavailable', error.retryAfter_s);
}

/** The origins of a request; undefined over forbidden plain HTTP. */
function allowedOriginsOf(deps: PageDeps, request: IncomingMessage): readonly string[] | undefined {
  try {
    return deps.originsOf(request);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

interface PageArrival {
  readonly request: IncomingMessage;
  readonly method: 'GET' | 'POST';
  readonly path: Readonly<Record<string, string>>;
  readonly origins: readonly string[];
  readonly origin: AuditOrigin;
  readonly rendered: (response: PageResponse) => RenderedPage;
}

/** The hidden fields that each form has, beside what it is about. */
const FORM_FIELDS: readonly string[] = ['authenticity_token', 'form_key', LANGUAGE_PARAMETER];

/** Handles a request in order: rate limit, session, form, form token, page, changes of the session. */
async function respond(deps: PageDeps, page: Page, arrival: PageArrival): Promise<RenderedPage> {
  const { pages, sessions, sentForms, pageViewLimiter } = deps;
  const { request, method, path, origins, origin, rendered } = arrival;
  const { address } = origin;
  const isSecure = origins.at(-1)?.startsWith('https:') ?? false;
  // Forms are not counted here: their failures have limits of their own.
  const isCounted = page.isRateLimited && method === 'GET';
  const wait_s = deps.addressLimiter?.take(address) ?? (isCounted ? pageViewLimiter.take(address) : undefined);
  if (wait_s !== undefined) return rendered(pages.errorPage('too many visits', wait_s));
  const choice = languageChoice(request, isSecure);
  if (choice) {
    const { location, cookie } = choice;
    return { ...rendered({ status: 303, location, html: noHtml }), cookies: [cookie] };
  }
  if (deps.fence) await deps.fence();
  const cookie = readCookie(request, SESSION_COOKIE, isSecure);
  const session = await sessions.open({ cookie, address, browser: browserName(request.headers['user-agent']) });
  const isKnown = session.user !== undefined;
  if (isKnown) deps.connectionLimiter.markAuthenticated(request.socket);
  const max = isKnown ? FORM_BYTES_MAX : Math.min(FORM_BYTES_MAX, deps.unauthenticatedBodies.bytes_max);
  const query = /\?(.*)$/s.exec(request.url!)?.[1] ?? '';
  const input =
    method === 'POST' ? (await deps.unauthenticatedBodies.read(request, { address, max, isKnown })).toString() : query;
  const parameters = new URLSearchParams(input);
  continueIn(parameters.get(LANGUAGE_PARAMETER));
  const user = session.user?.id ?? '';
  const call = session.user ? callsOf(deps.calls, request, session.user) : noCalls;
  let [isBegun, isHalfDone] = [false, false];
  const pageRequest: PageRequest = {
    method,
    isHead: request.method === 'HEAD',
    parameter: (name) => {
      noteParameter(name);
      return parameters.get(name) ?? undefined;
    },
    parameters: [...parameters],
    path: request.url!.split('?', 1)[0]!,
    query,
    pathParams: path,
    user: session.user,
    session: session.stored,
    formFields: {
      authenticity_token: session.csrfToken,
      form_key: sentForms.keyFor(user, session.csrfToken),
      [LANGUAGE_PARAMETER]: language(),
    },
    address,
    deviceCookie: readCookie(request, DEVICE_COOKIE, isSecure),
    serviceName: deps.branding.name,
    async call(...of) {
      const reply = await call(...of);
      if (reply.shown.method !== 'GET') {
        isHalfDone ||= isBegun && !reply.isDone;
        isBegun ||= reply.isDone;
      }
      return reply;
    },
    record: deps.auditLog.transactional(origin),
  };
  const perform = async (): Promise<{ page: RenderedPage; isDone: boolean }> => {
    const response = await page.answer(pageRequest);
    const cookies = await applyToSession(session, response, isSecure);
    if (response.audited?.length) await deps.auditLog.record(response.audited, origin);
    return { page: { ...rendered(response), cookies }, isDone: isHalfDone || response.status < 400 };
  };
  if (method === 'GET') return (await perform()).page;
  const key = parameters.get('form_key') ?? '';
  const token = pageRequest.parameter('authenticity_token') ?? '';
  const made = sentForms.originOf(key, token);
  const members = pageRequest.parameters.filter(([name]) => !FORM_FIELDS.includes(name));
  const form = { key, address: request.url!, members };
  const csrfTokens = { input: token, own: session.csrfToken, isKept: session.isKept };
  if (isFromOwnPage(request, origins, csrfTokens)) {
    // Pages of older servers have no key.
    if (made?.user !== user) return (await perform()).page;
    return (await sentForms.once(form, cookie ?? '', perform)) ?? rendered(pages.errorPage('sent before'));
  }
  if (!made?.isOfToken || !isFromOwnOrigin(request, origins)) return rendered(pages.errorPage('form token'));
  const repeated = await sentForms.repeated(form, cookie ?? '');
  if (repeated) return repeated;
  const isLate = made.user !== '' && page.mayFollowLogin && (!isKnown || user === made.user);
  return rendered(isLate ? await pages.keepLateForm({ ...form, user: made.user }) : pages.errorPage('form token'));
}

const noCalls = (): never => {
  throw new Error('no user is logged in');
};

/** Applies a response to the session. Returns the Set-Cookie headers. */
async function applyToSession(
  session: OpenSession,
  response: PageResponse,
  isSecure: boolean,
): Promise<readonly string[]> {
  const deviceCookies =
    response.deviceCookie === undefined ? [] : [setCookieHeader(DEVICE_COOKIE, response.deviceCookie, isSecure)];
  if (response.logout) {
    await session.end();
    return [setCookieHeader(SESSION_COOKIE, undefined, isSecure), ...deviceCookies];
  }
  const sessionCookie = await sessionCookieAfter(session, response);
  return sessionCookie === undefined
    ? deviceCookies
    : [setCookieHeader(SESSION_COOKIE, sessionCookie, isSecure), ...deviceCookies];
}

/** The new value of the session cookie; undefined if it stays the same. */
async function sessionCookieAfter(session: OpenSession, response: PageResponse): Promise<string | undefined> {
  if (response.login !== undefined) return session.startFor(response.login);
  if (response.reauthenticated) return session.renew();
  return response.hasForm ? session.newCookie : undefined;
}

/** Renders a page with the headers of its reply, to send now or again later. */
function renderPage(response: PageResponse, branding: BrandedService, request: IncomingMessage): RenderedPage {
  const { status, html, file, location, retryAfter_s, error } = response;
  const isJson = error !== undefined && acceptsOnlyJson(request.headers.accept);
  const type = file ? file.type : isJson ? 'application/json' : 'text/html';
  const headers = pageHeaders(response);
  headers.push('content-type', `${type}; charset=utf-8`);
  if (location !== undefined) headers.push('location', location);
  if (retryAfter_s !== undefined) headers.push('retry-after', String(retryAfter_s));
  if (file) headers.push('content-disposition', `attachment; filename="${file.name}"`);
  const page = () => ('content' in html ? renderDocument(html, branding, status < 400) : html.render());
  return {
    status,
    headers,
    text: file ? file.text : isJson ? JSON.stringify({ errors: [error] }) : page(),
    cookies: [],
  };
}

interface ReplyContext {
  readonly request: IncomingMessage;
  readonly secure: readonly string[];
  readonly transactionId: string;
}

function sendPage(
  serverResponse: ServerResponse,
  { status, headers: own, text, cookies }: RenderedPage,
  { request, secure, transactionId }: ReplyContext,
): void {
  const headers = [...own, 'vary', 'accept, accept-language, cookie', 'x-transaction-id', transactionId, ...secure];
  const requestId = clientRequestId(request);
  if (requestId) headers.push('x-request-id', requestId);
  for (const cookie of cookies) headers.push('set-cookie', cookie);
  send(serverResponse, status, headers, text);
}

/** Logs a request for a page, without its parameters, cookies and redirect target. */
function logPage(
  { log, accessLog, observer }: PageDeps,
  page: Page,
  response: RenderedPage,
  { request, failure, ...origin }: AuditOrigin & { readonly request: IncomingMessage; readonly failure: unknown },
): void {
  observer.pageVisited(page.path, request.method!, response.status);
  const fields = { ...origin, method: request.method, route: page.path, status: response.status };
  const level = logLevelOf(response.status, failure, accessLog);
  if (level === 'error') log.error({ ...fields, err: failure }, 'page failed');
  else if (level) log.info(fields, 'page');
}

/** The metric label of methods that a page does not support, because clients choose them. */
const OTHER = 'other';

/** Answers with the allowed methods; returns the status. */
function otherMethod(deps: PageDeps, page: Page, request: IncomingMessage, serverResponse: ServerResponse): number {
  const secure = deps.secureHeaders(request);
  const allow = [...page.methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])), 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') {
    serverResponse.writeHead(204, ['allow', allow, ...secure]);
    serverResponse.end();
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
  send(serverResponse, 405, headers, JSON.stringify({ errors: [{ code: 86, message }] }));
  return 405;
}
