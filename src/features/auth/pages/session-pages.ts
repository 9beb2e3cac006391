import { html } from 'ghtml';
import type { Page, PageAnswer, PageDocument, Visit } from '../../../contract/declare/pages.ts';
import { type LoginParts, logIn } from '../logins/log-in.ts';
import { codePage, LATE_CODE } from './code-page.ts';
import { helpLine } from './help.ts';
import { accountDocument, alertOf, documentOf, hidden, loginFields, noticeOf } from './layout.ts';
import { barOf, refusal } from './refusals.ts';

/** One text for unknown names and wrong passwords. @source authentication gaps 6.6 */
export const WRONG_LOGIN = 'The user name and the password do not belong together. Check both.';

/** What the pages of logins work with. */
export interface SessionParts extends LoginParts {
  /** Whom users turn to who cannot log in: an address or a sentence; empty when nothing is known. */
  readonly supportContact: string;
}

/** `/login` and `/logout`: the session of a browser without any application. */
export function sessionPages(parts: SessionParts): readonly Page[] {
  return [
    {
      path: '/login',
      methods: ['GET', 'POST'],
      isLimited: true,
      answer: async (visit) => (visit.method === 'GET' ? opened(parts, visit) : await posted(parts, visit)),
    },
    {
      path: '/logout',
      methods: ['GET', 'POST'],
      answer: async (visit) => (visit.method === 'GET' ? opened(parts, visit) : loggedOut(visit)),
    },
  ];
}

function opened(parts: SessionParts, visit: Visit): PageAnswer {
  return visit.user ? { status: 200, html: accountPage(visit), hasForm: true } : loginPage(parts, visit, 200);
}

/** Pages of ours that a login may lead to. No other address is ever followed. @source authentication gaps 15.2 */
const NEXT =
  /^\/(settings\/(connected_apps|profile|password|security|sessions)|developer\/apps(\/new|\/\d{1,19})?|notifications|ads-manager\/post-preview\/index\.html\?data=[\w.-]{1,500})$/;

/** What somebody sees who is not logged in, on a page that needs it: the way through the login and back. */
export function loginFirst(path: string): PageAnswer {
  const location = `/login?${new URLSearchParams({ continue: path })}`;
  return {
    status: 303,
    location,
    html: documentOf(
      'Log in first',
      html`<h1>Log in first</h1>
<p><a href="${location}">Log in</a></p>`,
    ),
  };
}

function nextOf(visit: Visit): string | undefined {
  const next = visit.parameter('continue');
  return next !== undefined && NEXT.test(next) ? next : undefined;
}

async function posted(parts: SessionParts, visit: Visit): Promise<PageAnswer> {
  const outcome = await logIn(parts, visit);
  const { noted } = outcome;
  if ('wait_s' in outcome) return { ...refusal('too many logins', outcome.wait_s), noted };
  if ('pending' in outcome) {
    const next = nextOf(visit);
    const members = { 'session[pending]': outcome.pending, ...(next !== undefined && { continue: next }) };
    const isWrong = outcome.wrong !== undefined;
    const page = codePage(visit, { action: '/login', members, isWrong });
    return { status: isWrong ? 401 : 200, html: page, hasForm: true, noted };
  }
  if ('wrong' in outcome) {
    return { ...loginPage(parts, visit, 401, outcome.wrong === 'late' ? LATE_CODE : WRONG_LOGIN), noted };
  }
  const { user, knownBrowser } = outcome;
  const bar = barOf(user);
  if (bar) return { ...refusal(bar), noted: [{ event: 'login_failed', user_id: user.id }] };
  return {
    status: 303,
    location: nextOf(visit) ?? '/login',
    html: documentOf('Logged in', '<h1>You are logged in</h1>'),
    login: { user: user.id },
    knownBrowser,
    noted: [...noted, { event: 'login', user_id: user.id }],
  };
}

function loggedOut(visit: Visit): PageAnswer {
  return {
    status: 303,
    location: '/login',
    html: documentOf('Logged out', '<h1>You are logged out</h1>'),
    logout: true,
    noted: visit.user ? [{ event: 'logout', user_id: visit.user.id }] : [],
  };
}

function loginPage({ supportContact }: SessionParts, visit: Visit, status: number, problem?: string): PageAnswer {
  const name = visit.parameter('session[username_or_email]') ?? '';
  const next = nextOf(visit);
  const isReset = visit.method === 'GET' && visit.parameter('password') === 'reset';
  const page = documentOf(
    'Log in',
    html`<h1>Log in</h1>
!${noticeOf(isReset ? 'Your new password is set. Log in with it.' : undefined)}!${alertOf(problem)}
<form method="post" action="/login">
!${hidden({ authenticity_token: visit.formToken, ...(next !== undefined && { continue: next }) })}
!${loginFields({ name, isWrong: problem !== undefined, isFirst: true })}
<div class="buttons"><button class="main" type="submit">Log in</button></div>
</form>
!${helpLine(supportContact)}`,
  );
  return { status, html: page, hasForm: true };
}

function accountPage(visit: Visit): PageDocument {
  const { name, screen_name } = visit.user!;
  return accountDocument(
    'You are logged in',
    visit,
    html`<h1>You are logged in</h1>
<p class="who">As <strong>${name}</strong> (@${screen_name}).</p>
<ul class="ways">
<li><a href="/settings/profile">Your profile</a></li>
<li><a href="/settings/password">Your password</a></li>
<li><a href="/settings/security">Two-step login</a></li>
<li><a href="/settings/sessions">Where you are logged in</a></li>
<li><a href="/settings/connected_apps">Applications that have access to your account</a></li>
<li><a href="/developer/apps">Applications that you have registered</a></li>
</ul>`,
  );
}
