import { html, noHtml } from '../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { Application, User } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { texts } from '../../../texts/texts.ts';
import { refuseCallback } from '../callback-urls.ts';
import { type LoginDeps, logIn } from '../logins/log-in.ts';
import type { Grants } from '../oauth1/grants.ts';
import { deniedPage, leavingPage, pinPage } from './authorize-outcomes.ts';
import { type AuthorizeState, type AuthorizeView, authorizeView } from './authorize-view.ts';
import { isCustomScheme, usesPin } from './callback-target.ts';
import { codePage } from './code-page.ts';
import { consentPage } from './consent-page.ts';
import { blockedReason, errorPage } from './error-pages.ts';

/** The dependencies of the two pages. */
export interface AuthorizeDeps extends LoginDeps {
  readonly grants: Grants;
  /** Whether a denial redirects to the callback at once, or shows a link. @source authentication gaps 6.4 */
  readonly denyRedirect: 'redirect' | 'link';
  /** How long a verifier can be exchanged. */
  readonly verifier_ttl_s: number;
}

type Endpoint = AuthorizeState['endpoint'];

/** One request for one of the pages, with its request token and application. */
interface AuthorizeContext {
  readonly endpoint: Endpoint;
  readonly request: PageRequest;
  readonly requestToken: RequestToken;
  readonly application: Application;
  readonly forced: boolean;
}

/**
 * `/oauth/authorize` and `/oauth/authenticate`, where users decide on the access of applications.
 * @source authentication gaps 6
 */
export function authorizePages(deps: AuthorizeDeps): readonly Page[] {
  return (['authorize', 'authenticate'] as const).map(
    (endpoint): Page => ({
      path: `/oauth/${endpoint}`,
      methods: ['GET', 'POST'],
      isRateLimited: true,
      answer: (request) => answer(deps, endpoint, request),
    }),
  );
}

/** The shape of request tokens; others were never issued and are not looked up. @source authentication gaps 15.1 */
const TOKEN_SHAPE = /^[\w-]{1,100}$/;

async function answer(deps: AuthorizeDeps, endpoint: Endpoint, request: PageRequest): Promise<PageResponse> {
  const token = request.parameter('oauth_token') ?? '';
  const found = TOKEN_SHAPE.test(token) ? await deps.grants.find(token) : undefined;
  if (found?.application.suspended) return errorPage('application suspended');
  if (found?.requestToken.state !== 'issued') return errorPage('token');
  const { requestToken, application } = found;
  // The callback may have been unregistered since the login began.
  if (refuseCallback(application, requestToken.callback)) return errorPage('callback');
  const forced = await isForced(deps, request, requestToken);
  const context: AuthorizeContext = { endpoint, request, requestToken, application, forced };
  return request.method === 'GET' ? answerGet(deps, context) : answerPost(deps, context);
}

/**
 * Whether a user who is logged in must log in again. Once `force_login` was requested, it holds for the request token,
 * however the page is opened later: only a login for this request token satisfies it.
 * @source decision 507
 */
async function isForced({ grants }: AuthorizeDeps, request: PageRequest, requestToken: RequestToken): Promise<boolean> {
  const isRequested = /^(true|1)$/.test(request.parameter('force_login') ?? '');
  if (isRequested && !request.isHead && requestToken.force_login === 0) await grants.forceLogin(requestToken);
  // A URL with force_login asks each time it is opened; the redirect after the login comes without it.
  if (isRequested && request.method === 'GET') return true;
  const isDone = request.user !== undefined && request.session?.login_for === requestToken.id;
  return (isRequested || requestToken.force_login === 1) && !isDone;
}

async function answerGet(deps: AuthorizeDeps, context: AuthorizeContext): Promise<PageResponse> {
  const { request, forced } = context;
  const view = await viewFor(deps, context, request.user, forced);
  if (view !== 'redirect') return form(context, view, 200);
  // HEAD gets the status, but approves nothing.
  if (request.isHead) return { status: 302, html: noHtml };
  return approve(deps, context, request.user!, 302);
}

async function viewFor(
  deps: AuthorizeDeps,
  context: AuthorizeContext,
  user: User | undefined,
  forced: boolean,
): Promise<AuthorizeView> {
  const { endpoint, requestToken, application } = context;
  return authorizeView({
    endpoint,
    isLoggedIn: user !== undefined,
    forcesLogin: forced,
    isGranted: user && (await deps.grants.isGranted(application.id, user.id, requestToken.access_level)),
    allowsSignIn: application.sign_in === 1,
    usesPin: usesPin(requestToken),
  });
}

