import { html } from '../../../base/html.ts';
import { instantMs } from '../../../base/instants.ts';
import {
  isLoggedIn,
  type Page,
  type PageRequest,
  type PageResponse,
  type UserRequest,
} from '../../../contract/declare/pages.ts';
import { alertBox, hiddenPairs } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { type LoggedIn, reauthenticate } from '../logins/log-in.ts';
import { hasSecondFactor } from '../logins/second-factor.ts';
import { codeField } from './code-page.ts';
import { errorPage } from './error-pages.ts';
import { accountPage, passwordField, redirect } from './layout.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.login.again;

/** The field of the password form with the method of the original request. */
const CONFIRM = 'confirm';
/** Fields of the password form itself; all others belong to the form that it carries along. */
const OWN_MEMBERS = /^(authenticity_token|confirm|session\[.*\])$/;

/** Checks the password of a form, and the code if the user has one: `proceed` continues, `refuse` shows the form again. */
export async function checkReauthentication(
  deps: PagesDeps,
  request: UserRequest,
  refuse: (wrong: 'password' | 'code' | 'late') => Promise<PageResponse>,
  proceed: (login: LoggedIn) => Promise<PageResponse>,
): Promise<PageResponse> {
  const outcome = await reauthenticate(deps, request);
  const { audited } = outcome;
  if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited };
  if ('wrong' in outcome) {
    const failed = { event: 'reauthentication_failed', user_id: request.user.id } as const;
    return { ...(await refuse(outcome.wrong)), audited: [failed] };
  }
  const response = await proceed(outcome);
  return { ...response, reauthenticated: true, audited: [...audited, ...(response.audited ?? [])] };
}

/**
 * A page that requires a recent login where `needs` returns true. Other users are first asked for the password, at the
 * same URL; a form that they sent is carried along in hidden inputs and then processed.
 * @source decision 509
 */
export function withReauthentication(
  deps: PagesDeps,
  page: Page,
  needs: (request: UserRequest) => boolean = () => true,
): Page {
  return {
    ...page,
    async answer(request) {
      if (!isLoggedIn(request) || !needs(request)) return page.answer(request);
      const method = request.method === 'POST' ? request.parameter(CONFIRM) : undefined;
      if (method === undefined) return isRecent(deps, request) ? page.answer(request) : ask(deps, page, request);
      return checkReauthentication(
        deps,
        request,
        (wrong) => ask(deps, page, request, wrong === 'code' ? texts.login.code.wrong : words.wrong),
        async ({ deviceCookie }) => {
          const after = method === 'GET' ? redirect(request, addressOf(page, request)) : await page.answer(request);
          const event = { event: 'reauthenticated', user_id: request.user.id } as const;
          return { ...after, deviceCookie, audited: [event, ...(after.audited ?? [])] };
        },
      );
    },
  };
}

function isRecent({ wallClock, reauthentication_s }: PagesDeps, { session }: PageRequest): boolean {
  const since = session && instantMs(session.authenticated_at ?? session.created_at);
  // A time in the future was stored before the clock was set back, so its age is unknown. @source decision 613
  return since !== undefined && Math.abs(wallClock.now() - since) < reauthentication_s * 1000;
}

function addressOf(page: Page, { pathParams: path, query }: PageRequest): string {
  const own = page.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  return query === '' ? own : `${own}?${query}`;
}

async function ask(deps: PagesDeps, page: Page, request: UserRequest, problem?: string): Promise<PageResponse> {
  const isGet = request.method === 'GET' || request.parameter(CONFIRM) === 'GET';
  const carried = isGet ? [] : request.parameters.filter(([name]) => !OWN_MEMBERS.test(name));
  const needsCode = await hasSecondFactor(deps, request.user.id);
  const isWrong = problem !== undefined;
  const members = [...Object.entries(request.formFields), [CONFIRM, isGet ? 'GET' : 'POST'], ...carried] as const;
  const content = html`${alertBox(problem)}
<p class="soft">${words.about}
${isGet ? '' : words.kept}</p>
<form method="post" action="${addressOf(page, request)}">
${hiddenPairs(members)}
<input type="text" name="username" value="${request.user.screen_name}" autocomplete="username" hidden>
${passwordField({ isWrong, hasFocus: true })}
${needsCode ? codeField({ isWrong, hasFocus: false }) : ''}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>`;
  return accountPage(words.title, request, content, { status: request.method === 'GET' ? 200 : 401 });
}
