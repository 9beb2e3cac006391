import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { PageFrame, PageLink, PageSection, PageTabs } from '../../contract/declare/pages.ts';

const SECTIONS: readonly (readonly [section: PageSection, href: string, text: string])[] = [
  ['ads', '/ads', 'Ads'],
  ['developer', '/developer', 'Developer'],
  ['notifications', '/notifications', 'Notifications'],
  ['settings', '/settings/profile', 'Settings'],
];

/** The links of the header, which are a menu where there is little room. */
export function mainNavigation(frame: PageFrame): Html {
  const { screenName, csrfToken, section, operatorLinks, logoutPath = '/logout' } = frame;
  const links = operatorLinks ?? SECTIONS.map(([own, href, text]) => ({ href, text, isCurrent: own === section }));
  return html`<button type="button" class="menu" popovertarget="menu">Menu</button>
<nav id="menu" popover aria-label="Main">
${linksOf(links)}
<form method="post" action="${logoutPath}">
<input type="hidden" name="authenticity_token" value="${csrfToken}">
<span>${operatorLinks ? screenName : `@${screenName}`}</span>
<button type="submit">Log out</button>
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
  return html`<button type="button" class="switcher" popovertarget="accounts" aria-label="Account ${name}: switch">${name} ${environmentMark(environment)}</button>
<nav id="accounts" popover aria-label="Accounts">
${joinHtml(
  others.map(
    (each) => html`<a href="${each.href}"${currentMark(each)}>${each.text} ${environmentMark(each.environment)}</a>`,
  ),
  '\n',
)}
<a href="/ads">All accounts</a>
</nav>`;
}

/** Marks what is not real. */
function environmentMark(environment: Environment): Html {
  return environment === 'sandbox' ? html`<span class="environment sandbox">Sandbox</span>` : noHtml;
}

function linksOf(links: readonly PageLink[]): Html {
  return joinHtml(
    links.map((each) => html`<a href="${each.href}"${currentMark(each)}>${each.text}</a>`),
    '\n',
  );
}

const currentMark = ({ isCurrent }: PageLink): Html => (isCurrent ? html` aria-current="page"` : noHtml);
