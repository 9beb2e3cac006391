import { html } from '../../../base/html.ts';
import { instantMs } from '../../../base/instants.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import { alertBox, hiddenPairs } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { type LoginDeps, reauthenticate } from '../logins/log-in.ts';
import { hasSecondFactor } from '../logins/second-factor.ts';
import { codeField } from './code-page.ts';
import { errorPage } from './error-pages.ts';
import { accountPage, donePage, passwordField } from './layout.ts';

const words = texts.login.again;

/** The dependencies of pages that require a recent login. */
export interface ReauthenticationDeps extends LoginDeps {
  /** How long a login counts as recent. */
  readonly reauthentication_s: number;
}

/** The member of the password form that names the method of the original request. */
const CONFIRM = 'confirm';
/** The members of the password form itself. */
const OWN_MEMBERS = /^(authenticity_token|confirm|session\[.*\])$/;

/**
 * A page that requires a recent login where `needs` returns true. Other users are first asked for the password, at the
 * same URL; a form that they sent is carried along in hidden inputs and then processed.
 * @source decision 509
 */
export function withReauthentication(
  deps: ReauthenticationDeps,
  page: Page,
  needs: (request: PageRequest) => boolean = () => true,
): Page {
  return {
    ...page,
    async answer(request) {
      if (!request.user || !needs(request)) return page.answer(request);
      const asked = request.method === 'POST' ? request.parameter(CONFIRM) : undefined;
      if (asked === undefined) return isRecent(deps, request) ? page.answer(request) : ask(deps, page, request);
      const outcome = await reauthenticate(deps, request);
      const { audited: checked } = outcome;
      if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited: checked };
      const { id } = request.user;
      if ('wrong' in outcome) {
        const answer = await ask(deps, page, request, outcome.wrong === 'code' ? texts.login.code.wrong : words.wrong);
        return { ...answer, audited: [{ event: 'reauthentication_failed', user_id: id }] };
      }
      const after = asked === 'GET' ? backTo(page, request) : await page.answer(request);
      const audited = [...checked, { event: 'reauthenticated', user_id: id } as const, ...(after.audited ?? [])];
      return { ...after, reauthenticated: true, deviceCookie: outcome.deviceCookie, audited };
    },
  };
}

function isRecent({ wallClock, reauthentication_s }: ReauthenticationDeps, { session }: PageRequest): boolean {
  const since = session && instantMs(session.authenticated_at ?? session.created_at);
  // A time in the future was stored before the clock was set back, so its age is unknown. @source decision 613
  return since !== undefined && Math.abs(wallClock.now() - since) < reauthentication_s * 1000;
}

function addressOf(page: Page, { pathParams: path, query }: PageRequest): string {
  const own = page.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  return query === '' ? own : `${own}?${query}`;
}

function backTo(page: Page, request: PageRequest): PageResponse {
  const location = addressOf(page, request);
  return { status: 303, location, html: donePage(request) };
}

async function ask(
  deps: ReauthenticationDeps,
  page: Page,
  request: PageRequest,
  problem?: string,
): Promise<PageResponse> {
  const { title } = words;
  const before = request.parameter(CONFIRM);
  const asked = request.method === 'GET' || before === 'GET' ? 'GET' : 'POST';
  const carried = asked === 'GET' ? [] : request.parameters.filter(([name]) => !OWN_MEMBERS.test(name));
  const needsCode = await hasSecondFactor(deps, request.user!.id);
  const members = [...Object.entries(request.formFields), [CONFIRM, asked], ...carried] as const;
  const content = html`<h1>${title}</h1>
${alertBox(problem)}
<p class="soft">${words.about}
${asked === 'POST' ? words.kept : ''}</p>
<form method="post" action="${addressOf(page, request)}">
${hiddenPairs(members)}
<input type="text" name="username" value="${request.user!.screen_name}" autocomplete="username" hidden>
${passwordField({ isWrong: problem !== undefined, hasCaret: true })}
${needsCode ? codeField({ isWrong: problem !== undefined, hasCaret: false }) : ''}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>`;
  const status = request.method === 'GET' ? 200 : 401;
  return { status, html: accountPage(title, request, content), hasForm: true };
}