async function answerPost(deps: AuthorizeDeps, context: AuthorizeContext): Promise<PageResponse> {
  const { request, application } = context;
  if (request.parameter('cancel') !== undefined || request.parameter('deny') !== undefined) return deny(deps, context);
  const [name, password] = [request.parameter('session[username_or_email]'), request.parameter('session[password]')];
  const isCode = request.parameter('session[pending]') !== undefined;
  const isLogin =
    request.user === undefined || context.forced || isCode || name !== undefined || password !== undefined;
  if (!isLogin) return approve(deps, context, request.user!, 303);

  const outcome = await logIn(deps, request);
  const of = (audited: readonly AuditedEvent[]): AuditedEvent[] =>
    audited.map((each) => ({ ...each, application_id: application.id }));
  const audited = of(outcome.audited);
  const auditOf = (event: AuditedEvent['event'], user: User): AuditedEvent[] => of([{ event, user_id: user.id }]);
  if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited };
  if ('pending' in outcome) return { ...codeForm(context, outcome.pending, outcome.wrong !== undefined), audited };
  if ('wrong' in outcome) {
    const view = request.parameter('step') === 'login' ? 'login' : 'login and consent';
    return {
      ...form(context, view, 401, outcome.wrong === 'late' ? texts.login.code.late : texts.login.wrong),
      audited,
    };
  }
  const { user, deviceCookie } = outcome;
  const blocked = blockedReason(user);
  if (blocked) return { ...errorPage(blocked), audited: auditOf('login_failed', user) };

  const after = await afterLogin(deps, context, user);
  const login = { user: user.id, requestToken: context.requestToken.id };
  return { ...after, login, deviceCookie, audited: [...audited, ...auditOf('login', user), ...(after.audited ?? [])] };
}

/**
 * Continues after a login. A form that asked for a login alone is no consent: the next page is chosen anew.
 * @source decision 75
 */
async function afterLogin(deps: AuthorizeDeps, context: AuthorizeContext, user: User): Promise<PageResponse> {
  const { request, endpoint, requestToken, application } = context;
  const isConsent = request.parameter('step') !== 'login';
  if (isConsent || (await viewFor(deps, context, user, false)) === 'redirect') return approve(deps, context, user, 303);
  const location = `/oauth/${endpoint}?${new URLSearchParams({ oauth_token: requestToken.token })}`;
  return { status: 303, location, html: leavingPage(application, location) };
}

async function approve(
  deps: AuthorizeDeps,
  context: AuthorizeContext,
  user: User,
  status: 302 | 303,
): Promise<PageResponse> {
  const { requestToken, application } = context;
  const event = { event: 'consent_given', user_id: user.id, application_id: application.id } as const;
  const approved = await deps.grants.approve(requestToken, user.id, (tx) => context.request.record(tx, event));
  if (!approved) return errorPage('token');
  const audited: AuditedEvent[] = [event];
  if (usesPin(requestToken))
    return { status: 200, html: pinPage(application, approved.verifier, deps.verifier_ttl_s), audited };
  const location = deps.grants.callbackUrlFor(requestToken, { verifier: approved.verifier });
  return { status, location, html: leavingPage(application, location), audited };
}

/** Denies the request token. Needs no login, and leaves earlier grants unchanged. */
async function deny(
  deps: AuthorizeDeps,
  { requestToken, application, request }: AuthorizeContext,
): Promise<PageResponse> {
  const event = { event: 'consent_denied', user_id: request.user?.id, application_id: application.id } as const;
  if (!(await deps.grants.deny(requestToken, (tx) => request.record(tx, event)))) return errorPage('token');
  const audited: AuditedEvent[] = [event];
  if (usesPin(requestToken)) return { status: 200, html: deniedPage(application, undefined), audited };
  const back = deps.grants.callbackUrlFor(requestToken, { denied: true });
  const page: PageResponse = { status: 200, html: deniedPage(application, back), audited };
  // A custom scheme always gets a redirect; the document has a link for browsers that do not follow it.
  return deps.denyRedirect === 'redirect' || isCustomScheme(back) ? { ...page, status: 303, location: back } : page;
}

/** The page that asks for the code after the password, and then continues as the form before it. */
function codeForm(context: AuthorizeContext, pending: string, isWrong: boolean): PageResponse {
  const { request, requestToken, endpoint, forced } = context;
  const members = {
    oauth_token: requestToken.token,
    'session[pending]': pending,
    ...(forced && { force_login: 'true' }),
    ...(request.parameter('step') === 'login' && { step: 'login' }),
  };
  const more = html`<button type="submit" id="cancel" name="cancel" value="Cancel" formnovalidate>${texts.login.cancel}</button>`;
  const page = codePage(request, { action: `/oauth/${endpoint}`, members, isWrong, more });
  const leadsTo = usesPin(requestToken) ? undefined : requestToken.callback;
  return { status: isWrong ? 401 : 200, html: page, hasForm: true, formLeadsTo: leadsTo };
}

function form(
  context: AuthorizeContext,
  view: Exclude<AuthorizeView, 'redirect'>,
  status: 200 | 401,
  problem?: string,
): PageResponse {
  const { request, requestToken, application, endpoint, forced } = context;
  const name = request.parameter(request.method === 'GET' ? 'screen_name' : 'session[username_or_email]') ?? '';
  const html = consentPage({
    serviceName: request.serviceName,
    endpoint,
    view,
    application,
    requestToken,
    user: request.user,
    formFields: request.formFields,
    forcesLogin: forced,
    userName: name,
    problem,
  });
  return { status, html, hasForm: true, formLeadsTo: usesPin(requestToken) ? undefined : requestToken.callback };
}
