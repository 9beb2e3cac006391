import { html, noHtml } from '../../../base/html.ts';
import type { Page, PageDocument, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { Application, User } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { texts } from '../../../texts/texts.ts';
import { refuseCallback } from '../callback-urls.ts';
import { type AuthorizeState, type AuthorizeView, authorizeView } from './authorize-view.ts';
import { displayHost, isCustomScheme, usesPin } from './callback-target.ts';
import { codePage } from './code-page.ts';
import { consentPage } from './consent-page.ts';
import { errorPage } from './error-pages.ts';
import { cardPage } from './layout.ts';
import { submitLogin } from './login-pages.ts';
import type { PagesDeps } from './pages-deps.ts';

type Endpoint = AuthorizeState['endpoint'];

/** A request for one of the pages, with its request token and application. */
interface Visit {
  readonly deps: PagesDeps;
  readonly endpoint: Endpoint;
  readonly request: PageRequest;
  readonly requestToken: RequestToken;
  readonly application: Application;
  /** The user must log in again. */
  readonly forced: boolean;
}

/**
 * `/oauth/authorize` and `/oauth/authenticate`, where users decide on the access of applications.
 * @source authentication 6
 */
export function authorizePages(deps: PagesDeps): readonly Page[] {
  return (['authorize', 'authenticate'] as const).map(
    (endpoint): Page => ({
      path: `/oauth/${endpoint}`,
      methods: ['GET', 'POST'],
      isRateLimited: true,
      answer: (request) => answer(deps, endpoint, request),
    }),
  );
}

/** The shape of request tokens; others were never issued and are not looked up. @source authentication 15.1 */
const TOKEN_SHAPE = /^[\w-]{1,100}$/;

async function answer(deps: PagesDeps, endpoint: Endpoint, request: PageRequest): Promise<PageResponse> {
  const token = request.parameter('oauth_token') ?? '';
  const found = TOKEN_SHAPE.test(token) ? await deps.grants.find(token) : undefined;
  if (found?.application.suspended) return errorPage('application suspended');
  if (found?.requestToken.state !== 'issued') return errorPage('token');
  const { requestToken, application } = found;
  // The callback may have been unregistered since the login began.
  if (refuseCallback(application, requestToken.callback)) return errorPage('callback');
  const forced = await isForced(deps, request, requestToken);
  const visit: Visit = { deps, endpoint, request, requestToken, application, forced };
  return request.method === 'GET' ? answerGet(visit) : answerPost(visit);
}

/**
 * Whether a user who is logged in must log in again. Once `force_login` was requested, it holds for the request token,
 * however the page is opened later: only a login for this request token satisfies it.
 * @source decision 507
 */
async function isForced({ grants }: PagesDeps, request: PageRequest, requestToken: RequestToken): Promise<boolean> {
  const isRequested = /^(true|1)$/.test(request.parameter('force_login') ?? '');
  if (isRequested && !request.isHead && requestToken.force_login === 0) await grants.forceLogin(requestToken);
  // A URL with force_login asks each time it is opened; the redirect after the login comes without it.
  if (isRequested && request.method === 'GET') return true;
  const isDone = request.user !== undefined && request.session?.login_for === requestToken.id;
  return (isRequested || requestToken.force_login === 1) && !isDone;
}

async function answerGet(visit: Visit): Promise<PageResponse> {
  const { request, forced } = visit;
  const view = await viewFor(visit, request.user, forced);
  if (view !== 'redirect') return form(visit, view, 200);
  // HEAD gets the status, but approves nothing.
  return request.isHead ? { status: 302, html: noHtml } : approve(visit, request.user!, 302);
}

async function viewFor(visit: Visit, user: User | undefined, forcesLogin: boolean): Promise<AuthorizeView> {
  const { deps, endpoint, requestToken, application } = visit;
  return authorizeView({
    endpoint,
    isLoggedIn: user !== undefined,
    forcesLogin,
    isGranted: user && (await deps.grants.isGranted(application.id, user.id, requestToken.access_level)),
    allowsSignIn: application.sign_in === 1,
    usesPin: usesPin(requestToken),
  });
}

/** The fields of a login; a form with one of them is a login even if the user is logged in. */
const LOGIN_FIELDS = ['session[pending]', 'session[username_or_email]', 'session[password]'];

async function answerPost(visit: Visit): Promise<PageResponse> {
  const { deps, request, application, requestToken } = visit;
  const has = (name: string): boolean => request.parameter(name) !== undefined;
  if (has('cancel') || has('deny')) return deny(visit);
  if (request.user && !visit.forced && !LOGIN_FIELDS.some(has)) return approve(visit, request.user, 303);
  return submitLogin(deps, request, {
    application: application.id,
    askCode: (pending, isWrong) => codeForm(visit, pending, isWrong),
    askAgain: (problem) => form(visit, isLoginOnly(request) ? 'login' : 'login and consent', 401, problem),
    proceed: async (user) => {
      const login = { user: user.id, requestToken: requestToken.id };
      return { ...(await afterLogin(visit, user)), login };
    },
  });
}

/** Whether a form asked for a login alone, which is no consent. */
function isLoginOnly(request: PageRequest): boolean {
  return request.parameter('step') === 'login';
}

/** Continues after a login; the next page is chosen anew if the form was no consent. @source decision 75 */
async function afterLogin(visit: Visit, user: User): Promise<PageResponse> {
  const { request, endpoint, requestToken, application } = visit;
  if (!isLoginOnly(request) || (await viewFor(visit, user, false)) === 'redirect') return approve(visit, user, 303);
  const location = `/oauth/${endpoint}?${new URLSearchParams({ oauth_token: requestToken.token })}`;
  return { status: 303, location, html: leavingPage(application, location) };
}

async function approve(
  { deps, requestToken, application, request }: Visit,
  user: User,
  status: 302 | 303,
): Promise<PageResponse> {
  const event = { event: 'consent_given', user_id: user.id, application_id: application.id } as const;
  const approved = await deps.grants.approve(requestToken, user.id, (tx) => request.record(tx, event));
  if (!approved) return errorPage('token');
  const audited: AuditedEvent[] = [event];
  if (usesPin(requestToken))
    return { status: 200, html: pinPage(application, approved.verifier, deps.verifier_ttl_s), audited };
  const location = deps.grants.callbackUrlFor(requestToken, approved.verifier);
  return { status, location, html: leavingPage(application, location), audited };
}

/** Denies the request token. Needs no login, and leaves earlier grants unchanged. */
async function deny({ deps, requestToken, application, request }: Visit): Promise<PageResponse> {
  const event = { event: 'consent_denied', user_id: request.user?.id, application_id: application.id } as const;
  if (!(await deps.grants.deny(requestToken, (tx) => request.record(tx, event)))) return errorPage('token');
  const back = usesPin(requestToken) ? undefined : deps.grants.callbackUrlFor(requestToken);
  const page: PageResponse = { status: 200, html: deniedPage(application, back), audited: [event] };
  // A custom scheme always gets a redirect; the document has a link for browsers that do not follow it.
  const isRedirect = back !== undefined && (deps.denyRedirect === 'redirect' || isCustomScheme(back));
  return isRedirect ? { ...page, status: 303, location: back } : page;
}

/** The page that asks for the code after the password, and then continues as the form before it. */
function codeForm({ request, requestToken, endpoint, forced }: Visit, pending: string, isWrong: boolean): PageResponse {
  const members = {
    oauth_token: requestToken.token,
    'session[pending]': pending,
    ...(forced && { force_login: 'true' }),
    ...(isLoginOnly(request) && { step: 'login' }),
  };
  const more = html`<button type="submit" id="cancel" name="cancel" value="Cancel" formnovalidate>${texts.login.cancel}</button>`;
  const page = codePage(request, { action: `/oauth/${endpoint}`, members, isWrong, more });
  return { ...page, formLeadsTo: callbackUrlOf(requestToken) };
}

function form(
  { request, requestToken, application, endpoint, forced }: Visit,
  view: Exclude<AuthorizeView, 'redirect'>,
  status: 200 | 401,
  problem?: string,
): PageResponse {
  const name = request.parameter(request.method === 'GET' ? 'screen_name' : 'session[username_or_email]') ?? '';
  const page = consentPage(request, { endpoint, view, application, requestToken, forced, name, problem });
  return { status, html: page, hasForm: true, formLeadsTo: callbackUrlOf(requestToken) };
}

function callbackUrlOf(requestToken: RequestToken): string | undefined {
  return usesPin(requestToken) ? undefined : requestToken.callback;
}

const words = texts.login.consent;

/**
 * The page with the PIN, which is never part of a URL, and how long it is valid.
 * @source authentication 6.4 and 6.6
 */
function pinPage({ name }: Application, pin: string, lasts_s: number): PageDocument {
  const time = lasts_s < 120 ? words.seconds(lasts_s) : words.minutes(Math.floor(lasts_s / 60));
  return cardPage(
    words.given(name),
    html`<p id="code-desc">${words.enter(name)}</p>
<div id="oauth_pin"><kbd aria-labelledby="code-desc"><code>${pin}</code></kbd></div>
<p class="soft">${words.once(time)}</p>`,
  );
}

/** The page after the user denied access; `back` is the callback that reports it. */
function deniedPage({ name }: Application, back: string | undefined): PageDocument {
  return cardPage(
    words.denied(name),
    html`<p>${words.deniedAbout}</p>
${back === undefined ? '' : html`<p><a href="${back}">${words.back(name)}</a></p>`}`,
  );
}

/** The page of a redirect. It has a link, because some browsers do not follow redirects into other programs. */
function leavingPage({ name }: Application, location: string): PageDocument {
  const link = isCustomScheme(location) ? words.open : words.goOn(displayHost(location));
  return cardPage(
    words.leaving(name),
    html`<p>${words.leavingAbout}</p>
<p><a class="main" href="${location}">${link}</a></p>`,
  );
}
