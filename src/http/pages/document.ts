import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { type Language, language } from '../../base/language.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { PageDocument, PageFrame, PageLink, PageTabs } from '../../contract/declare/pages.ts';
import { texts } from '../../texts/texts.ts';
import { FAVICON_PATH, LOGO_PATH } from './branding.ts';
import { islands as built, islandPath } from './islands.ts';
import { languageLinks } from './page-language.ts';

/** The branding that every page shows. */
export interface BrandedService {
  readonly name: string;
  readonly hasLogo: boolean;
  /** The language of pages for visitors whose browsers ask for none. */
  readonly language: Language;
  /** What pages for developers link to beside each other, where there are tools. */
  readonly toolLinks?: () => readonly PageLink[];
}

/**
 * Renders a page as a complete HTML document with the header of the service. Only wide pages link to `/`: the others
 * are steps of a login for an application, which no link should interrupt.
 * @param hasLanguages whether it links to itself in other languages
 * @source decision 545
 */
export function renderDocument(document: PageDocument, branding: BrandedService, hasLanguages = true): string {
  const { title, content, frame, tabs, width } = document;
  const logo = branding.hasLogo ? html`<img src="${LOGO_PATH}" alt="" height="32">` : '';
  const whose = html`${logo}<strong>${branding.name}</strong>`;
  return html`<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${branding.name}</title>
<link rel="icon" href="${FAVICON_PATH}">
<link rel="stylesheet" href="/pages/style.css">
${islandsOf(document).map(scriptOf)}</head>
<body${frame || tabs ? html` class="framed"` : ''}${frame ? html` data-form-token="${frame.formFields.authenticity_token}"` : ''}>
${
  frame
    ? html`<a class="skip" href="#main">${texts.site.skip}</a>
`
    : ''
}<header>
<p class="service">${width ? html`<a href="${frame?.operatorLinks?.[0]?.href ?? '/'}">${whose}</a>` : html`<span>${whose}</span>`}</p>
${frame ? mainNavigation(frame) : ''}
</header>
${sectionNavigation(frame?.account, frame ? tabsOf(frame, branding) : tabs)}<main id="main" tabindex="-1"${width ? html` class="${width}"` : ''}>
${content}
</main>
${hasLanguages ? languageLinks() : ''}</body>
</html>
`.render();
}

/**
 * The scripts of a page: pages for those who are logged in show which form is being sent.
 * @source decision 1102
 */
export function islandsOf({ frame, islands = [] }: Pick<PageDocument, 'frame' | 'islands'>): readonly string[] {
  return frame ? ['forms', ...islands] : islands;
}

function tabsOf({ tabs, section }: PageFrame, { toolLinks }: BrandedService): PageTabs | undefined {
  return tabs && section === 'developer' ? { ...tabs, links: [...tabs.links, ...(toolLinks?.() ?? [])] } : tabs;
}

/** A script of a page, and what it loads; nothing where scripts were not built. */
function scriptOf(name: string): Html {
  const island = built[name];
  if (!island) return noHtml;
  return html`${island.imports.map((file) => html`<link rel="modulepreload" href="${islandPath(file)}">\n`)}<script type="module" src="${islandPath(island.file)}"></script>
`;
}

const words = texts.site;

const SECTIONS: readonly (readonly [section: keyof typeof words.sections, href: string])[] = [
  ['ads', '/ads'],
  ['developer', '/developer'],
  ['notifications', '/notifications'],
  ['settings', '/settings/profile'],
  ['help', '/docs/console'],
];

/** The links of the header, which are a menu where there is little room. */
function mainNavigation(frame: PageFrame): Html {
  const { screenName, formFields, section, operatorLinks, logoutPath = '/logout' } = frame;
  const links =
    operatorLinks ?? SECTIONS.map(([own, href]) => ({ href, text: words.sections[own], isCurrent: own === section }));
  return html`<button type="button" class="menu" popovertarget="menu">${words.menu}</button>
<nav id="menu" popover aria-label="${words.main}">
${linksOf(links)}
<form method="post" action="${logoutPath}">
<input type="hidden" name="authenticity_token" value="${formFields.authenticity_token}">
<input type="hidden" name="form_key" value="${formFields.form_key}">
<span>${operatorLinks ? screenName : `@${screenName}`}</span>
<button type="submit">${words.logOut}</button>
</form>
</nav>`;
}

/** The account and the pages of the section, below the header. */
function sectionNavigation(account: PageFrame['account'], tabs: PageTabs | undefined): Html {
  if (!account && !tabs) return noHtml;
  return html`<div class="place">
${account ? switcher(account) : ''}
${tabs ? html`<nav class="tabs" aria-label="${tabs.label}">${linksOf(tabs.links)}</nav>` : ''}
</div>`;
}

function switcher({ name, environment, others }: NonNullable<PageFrame['account']>): Html {
  return html`<button type="button" class="switcher" popovertarget="accounts" aria-label="${words.switchAccount(name)}">${name} ${environmentMark(environment)}</button>
<nav id="accounts" popover aria-label="${words.accounts}">
${joinHtml(
  others.map(
    (each) => html`<a href="${each.href}"${currentMark(each)}>${each.text} ${environmentMark(each.environment)}</a>`,
  ),
  '\n',
)}
<a href="/ads">${words.allAccounts}</a>
</nav>`;
}

/** Marks sandbox data. */
function environmentMark(environment: Environment): Html {
  return environment === 'sandbox'
    ? html`<span class="environment sandbox">${words.environments.sandbox}</span>`
    : noHtml;
}

function linksOf(links: readonly PageLink[]): Html {
  return joinHtml(
    links.map((each) => html`<a href="${each.href}"${currentMark(each)}>${each.text}</a>`),
    '\n',
  );
}

const currentMark = ({ isCurrent }: PageLink): Html => (isCurrent ? html` aria-current="page"` : noHtml);
