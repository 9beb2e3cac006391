import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { PageDocument, PageRequest } from '../../../../contract/declare/pages.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { texts } from '../../../../texts/texts.ts';
import { developerPage } from '../layout.ts';
import { APPS_PATH } from './owner-pages.ts';

/** The pages of an application, by the end of their path. */
const TABS = texts.developer.apps.tabs;

/** A page of an application, with links to the others. */
export function ofApplication(
  request: PageRequest,
  { id, name }: Pick<Application, 'id' | 'name'>,
  tab: keyof typeof TABS,
  { title, content, width }: { readonly title: string; readonly content: Html; readonly width?: 'full' },
): PageDocument {
  const links = Object.entries(TABS).map(([end, text]) => {
    const current = end === tab ? html` aria-current="page"` : '';
    return html`<a href="${APPS_PATH}/${id}${end && `/${end}`}"${current}>${text}</a>`;
  });
  const shown = html`<h1>${title}</h1>
<nav class="tabs" aria-label="${name}">${joinHtml(links, '\n')}</nav>
${content}`;
  return developerPage(title, request, APPS_PATH, shown, width);
}
