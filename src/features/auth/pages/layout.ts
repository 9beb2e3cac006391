import { type Html, html, joinHtml, noHtml } from '../../../base/html.ts';
import type { PageDocument, PageRequest } from '../../../contract/declare/pages.ts';

/** A page with one card. */
export function cardPage(title: string, content: Html): PageDocument {
  return { title, content };
}

/** The error of a form, announced by screen readers; empty when there is none. */
export function alertBox(message: string | undefined): Html {
  return message === undefined ? noHtml : html`<p class="alert" id="problem" role="alert">${message}</p>`;
}

/** A page for a logged-in user, with navigation. */
export function accountPage(title: string, { user, csrfToken }: PageRequest, content: Html): PageDocument {
  const above = html`<form method="post" action="/logout">
${hiddenFields({ authenticity_token: csrfToken })}
<span>@${user!.screen_name}</span>
<button type="submit">Log out</button>
</form>
<nav aria-label="Account">
${joinHtml(
  NAVIGATION.map(([path, name]) => html`<a href="${path}">${name}</a>`),
  '\n',
)}
</nav>`;
  return { title, content, accountHeader: above, isWide: true };
}

const NAVIGATION = [
  ['/settings/profile', 'Settings'],
  ['/developer/apps', 'Your applications'],
  ['/developer/publishers', 'Your publishers'],
  ['/notifications', 'Notifications'],
] as const;

/** A settings page of a logged-in user, with links to the other settings; `path` is its own path. */
export function settingsPage(title: string, request: PageRequest, path: string, content: Html): PageDocument {
  const links = SETTINGS.map(
    ([to, name]) => html`<li><a href="${to}"${to === path ? html` aria-current="page"` : ''}>${name}</a></li>`,
  );
  return accountPage(
    title,
    request,
    html`<nav class="settings" aria-label="Settings"><ul>${joinHtml(links, '\n')}</ul></nav>
${content}`,
  );
}

const SETTINGS = [
  ['/settings/profile', 'Profile'],
  ['/settings/connected_apps', 'Connected apps'],
  ['/settings/password', 'Password'],
  ['/settings/security', 'Two-step login'],
  ['/settings/sessions', 'Sessions'],
] as const;

/** The confirmation of an action, announced by screen readers; empty when there is none. */
export function noticeBox(message: string | undefined): Html {
  return message === undefined ? noHtml : html`<p class="notice" role="status">${message}</p>`;
}

/** The initial state of the inputs for name and password. */
export interface LoginFieldOptions {
  readonly name: string;
  readonly isWrong: boolean;
  /** They are the first content of the page, so they may take the focus. */
  readonly isFirst: boolean;
}

/** The inputs for user name and password. */
export function loginFields({ name, isWrong, isFirst }: LoginFieldOptions): Html {
  const described = isWrong ? html` aria-invalid="true" aria-describedby="problem"` : '';
  // Focus the empty input: the name, or the password when the name is known.
  const isCaretHere = isWrong || isFirst;
  const first = isCaretHere && name === '' ? html` autofocus` : '';
  const second = isCaretHere && name !== '' ? html` autofocus` : '';
  return html`<div class="field"><label for="username_or_email">User name</label>
  <input id="username_or_email" name="session[username_or_email]" type="text" value="${name}" required
    autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="100"${described}${first}></div>
${passwordField({ isWrong, hasCaret: second !== '' })}`;
}

/** The input for the current password. */
export function passwordField({ isWrong, hasCaret }: { isWrong: boolean; hasCaret: boolean }): Html {
  const described = isWrong ? html` aria-invalid="true" aria-describedby="problem"` : '';
  return html`<div class="field"><label for="password">Password</label>
  <input id="password" name="session[password]" type="password" required autocomplete="current-password"
    maxlength="1000"${described}${hasCaret ? html` autofocus` : ''}></div>`;
}

/** The hidden inputs of a form. */
export function hiddenFields(members: Readonly<Record<string, string>>): Html {
  return hiddenPairs(Object.entries(members));
}

/** The hidden inputs of a form, where several may have the same name. */
export function hiddenPairs(pairs: readonly (readonly [name: string, value: string])[]): Html {
  return joinHtml(
    pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`),
    '\n',
  );
}
