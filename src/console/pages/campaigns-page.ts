import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { moneyText } from '../money.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { canChange } from '../parts/permissions.ts';
import { type Servable, stateMark } from '../parts/state-mark.ts';
import { texts } from '../texts/texts.ts';

const words = texts.campaigns;
const ROWS = 100;

interface Campaign extends Servable {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly daily_budget_amount_local_micro: number | null;
  readonly total_budget_amount_local_micro: number | null;
}

/** `/ads/:account_id/campaigns`: the campaigns as a plain table that needs no script. */
export function campaignsPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '/campaigns', ['GET', 'POST'], (visit) =>
    visit.request.method === 'GET' ? shown(visit) : changed(visit),
  );
}

async function changed(visit: AccountVisit): Promise<PageResponse> {
  const { request, call } = visit;
  const reply = await call('campaigns.update', {
    parameters: {
      campaign_id: request.parameter('campaign_id') ?? '',
      entity_status: request.parameter('entity_status') ?? '',
    },
  });
  return reply.isDone ? redirectTo(visit, '/campaigns') : shown(visit, problemsOf(reply, []));
}

async function shown(visit: AccountVisit, problems: Problems = new Map()): Promise<PageResponse> {
  const { request, account, call } = visit;
  const get = request.method === 'GET' ? request.parameter : () => undefined;
  const [q, cursor] = [get('q') || undefined, get('cursor') || undefined];
  const { reply } = await call('campaigns.list', {
    parameters: { count: ROWS, q, cursor, with_total_count: cursor === undefined, with_draft: true },
  });
  const rows: readonly Campaign[] = reply.data ?? [];
  const mayChange = canChange(visit);
  const create = mayChange
    ? html`<a class="button main" href="/ads/${account.id}/campaigns/new">${words.create}</a>`
    : html``;
  const content = html`${problemSummary(problems)}
<form class="filters" method="get"><div class="field"><label for="q">${words.search}</label><input id="q" name="q" value="${q ?? ''}" maxlength="255"></div>
<button type="submit">${words.show}</button></form>
${rows.length === 0 ? emptyOf(q) : tableOf(visit, rows, mayChange)}
${reply.next_cursor ? html`<p><a href="?${new URLSearchParams({ ...(q && { q }), cursor: reply.next_cursor }).toString()}">${words.next}</a></p>` : ''}`;
  return consolePage(visit, {
    status: problems.size > 0 ? 400 : 200,
    title: words.title,
    tab: 'campaigns',
    actions: create,
    content,
  });
}

function emptyOf(q: string | undefined): Html {
  return q === undefined
    ? html`<div class="empty"><h2>${words.none}</h2><p>${words.noneAbout}</p></div>`
    : html`<div class="empty"><p>${words.noneFound}</p></div>`;
}

function tableOf(visit: AccountVisit, rows: readonly Campaign[], mayChange: boolean): Html {
  return html`<div class="scroll"><table class="grid"><thead><tr><th scope="col">${words.name}</th><th scope="col">${words.status}</th><th scope="col" class="number">${words.dailyBudget}</th><th scope="col" class="number">${words.totalBudget}</th>${mayChange ? html`<td></td>` : ''}</tr></thead>
<tbody>
${joinHtml(
  rows.map(
    (each) =>
      html`<tr><th scope="row"><a href="/ads/${visit.account.id}/campaigns/${each.id}">${each.name}</a></th><td>${stateMark(each)}</td><td class="number">${budget(each.daily_budget_amount_local_micro, each)}</td><td class="number">${budget(each.total_budget_amount_local_micro, each)}</td>${mayChange ? html`<td>${statusForm(visit, each)}</td>` : ''}</tr>`,
  ),
  '\n',
)}
</tbody></table></div>`;
}

const budget = (micros: number | null, { currency }: Campaign): string =>
  micros === null ? words.noBudget : moneyText(micros, currency);

function statusForm({ request }: AccountVisit, { id, name, entity_status }: Campaign): Html {
  const isActive = entity_status === 'ACTIVE';
  const what = isActive ? words.pause : words.activate;
  return html`<form method="post">${hiddenFields({ authenticity_token: request.csrfToken, campaign_id: id, entity_status: isActive ? 'PAUSED' : 'ACTIVE' })}<button type="submit" aria-label="${what} ${name}">${what}</button></form>`;
}
