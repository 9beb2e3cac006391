import { html } from 'ghtml';
import type { PageDocument, PageRequest } from '../../../contract/declare/pages.ts';

/** A page of one card. `content` is HTML. */
export function cardPage(title: string, content: string): PageDocument {
  return { title, content };
}

/** What went wrong with a form, read out first; empty when nothing did. */
export function alertBox(message: string | undefined): string {
  return message === undefined ? '' : html`<p class="alert" id="problem" role="alert">${message}</p>`;
}

/** A page for somebody who is logged in, with the way to the other pages. */
export function accountPage(title: string, { user, csrfToken }: PageRequest, content: string): PageDocument {
  const above = html`<form method="post" action="/logout">
!${hiddenFields({ authenticity_token: csrfToken })}
<span>@${user!.screen_name}</span>
<button type="submit">Log out</button>
</form>
<nav aria-label="Account">
!${NAVIGATION.map(([path, name]) => html`<a href="${path}">${name}</a>`).join('\n')}
</nav>`;
  return { title, content, accountHeader: above, isWide: true };
}

const NAVIGATION = [
  ['/settings/profile', 'Settings'],
  ['/developer/apps', 'Your applications'],
  ['/notifications', 'Notifications'],
] as const;

/** A document among the settings of somebody who is logged in, with the way to the others; `path` is its own. */
export function settingsPage(title: string, request: PageRequest, path: string, content: string): PageDocument {
  const links = SETTINGS.map(
    ([to, name]) => html`<li><a href="${to}"!${to === path ? ' aria-current="page"' : ''}>${name}</a></li>`,
  );
  return accountPage(
    title,
    request,
    html`<nav class="settings" aria-label="Settings"><ul>!${links.join('\n')}</ul></nav>
!${content}`,
  );
}

const SETTINGS = [
  ['/settings/profile', 'Profile'],
  ['/settings/connected_apps', 'Connected apps'],
  ['/settings/password', 'Password'],
  ['/settings/security', 'Two-step login'],
  ['/settings/sessions', 'Sessions'],
] as const;

/** What was done, read out first; empty when nothing was. */
export function noticeBox(message: string | undefined): string {
  return message === undefined ? '' : html`<p class="notice" role="status">${message}</p>`;
}

/** What the boxes for name and password begin with. */
export interface LoginFieldOptions {
  readonly name: string;
  readonly isWrong: boolean;
  /** Nothing stands above them that should be read before. */
  readonly isFirst: boolean;
}

/** The boxes for name and password. */
export function loginFields({ name, isWrong, isFirst }: LoginFieldOptions): string {
  const described = isWrong ? ' aria-invalid="true" aria-describedby="problem"' : '';
  // The caret goes where something is to be written: to the name, or to the password when the name is known.
  const isCaretHere = isWrong || isFirst;
  const first = isCaretHere && name === '' ? ' autofocus' : '';
  const second = isCaretHere && name !== '' ? ' autofocus' : '';
  return html`<div class="field"><label for="username_or_email">User name</label>
  <input id="username_or_email" name="session[username_or_email]" type="text" value="${name}" required
    autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="100"!${described}!${first}></div>
!${passwordField({ isWrong, hasCaret: second !== '' })}`;
}

/** The box for the password of somebody who logs in. */
export function passwordField({ isWrong, hasCaret }: { isWrong: boolean; hasCaret: boolean }): string {
  const described = isWrong ? ' aria-invalid="true" aria-describedby="problem"' : '';
  return html`<div class="field"><label for="password">Password</label>
  <input id="password" name="session[password]" type="password" required autocomplete="current-password"
    maxlength="1000"!${described}!${hasCaret ? ' autofocus' : ''}></div>`;
}

/** Hidden members of a form. */
export function hiddenFields(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
    .join('\n');
}
