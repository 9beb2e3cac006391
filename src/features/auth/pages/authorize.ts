import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { Application, User } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { callbackFault } from '../callbacks.ts';
import { type LoginParts, logIn } from '../logins/log-in.ts';
import type { Grants } from '../oauth1/grants.ts';
import { codePage, LATE_CODE } from './code-page.ts';
import { consentPage } from './consent.ts';
import { decide, type Opening, type Shown } from './decision.ts';
import { isCustomScheme, isPin } from './destination.ts';
import { deniedPage, leavingPage, pinPage } from './outcomes.ts';
import { barOf, refusal } from './refusals.ts';
import { WRONG_LOGIN } from './session-pages.ts';

/** What the two pages work with. */
export interface AuthorizeParts extends LoginParts {
  readonly grants: Grants;
  /** What follows a refusal: the browser is sent back at once, or shown a link. @source authentication gaps 6.4 */
  readonly denyRedirect: 'redirect' | 'link';
  /** How long the application may wait with fetching the answer. */
  readonly verifier_ttl_s: number;
}

type Endpoint = Opening['endpoint'];

/** One visit of one of the pages, with what it is about. */
interface Asked {
  readonly endpoint: Endpoint;
  readonly visit: Visit;
  readonly requestToken: RequestToken;
  readonly application: Application;
  readonly forced: boolean;
}

/** `/oauth/authorize` and `/oauth/authenticate`: a user is asked whether an application may act. @source authentication gaps 6 */
export function authorizePages(parts: AuthorizeParts): readonly Page[] {
  return (['authorize', 'authenticate'] as const).map((endpoint) => ({
    path: `/oauth/${endpoint}`,
    methods: ['GET', 'POST'],
    isLimited: true,
    answer: (visit) => answer(parts, endpoint, visit),
  }));
}

/** What has another shape was never given out, and is not looked for. @source authentication gaps 15.1 */
const TOKEN_SHAPE = /^[\w-]{1,100}$/;

async function answer(parts: AuthorizeParts, endpoint: Endpoint, visit: Visit): Promise<PageAnswer> {
  const token = visit.parameter('oauth_token') ?? '';
  const found = TOKEN_SHAPE.test(token) ? await parts.grants.find(token) : undefined;
  if (found?.application.suspended) return refusal('application suspended');
  if (found?.requestToken.state !== 'issued') return refusal('token');
  const { requestToken, application } = found;
  // What was registered when the login began may have been taken back since.
  if (callbackFault(application, requestToken.callback)) return refusal('callback');
  const forced = await isForced(parts, visit, requestToken);
  const asked: Asked = { endpoint, visit, requestToken, application, forced };
  return visit.method === 'GET' ? opened(parts, asked) : posted(parts, asked);
}

/**
 * Whether whoever is logged in must log in first. Once that was asked for, it holds for the request token, however the page
 * is opened after that: only a login for this very request token satisfies it.
 */
async function isForced({ grants }: AuthorizeParts, visit: Visit, requestToken: RequestToken): Promise<boolean> {
  const isRequested = /^(true|1)$/.test(visit.parameter('force_login') ?? '');
  if (isRequested && !visit.isPeek && requestToken.force_login === 0) await grants.forceLogin(requestToken);
  // The address says so each time that it is opened; what follows a login for this request token does not.
  if (isRequested && visit.method === 'GET') return true;
  const isDone = visit.user !== undefined && visit.session?.login_for === requestToken.id;
  return (isRequested || requestToken.force_login === 1) && !isDone;
}

async function opened(parts: AuthorizeParts, asked: Asked): Promise<PageAnswer> {
  const { visit, forced } = asked;
  const shown = await shownTo(parts, asked, visit.user, forced);
  if (shown !== 'redirect') return form(asked, shown, 200);
  // Who only looks is told what would come, but it does not come yet.
  if (visit.isPeek) return { status: 302, html: '' };
  return approve(parts, asked, visit.user!, 302);
}

async function shownTo(parts: AuthorizeParts, asked: Asked, user: User | undefined, forced: boolean): Promise<Shown> {
  const { endpoint, requestToken, application } = asked;
  return decide({
    endpoint,
    session: user !== undefined,
    forced,
    granted: user && (await parts.grants.isGranted(application.id, user.id, requestToken.access_level)),
    signIn: application.sign_in === 1,
    isPin: isPin(requestToken),
  });
}

