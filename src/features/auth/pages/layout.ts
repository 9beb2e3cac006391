import { type Html, html, noHtml } from '../../../base/html.ts';
import {
  isLoggedIn,
  type Page,
  type PageDocument,
  type PageFrame,
  type PageRequest,
  type PageResponse,
  type UserRequest,
} from '../../../contract/declare/pages.ts';
import { noticeBox } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import type { PagesDeps } from './pages-deps.ts';

type Answer = (deps: PagesDeps, request: UserRequest) => PageResponse | Promise<PageResponse>;

/** A page for logged-in users: `show` answers GET, `submit` POST. Others are redirected to the login, which leads back. */
export function userPage(deps: PagesDeps, path: string, show: Answer, submit?: Answer): Page {
  return {
    path,
    methods: submit ? ['GET', 'POST'] : ['GET'],
    mayFollowLogin: true,
    async answer(request) {
      if (!isLoggedIn(request)) return redirectToLogin(path);
      return (request.method === 'GET' ? show : submit!)(deps, request);
    },
  };
}

/** Redirects to the login, which leads back to `path`: that of a page with `mayFollowLogin`. */
export function redirectToLogin(path: string): PageResponse {
  const location = `/login?${new URLSearchParams({ continue: path })}`;
  const { first, title } = texts.login;
  return { status: 303, location, html: cardPage(first, html`<p><a href="${location}">${title}</a></p>`) };
}

/** A page with one card. */
export function cardPage(title: string, content: Html = noHtml): PageDocument {
  return {
    title,
    content: html`<h1>${title}</h1>
${content}`,
  };
}

interface AccountPageOptions extends Pick<PageFrame, 'tabs'>, Pick<PageDocument, 'width'> {
  readonly section?: PageFrame['section'];
  readonly status?: number;
}

/** A page for a logged-in user, in the frame of a section. */
export function accountPage(
  title: string,
  { user, formFields }: UserRequest,
  content: Html,
  { section, tabs, width = 'wide', status = 200 }: AccountPageOptions = {},
): PageResponse {
  const frame = { screenName: user.screen_name, formFields, section, ...(tabs && { tabs }) };
  return { status, html: { ...cardPage(title, content), frame, width }, hasForm: true };
}

/** A settings page, with links to the other settings; `path` is its own path. */
export function settingsPage(
  title: string,
  request: UserRequest,
  path: string,
  content: Html,
  status = 200,
): PageResponse {
  return accountPage(title, request, content, { section: 'settings', tabs: tabsOf(texts.settings, path), status });
}

/** A page for developers, with links to the others; `path` is that of the page that it belongs to. */
export function developerPage(
  title: string,
  request: UserRequest,
  path: string,
  content: Html,
  options: Pick<AccountPageOptions, 'width' | 'status'> = {},
): PageResponse {
  return accountPage(title, request, content, {
    ...options,
    section: 'developer',
    tabs: tabsOf(texts.developer, path),
  });
}

/** Redirects after a form was processed. */
export function redirect(request: UserRequest, location: string, audited?: PageResponse['audited']): PageResponse {
  return { ...accountPage(texts.site.done, request, noHtml), status: 303, location, audited };
}

/** The confirmation of a form that redirected here with `parameter=yes`. */
export function noticeAfter(request: PageRequest, parameter: string, text: string): Html {
  return noticeBox(request.method === 'GET' && request.parameter(parameter) === 'yes' ? text : undefined);
}

function tabsOf(
  { title: label, tabs }: { readonly title: string; readonly tabs: Readonly<Record<string, string>> },
  path: string,
): NonNullable<PageFrame['tabs']> {
  return { label, links: Object.entries(tabs).map(([href, text]) => ({ href, text, isCurrent: href === path })) };
}

const invalid = (isWrong: boolean): Html => (isWrong ? html` aria-invalid="true" aria-describedby="problem"` : noHtml);
const focused = (hasFocus: boolean): Html => (hasFocus ? html` autofocus` : noHtml);

/** The inputs for user name and password. With `isFirst` they are the first content of the page, so they may take the focus. */
export function loginFields({ name, isWrong, isFirst }: { name: string; isWrong: boolean; isFirst: boolean }): Html {
  // Focus the empty input: the name, or the password when the name is known.
  const mayFocus = isWrong || isFirst;
  return html`<div class="field"><label for="username_or_email">${texts.login.userName}</label>
  <input id="username_or_email" name="session[username_or_email]" type="text" value="${name}" required
    autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="100"${invalid(isWrong)}${focused(mayFocus && name === '')}></div>
${passwordField({ isWrong, hasFocus: mayFocus && name !== '' })}`;
}

/** The input for the current password. */
export function passwordField({ isWrong, hasFocus }: { isWrong: boolean; hasFocus: boolean }): Html {
  return html`<div class="field"><label for="password">${texts.login.password}</label>
  <input id="password" name="session[password]" type="password" required autocomplete="current-password"
    maxlength="1000"${invalid(isWrong)}${focused(hasFocus)}></div>`;
}
