import { type Html, html } from '../../../base/html.ts';
import type { PageDocument, PageFrame, PageRequest } from '../../../contract/declare/pages.ts';
import { texts } from '../../../texts/texts.ts';

/** A page with one card. */
export function cardPage(title: string, content: Html): PageDocument {
  return { title, content };
}

/** A page for a logged-in user, in the frame of a section. */
export function accountPage(
  title: string,
  { user, formFields }: PageRequest,
  content: Html,
  { section, tabs }: Pick<PageFrame, 'tabs'> & Partial<Pick<PageFrame, 'section'>> = {},
): PageDocument {
  const frame = { screenName: user!.screen_name, formFields, section, ...(tabs && { tabs }) };
  return { title, content, frame, width: 'wide' };
}

/** A settings page of a logged-in user, with links to the other settings; `path` is its own path. */
export function settingsPage(title: string, request: PageRequest, path: string, content: Html): PageDocument {
  return accountPage(title, request, content, { section: 'settings', tabs: tabsOf(texts.settings, path) });
}

/** A page that leads to another after something was done. */
export function donePage(request: PageRequest): PageDocument {
  const { done } = texts.site;
  return accountPage(done, request, html`<h1>${done}</h1>`);
}

/** A page for developers, with links to the others; `path` is that of the page that it belongs to. */
export function developerPage(
  title: string,
  request: PageRequest,
  path: string,
  content: Html,
  width: PageDocument['width'] = 'wide',
): PageDocument {
  const frame = { section: 'developer', tabs: tabsOf(texts.developer, path) } as const;
  return { ...accountPage(title, request, content, frame), width };
}

function tabsOf(
  { title: label, tabs }: { readonly title: string; readonly tabs: Readonly<Record<string, string>> },
  path: string,
): NonNullable<PageFrame['tabs']> {
  return { label, links: Object.entries(tabs).map(([href, text]) => ({ href, text, isCurrent: href === path })) };
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
  return html`<div class="field"><label for="username_or_email">${texts.login.userName}</label>
  <input id="username_or_email" name="session[username_or_email]" type="text" value="${name}" required
    autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="100"${described}${first}></div>
${passwordField({ isWrong, hasCaret: second !== '' })}`;
}

/** The input for the current password. */
export function passwordField({ isWrong, hasCaret }: { isWrong: boolean; hasCaret: boolean }): Html {
  const described = isWrong ? html` aria-invalid="true" aria-describedby="problem"` : '';
  return html`<div class="field"><label for="password">${texts.login.password}</label>
  <input id="password" name="session[password]" type="password" required autocomplete="current-password"
    maxlength="1000"${described}${hasCaret ? html` autofocus` : ''}></div>`;
}