async function posted(parts: AuthorizeParts, asked: Asked): Promise<PageAnswer> {
  const { visit, application } = asked;
  if (visit.parameter('cancel') !== undefined || visit.parameter('deny') !== undefined) return deny(parts, asked);
  const [name, password] = [visit.parameter('session[username_or_email]'), visit.parameter('session[password]')];
  const isCode = visit.parameter('session[pending]') !== undefined;
  const isLogin = visit.user === undefined || asked.forced || isCode || name !== undefined || password !== undefined;
  if (!isLogin) return approve(parts, asked, visit.user!, 303);

  const outcome = await logIn(parts, visit);
  const of = (noted: readonly AuditedEvent[]): AuditedEvent[] =>
    noted.map((each) => ({ ...each, application_id: application.id }));
  const noted = of(outcome.noted);
  const note = (event: AuditedEvent['event'], user: User): AuditedEvent[] => of([{ event, user_id: user.id }]);
  if ('wait_s' in outcome) return { ...refusal('too many logins', outcome.wait_s), noted };
  if ('pending' in outcome) return { ...codeForm(asked, outcome.pending, outcome.wrong !== undefined), noted };
  if ('wrong' in outcome) {
    const shown = visit.parameter('step') === 'login' ? 'login' : 'login and consent';
    return { ...form(asked, shown, 401, outcome.wrong === 'late' ? LATE_CODE : WRONG_LOGIN), noted };
  }
  const { user, knownBrowser } = outcome;
  const bar = barOf(user);
  if (bar) return { ...refusal(bar), noted: note('login_failed', user) };

  const after = await afterLogin(parts, asked, user);
  const login = { user: user.id, requestToken: asked.requestToken.id };
  return { ...after, login, knownBrowser, noted: [...noted, ...note('login', user), ...(after.noted ?? [])] };
}

/** A form that asked for no more than a login gives no consent: what is shown to this user is decided anew. */
async function afterLogin(parts: AuthorizeParts, asked: Asked, user: User): Promise<PageAnswer> {
  const { visit, endpoint, requestToken, application } = asked;
  const isConsent = visit.parameter('step') !== 'login';
  if (isConsent || (await shownTo(parts, asked, user, false)) === 'redirect') return approve(parts, asked, user, 303);
  const location = `/oauth/${endpoint}?${new URLSearchParams({ oauth_token: requestToken.token })}`;
  return { status: 303, location, html: leavingPage(application, location) };
}

async function approve(parts: AuthorizeParts, asked: Asked, user: User, status: 302 | 303): Promise<PageAnswer> {
  const { requestToken, application } = asked;
  const event = { event: 'consent_given', user_id: user.id, application_id: application.id } as const;
  const approved = await parts.grants.approve(requestToken, user.id, (tx) => asked.visit.record(tx, event));
  if (!approved) return refusal('token');
  const noted: AuditedEvent[] = [event];
  if (isPin(requestToken))
    return { status: 200, html: pinPage(application, approved.verifier, parts.verifier_ttl_s), noted };
  const location = parts.grants.redirectFor(requestToken, { verifier: approved.verifier });
  return { status, location, html: leavingPage(application, location), noted };
}

/** Needs no login, and changes nothing that was granted before. */
async function deny(parts: AuthorizeParts, { requestToken, application, visit }: Asked): Promise<PageAnswer> {
  const event = { event: 'consent_denied', user_id: visit.user?.id, application_id: application.id } as const;
  if (!(await parts.grants.deny(requestToken, (tx) => visit.record(tx, event)))) return refusal('token');
  const noted: AuditedEvent[] = [event];
  if (isPin(requestToken)) return { status: 200, html: deniedPage(application, undefined), noted };
  const back = parts.grants.redirectFor(requestToken, { denied: true });
  const page: PageAnswer = { status: 200, html: deniedPage(application, back), noted };
  // Links into other programs are not always followed, so these go at once.
  return parts.denyRedirect === 'redirect' || isCustomScheme(back) ? { ...page, status: 303, location: back } : page;
}

/** The page between the password and what was to come of it; it goes on as the form before would have. */
function codeForm(asked: Asked, pending: string, isWrong: boolean): PageAnswer {
  const { visit, requestToken, endpoint, forced } = asked;
  const members = {
    oauth_token: requestToken.token,
    'session[pending]': pending,
    ...(forced && { force_login: 'true' }),
    ...(visit.parameter('step') === 'login' && { step: 'login' }),
  };
  const more = '<button type="submit" id="cancel" name="cancel" value="Cancel" formnovalidate>Cancel</button>';
  const html = codePage(visit, { action: `/oauth/${endpoint}`, members, isWrong, more });
  const leadsTo = isPin(requestToken) ? undefined : requestToken.callback;
  return { status: isWrong ? 401 : 200, html, hasForm: true, leadsTo };
}

function form(asked: Asked, shown: Exclude<Shown, 'redirect'>, status: 200 | 401, problem?: string): PageAnswer {
  const { visit, requestToken, application, endpoint, forced } = asked;
  const name = visit.parameter(visit.method === 'GET' ? 'screen_name' : 'session[username_or_email]') ?? '';
  const html = consentPage({
    service: visit.service,
    endpoint,
    shown,
    application,
    requestToken,
    user: visit.user,
    formToken: visit.formToken,
    forced,
    name,
    problem,
  });
  return { status, html, hasForm: true, leadsTo: isPin(requestToken) ? undefined : requestToken.callback };
}
