import { type Html, html, joinHtml } from '../../base/html.ts';
import type { PageDocument, PageRequest, PageResponse } from '../../contract/declare/pages.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountLinks } from '../account-visit.ts';
import { shownCalls } from './shown-calls.ts';

/** The pages that an account has links to, by the end of their path. */
const TABS = ['', 'campaigns', 'line_items', 'results', 'audiences', 'creatives', 'keywords'] as const;
/** A tab of an account; '' is its overview. */
export type Tab = (typeof TABS)[number];

/** What is on a page of an account. */
export interface ConsolePage {
  readonly status?: number;
  readonly title: string;
  /** The tab that the page belongs to. */
  readonly tab: Tab;
  /** Where the page is below its tab: links to what is above it. */
  readonly trail?: readonly (readonly [href: string, text: string])[];
  /** Beside the title: what can be done. */
  readonly actions?: Html;
  readonly content: Html;
  /** Its scripts. */
  readonly islands?: readonly string[];
}

/** A page of an account in its frame, with the calls that it made. */
export function consolePage(visit: AccountVisit, page: ConsolePage): PageResponse {
  const { account, request } = visit;
  const links = TABS.map((tab) => ({
    href: `/ads/${account.id}${tab && `/${tab}`}`,
    text: texts.frame[tab || 'overview'],
    isCurrent: tab === page.tab,
  }));
  return {
    status: page.status ?? 200,
    html: {
      title: page.title,
      content: html`${trailOf(page)}<div class="heading"><h1>${page.title}</h1>${page.actions ?? ''}</div>
${page.content}
${shownCalls(visit.calls)}`,
      frame: {
        ...frameOf(request),
        tabs: { label: texts.frame.tabs, links },
        account: { name: account.name, environment: account.environment, others: accountLinks(visit) },
      },
      width: 'full',
      islands: page.islands,
    },
    hasForm: true,
  };
}

/** A page above all accounts. */
export function consoleDocument(request: PageRequest, title: string, content: Html): PageDocument {
  return { title, content, frame: frameOf(request), width: 'full' };
}

function frameOf({ user, csrfToken }: PageRequest) {
  return { screenName: user!.screen_name, csrfToken, section: 'ads' } as const;
}

function trailOf({ trail = [] }: ConsolePage): Html | string {
  if (trail.length === 0) return '';
  const links = trail.map(([href, text]) => html`<a href="${href}">${text}</a>`);
  return html`<nav class="trail" aria-label="${texts.site.breadcrumb}">${joinHtml(links, html` <span aria-hidden="true">/</span> `)}</nav>
`;
}

/** A page that leads to another after something was done; `path` is below the account. */
export function redirectTo(visit: AccountVisit, path: string): PageResponse {
  const location = `/ads/${visit.account.id}${path}`;
  return {
    status: 303,
    location,
    html: consoleDocument(visit.request, texts.site.done, html`<h1>${texts.site.done}</h1>`),
  };
}
