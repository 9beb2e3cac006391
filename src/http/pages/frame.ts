import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { PageFrame, PageLink, PageSection, PageTabs } from '../../contract/declare/pages.ts';
import { texts } from '../../texts/texts.ts';

const words = texts.site;

const SECTIONS: readonly (readonly [section: PageSection, href: string])[] = [
  ['ads', '/ads'],
  ['developer', '/developer'],
  ['notifications', '/notifications'],
  ['settings', '/settings/profile'],
];

/** The links of the header, which are a menu where there is little room. */
export function mainNavigation(frame: PageFrame): Html {
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
export function sectionNavigation(account: PageFrame['account'], tabs: PageTabs | undefined): Html {
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

/** Marks what is not real. */
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
