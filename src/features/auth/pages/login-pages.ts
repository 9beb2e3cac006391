import { html, joinHtml } from '../../../base/html.ts';
import type { Page, PageDocument, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import { alertBox, hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { type LoginDeps, logIn } from '../logins/log-in.ts';
import { codePage } from './code-page.ts';
import { blockedReason, errorPage } from './error-pages.ts';
import { helpLine } from './help-line.ts';
import { accountPage, cardPage, loginFields } from './layout.ts';

const words = texts.login;
/** The path of the page that sends a form which came too late. */
export const UNSENT_FORM_PATH = '/login/unsent';

/** The dependencies of the login pages. */
export interface LoginPagesDeps extends LoginDeps {
  /** The contact for users who cannot log in: an e-mail address, a URL or a sentence; empty when unknown. */
  readonly supportContact: string;
  /** Whether a login may lead to an address. */
  readonly isLoginTarget: (address: string) => boolean;
}

/** `/login` and `/logout`: browser sessions without an application. */
export function loginPages(deps: LoginPagesDeps): readonly Page[] {
  return [
    {
      path: '/login',
      methods: ['GET', 'POST'],
      isRateLimited: true,
      answer: async (request) => (request.method === 'GET' ? opened(deps, request) : await posted(deps, request)),
    },
    {
      path: '/logout',
      methods: ['GET', 'POST'],
      answer: async (request) => (request.method === 'GET' ? opened(deps, request) : loggedOut(request)),
    },
  ];
}

function opened(deps: LoginPagesDeps, request: PageRequest): PageResponse {
  return request.user ? { status: 200, html: homePage(request), hasForm: true } : loginPage(deps, request, 200);
}

/** Redirects to the login, which leads back to `path`: that of a page with `mayFollowLogin`. */
export function redirectToLogin(path: string): PageResponse {
  const location = `/login?${new URLSearchParams({ continue: path })}`;
  return {
    status: 303,
    location,
    html: cardPage(
      words.first,
      html`<h1>${words.first}</h1>
<p><a href="${location}">${words.title}</a></p>`,
    ),
  };
}

function nextOf({ isLoginTarget }: LoginPagesDeps, request: PageRequest): string | undefined {
  const next = request.parameter('continue');
  return next !== undefined && isLoginTarget(next) ? next : undefined;
}

async function posted(deps: LoginPagesDeps, request: PageRequest): Promise<PageResponse> {
  const outcome = await logIn(deps, request);
  const { audited } = outcome;
  if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited };
  if ('pending' in outcome) {
    const next = nextOf(deps, request);
    const members = { 'session[pending]': outcome.pending, ...(next !== undefined && { continue: next }) };
    const isWrong = outcome.wrong !== undefined;
    const page = codePage(request, { action: '/login', members, isWrong });
    return { status: isWrong ? 401 : 200, html: page, hasForm: true, audited };
  }
  if ('wrong' in outcome) {
    return { ...loginPage(deps, request, 401, outcome.wrong === 'late' ? words.code.late : words.wrong), audited };
  }
  const { user, deviceCookie } = outcome;
  const blocked = blockedReason(user);
  if (blocked) return { ...errorPage(blocked), audited: [{ event: 'login_failed', user_id: user.id }] };
  return {
    status: 303,
    location: nextOf(deps, request) ?? '/ads',
    html: cardPage(words.isIn, html`<h1>${words.isIn}</h1>`),
    login: { user: user.id },
    deviceCookie,
    audited: [...audited, { event: 'login', user_id: user.id }],
  };
}

function loggedOut(request: PageRequest): PageResponse {
  return {
    status: 303,
    location: '/login',
    html: cardPage(words.isOut, html`<h1>${words.isOut}</h1>`),
    logout: true,
    audited: request.user ? [{ event: 'logout', user_id: request.user.id }] : [],
  };
}

function loginPage(deps: LoginPagesDeps, request: PageRequest, status: number, problem?: string): PageResponse {
  const name = request.parameter('session[username_or_email]') ?? '';
  const next = nextOf(deps, request);
  const isReset = request.method === 'GET' && request.parameter('password') === 'reset';
  const page = cardPage(
    words.title,
    html`<h1>${words.title}</h1>
${noticeBox(isReset ? words.wasReset : next?.startsWith(UNSENT_FORM_PATH) ? words.unsent.logIn : undefined)}${alertBox(problem)}
<form method="post" action="/login">
${hiddenFields({ ...request.formFields, ...(next !== undefined && { continue: next }) })}
${loginFields({ name, isWrong: problem !== undefined, isFirst: true })}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>
${helpLine(deps.supportContact)}`,
  );
  return { status, html: page, hasForm: true };
}

function homePage(request: PageRequest): PageDocument {
  const { name, screen_name } = request.user!;
  return accountPage(
    words.isIn,
    request,
    html`<h1>${words.isIn}</h1>
<p class="who">${words.as(name, screen_name)}</p>
<ul class="ways">
${joinHtml(
  Object.entries(words.ways).map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`),
  '\n',
)}
</ul>`,
  );
}
