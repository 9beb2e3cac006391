import { html } from 'ghtml';
import type { Page, PageAnswer, Visit } from '../../contract/pages.ts';
import { alertOf, documentOf, hidden, loginFields } from './layout.ts';
import { type LoginParts, logIn } from './logins.ts';
import { barOf, refusal } from './refusals.ts';

/** One text for unknown names and wrong passwords. @source authentication gaps 6.6 */
export const WRONG_LOGIN = 'The user name and the password do not belong together. Check both.';

/** `/login` and `/logout`: the session of a browser without any application. */
export function sessionPages(parts: LoginParts): readonly Page[] {
  return [
    {
      path: '/login',
      methods: ['GET', 'POST'],
      isLimited: true,
      answer: async (visit) => (visit.method === 'GET' ? opened(visit) : await posted(parts, visit)),
    },
    {
      path: '/logout',
      methods: ['GET', 'POST'],
      answer: async (visit) => (visit.method === 'GET' ? opened(visit) : loggedOut(visit)),
    },
  ];
}

function opened(visit: Visit): PageAnswer {
  return visit.user ? { status: 200, html: accountPage(visit), hasForm: true } : loginPage(visit, 200);
}

async function posted(parts: LoginParts, visit: Visit): Promise<PageAnswer> {
  const outcome = await logIn(parts, {
    name: visit.given('session[username_or_email]') ?? '',
    password: visit.given('session[password]') ?? '',
    address: visit.address,
  });
  if ('wait_s' in outcome) {
    return { ...refusal('too many logins', outcome.wait_s), noted: [{ event: 'login_throttled' }] };
  }
  if ('wrong' in outcome) return { ...loginPage(visit, 401, WRONG_LOGIN), noted: [{ event: 'login_failed' }] };
  const { user } = outcome;
  const bar = barOf(user);
  if (bar) return { ...refusal(bar), noted: [{ event: 'login_failed', user_id: user.id }] };
  return {
    status: 303,
    location: '/login',
    html: documentOf('Logged in', '<h1>You are logged in</h1>'),
    login: user.id,
    noted: [{ event: 'login', user_id: user.id }],
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

function loginPage(visit: Visit, status: number, problem?: string): PageAnswer {
  const name = visit.given('session[username_or_email]') ?? '';
  const page = documentOf(
    'Log in',
    html`<h1>Log in</h1>
!${alertOf(problem)}
<form method="post" action="/login">
!${hidden({ authenticity_token: visit.formToken })}
!${loginFields({ name, isWrong: problem !== undefined, isFirst: true })}
<div class="buttons"><button class="main" type="submit">Log in</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}

function accountPage({ user, formToken }: Visit): string {
  return documentOf(
    'You are logged in',
    html`<h1>You are logged in</h1>
<p class="who">As <strong>${user!.name}</strong> (@${user!.screen_name}).</p>
<form method="post" action="/logout">
!${hidden({ authenticity_token: formToken })}
<div class="buttons"><button type="submit">Log out</button></div>
</form>`,
  );
}
