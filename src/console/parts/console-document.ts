import { formatCsv } from '../../base/csv.ts';
import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type {
  AccountLink,
  PageDocument,
  PageRequest,
  PageResponse,
  ShownCall,
  UserRequest,
} from '../../contract/declare/pages.ts';
import { callText } from '../../markup/call-text.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import { RefusedCall } from '../refused-call.ts';
import { type Problems, refusalReasons, statusOf } from './form-problems.ts';

/** The tabs of an account by path segment; '' is the overview. */
const TABS = ['', 'campaigns', 'line_items', 'results', 'audiences', 'creatives', 'keywords'] as const;

/** A page of an account. */
export interface ConsolePage {
  readonly status?: number;
  /** The problems of its form; they decide the status. */
  readonly problems?: Problems;
  readonly title: string;
  /** Breadcrumbs between the tab and the page. */
  readonly trail?: readonly (readonly [href: string, text: string])[];
  /** Buttons and links beside the title. */
  readonly actions?: Html;
  readonly content: Html;
  /** The islands of the page. */
  readonly islands?: readonly string[];
}

/** Renders a page of an account with the frame and the API calls behind it. */
export function consolePage(visit: AccountVisit, page: ConsolePage): PageResponse {
  const { account, request } = visit;
  const [, , , current = ''] = request.path.split('/');
  const links = TABS.map((tab) => ({
    href: `/ads/${account.id}${tab && `/${tab}`}`,
    text: texts.frame[tab || 'overview'],
    isCurrent: tab === current,
  }));
  return {
    status: page.status ?? statusOf(page.problems ?? new Map()),
    html: {
      title: page.title,
      content: html`${trailOf(page)}<div class="heading"><h1>${page.title}</h1>${page.actions ?? ''}</div>
${page.content}
${callsSection(visit.calls)}`,
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

/** A page outside any account. */
export function consoleDocument(request: UserRequest, title: string, content: Html): PageDocument {
  return { title, content, frame: frameOf(request), width: 'full' };
}

function frameOf({ user, formFields }: UserRequest) {
  return { screenName: user.screen_name, formFields, section: 'ads' } as const;
}

function trailOf({ trail = [] }: ConsolePage): Html | string {
  if (trail.length === 0) return '';
  const links = trail.map(([href, text]) => html`<a href="${href}">${text}</a>`);
  return html`<nav class="trail" aria-label="${texts.site.breadcrumb}">${joinHtml(links, html` <span aria-hidden="true">/</span> `)}</nav>
`;
}

/** A reply with a CSV file. */
export function csvFile(title: string, name: string, rows: readonly (readonly (string | number)[])[]): PageResponse {
  return {
    status: 200,
    html: { title, content: html`<h1>${title}</h1>` },
    file: { name: `${name}.csv`, type: 'text/csv', text: formatCsv(rows) },
  };
}

/** Redirects after a change; `path` is relative to the account. */
export function redirectTo(visit: AccountVisit, path: string): PageResponse {
  const location = `/ads/${visit.account.id}${path}`;
  return {
    status: 303,
    location,
    html: consoleDocument(visit.request, texts.site.done, html`<h1>${texts.site.done}</h1>`),
  };
}

/** Links to the other accounts of the user. */
function accountLinks({ accounts, account }: AccountVisit): readonly AccountLink[] {
  return accounts.map(({ id, name, environment }) => ({
    href: `/ads/${id}`,
    text: name,
    environment,
    isCurrent: id === account.id,
  }));
}

/**
 * Answers with a page, or, when a call that it needs was refused, with one that gives the reason.
 * @param frame puts the latter into its frame
 */
export async function renderOrRefuse(
  request: PageRequest,
  answer: Promise<PageResponse>,
  frame: (page: ConsolePage) => PageResponse,
): Promise<PageResponse> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    const { refusal } = error;
    // Reloading the page sends the form again, with all input.
    const again =
      request.method === 'POST'
        ? texts.frame.sendAgain
        : html`<a href="${request.path}${request.query && `?${request.query}`}">${texts.grid.tryAgain}</a>`;
    const content = html`<p class="alert" role="alert">${refusalReasons(refusal)}</p><p>${again}</p>`;
    return frame({ status: refusal.status, title: texts.frame.notShown, content });
  }
}

/** The API calls behind a page, as developers would make them; islands append theirs. */
function callsSection(calls: readonly ShownCall[]): Html {
  if (calls.length === 0) return noHtml;
  return html`<details class="calls" data-base-url="${calls[0]!.base_url}"><summary>${texts.frame.apiCall}</summary>
<p class="soft">${texts.frame.apiCalls}</p>
${joinHtml(calls.map(callText), '\n')}
</details>`;
}
