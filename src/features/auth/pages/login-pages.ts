import { type Html, html, joinHtml } from '../../../base/html.ts';
import {
  isLoggedIn,
  type Page,
  type PageRequest,
  type PageResponse,
  type UserRequest,
} from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { alertBox, hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { logIn } from '../logins/log-in.ts';
import { codePage } from './code-page.ts';
import { blockedReason, errorPage } from './error-pages.ts';
import { accountPage, cardPage, loginFields } from './layout.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.login;
/** The path of the page that offers to send a form whose session had ended. */
export const UNSENT_FORM_PATH = '/login/unsent';

/** The hidden field with the address that a login leads to, if it leads to one. */
type Next = { readonly continue?: string };

/** `/login` and `/logout`: browser sessions without an application. `isLoginTarget` tells where a login may lead to. */
export function loginPages(deps: PagesDeps, isLoginTarget: (address: string) => boolean): readonly Page[] {
  const nextOf = (request: PageRequest): Next => {
    const next = request.parameter('continue');
    return next !== undefined && isLoginTarget(next) ? { continue: next } : {};
  };
  const show = (request: PageRequest): PageResponse =>
    isLoggedIn(request) ? homePage(request) : loginPage(deps, request, nextOf(request), 200);
  return [
    {
      path: '/login',
      methods: ['GET', 'POST'],
      isRateLimited: true,
      answer: async (request) =>
        request.method === 'GET' ? show(request) : await submit(deps, request, nextOf(request)),
    },
    {
      path: '/logout',
      methods: ['GET', 'POST'],
      answer: async (request) => (request.method === 'GET' ? show(request) : logOut(request)),
    },
  ];
}

function submit(deps: PagesDeps, request: PageRequest, next: Next): Promise<PageResponse> {
  return submitLogin(deps, request, {
    askCode: (pending, isWrong) =>
      codePage(request, { action: '/login', members: { 'session[pending]': pending, ...next }, isWrong }),
    askAgain: (problem) => loginPage(deps, request, next, 401, problem),
    proceed: () => ({ status: 303, location: next.continue ?? '/ads', html: cardPage(words.isIn) }),
  });
}

/** The pages of a login; `application` is the one that requested it. */
interface LoginSteps {
  readonly application?: string;
  /** Asks for the code after the password. */
  askCode(pending: string, isWrong: boolean): PageResponse;
  /** Shows the form again with a problem. */
  askAgain(problem: string): PageResponse;
  /** Continues after the login. */
  proceed(user: User): PageResponse | Promise<PageResponse>;
}

/** Logs in by a form with name and password, or with the code that follows them. */
export async function submitLogin(deps: PagesDeps, request: PageRequest, steps: LoginSteps): Promise<PageResponse> {
  const outcome = await logIn(deps, request);
  const eventsOf = (events: readonly AuditedEvent[]): AuditedEvent[] =>
    events.map((each) => ({ ...each, application_id: steps.application }));
  const audited = eventsOf(outcome.audited);
  if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited };
  if ('pending' in outcome) return { ...steps.askCode(outcome.pending, outcome.wrong !== undefined), audited };
  if ('wrong' in outcome) {
    return { ...steps.askAgain(outcome.wrong === 'late' ? words.code.late : words.wrong), audited };
  }
  const { user, deviceCookie } = outcome;
  const user_id = user.id;
  const blocked = blockedReason(user);
  if (blocked) return { ...errorPage(blocked), audited: eventsOf([{ event: 'login_failed', user_id }]) };
  const after = await steps.proceed(user);
  const events = [...audited, ...eventsOf([{ event: 'login', user_id }]), ...(after.audited ?? [])];
  return { login: { user: user_id }, ...after, deviceCookie, audited: events };
}

function logOut({ user }: PageRequest): PageResponse {
  return {
    status: 303,
    location: '/login',
    html: cardPage(words.isOut),
    logout: true,
    audited: user ? [{ event: 'logout', user_id: user.id }] : [],
  };
}

function loginPage(
  { supportContact, isDevelopment }: PagesDeps,
  request: PageRequest,
  next: Next,
  status: number,
  problem?: string,
): PageResponse {
  const name = request.parameter('session[username_or_email]') ?? '';
  const isReset = request.method === 'GET' && request.parameter('password') === 'reset';
  const content = html`${noticeBox(isReset ? words.wasReset : next.continue?.startsWith(UNSENT_FORM_PATH) ? words.unsent.logIn : undefined)}${alertBox(problem)}
<form method="post" action="/login">
${hiddenFields({ ...request.formFields, ...next })}
${loginFields({ name, isWrong: problem !== undefined, isFirst: true })}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>
<p class="soft help">${words.help} ${isDevelopment && supportContact === '' ? words.helpDevelopment : contactLink(supportContact)}</p>`;
  return { status, html: cardPage(words.title, content), hasForm: true };
}

/** The support contact for users who cannot log in: an e-mail address, a URL or a sentence; empty when unknown. */
function contactLink(contact: string): Html {
  if (contact === '') return html`${words.helpUnknown}`;
  if (/^https?:\/\/\S+$/.test(contact)) return html`<a href="${contact}">${words.helpLink}</a>`;
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return words.helpMail(html`<a href="mailto:${contact}">${contact}</a>`);
  return html`${contact}`;
}

function homePage(request: UserRequest): PageResponse {
  const { name, screen_name } = request.user;
  const links = Object.entries(words.ways).map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`);
  return accountPage(
    words.isIn,
    request,
    html`<p class="who">${words.as(name, screen_name)}</p>
<ul class="ways">
${joinHtml(links, '\n')}
</ul>`,
  );
}
