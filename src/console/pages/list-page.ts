import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import type { PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage, canChange, createButton } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import {
  cellText,
  type DeliveryStatuses,
  type ListRow,
  nameOfRow,
  reviewPathOf,
  stateOfRow,
  switchOf,
} from '../lists/cell-text.ts';
import { type EntityList, entityLists, type ListColumn, STATES } from '../lists/entity-lists.ts';
import {
  allRows,
  type FirstRows,
  firstRows,
  type ListQuery,
  parseListQuery,
  type StandingList,
} from '../lists/read-list.ts';
import { moneyText } from '../money.ts';
import { consolePage, csvFile, redirectTo } from '../parts/console-document.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { stateMark } from '../parts/state-mark.ts';
import { bodyOf } from '../refused-call.ts';

const words = texts.grid;
/** Maximum number of parents offered in the filter. */
const OWNERS_MAX = 500;

/** A list with the dependencies of its page. */
interface PlacedList extends EntityList {
  readonly loginPath: string;
  readonly readStandings: () => Promise<DeliveryStatuses>;
}

/** `/ads/:account_id/campaigns` and `/line_items`: plain tables, which the grid script enhances. */
export const entityListPages = (['campaigns', 'line_items'] as const).map(
  (resource) => (deps: ConsoleDeps) =>
    accountPage(deps, `/${resource}`, ['GET', 'POST'], async (visit) => {
      const { request, account, now } = visit;
      const list = entityLists().find((each) => each.resource === resource)!;
      const placed: PlacedList = {
        ...list,
        loginPath: deps.redirectToLogin(request.path).location!,
        readStandings: async () => {
          const standings: DeliveryStatuses = (await deps.readStandings(account, now))[list.resource];
          // Statuses of ads are left out: they are on the pages of line items.
          return Object.fromEntries(
            Object.entries(standings).map(([id, { effective_status, reasons_not_servable }]) => [
              id,
              { effective_status, reasons_not_servable },
            ]),
          );
        },
      };
      if (request.method === 'POST') return change(visit, placed);
      const format = request.parameter('format');
      if (format === 'standings') return standingsOf(visit, placed);
      return format === 'csv' ? csvOf(visit, placed) : show(visit, placed);
    }),
);

/** The current delivery status of the rows as JSON, fetched by the grid after a change. */
async function standingsOf({ call }: AccountVisit, { readStandings, resource }: PlacedList): Promise<PageResponse> {
  // Throws if the user may not read the list.
  bodyOf(await call(`${resource}.list`, { count: 1 }));
  const text = JSON.stringify(await readStandings());
  return { status: 200, html: html``, file: { name: `${resource}.json`, type: 'application/json', text } };
}

async function change(visit: AccountVisit, list: PlacedList): Promise<PageResponse> {
  const { request, call } = visit;
  const id = request.parameter('id') ?? '';
  const reply = await call(`${list.resource}.update`, {
    [list.idName]: id,
    entity_status: request.parameter('entity_status') ?? '',
  });
  // Return to the same row of the list.
  const query = request.query && `?${request.query}`;
  return reply.isDone ? redirectTo(visit, `/${list.resource}${query}#${id}`) : show(visit, list, problemsOf(reply, []));
}

async function show(visit: AccountVisit, placed: PlacedList, problems: Problems = new Map()): Promise<PageResponse> {
  const { request } = visit;
  const list = { ...placed, standings: await placed.readStandings() };
  const query = parseListQuery(visit, list);
  const { q, cursor, state } = query;
  const totals = request.method === 'GET' && request.parameter('totals') === 'yes' ? await totalsOf(visit, list) : '';
  const listed = await firstRows(visit, list, query);
  const { rows } = listed;
  const owners = await ownersOf(visit, list);
  // The grid needs the total, which only the first page has.
  const isPlain = query.view === 'plain' || cursor !== undefined;
  return consolePage(visit, {
    problems,
    title: list.words.title,
    actions: createLink(visit, list, query),
    islands: isPlain || rows.length === 0 ? [] : ['grid'],
    content: html`${problemSummary(problems)}
<form class="filters" method="get">${query.view ? hiddenFields({ view: query.view }) : ''}<div class="field"><label for="q">${words.search}</label><input id="q" name="q" value="${q ?? ''}" maxlength="255"></div>
${selectField('within', list.within.label, [['', list.within.all], ...owners], query.within)}
${selectField('state', words.state, [['', words.anyState], ...STATES.map((each) => [each, texts.states[each]!] as const)], state)}
<button type="submit">${words.show}</button>${rows.length === 0 ? '' : html`<a class="button" href="${addressOf(query, { totals: 'yes' })}">${words.totals}</a><a class="button" href="${addressOf(query, { format: 'csv' })}">${words.csv}</a>`}</form>
${totals}${chipOf(list, query, owners)}
${rows.length === 0 ? emptyOf(list, q ?? query.within ?? state) : gridOf(visit, list, query, { ...listed, isPlain })}`,
  });
}

/** Links to a new line item if the list shows one campaign, otherwise to a new campaign. */
function createLink(visit: AccountVisit, { resource }: EntityList, { within }: ListQuery): Html {
  return resource === 'line_items' && within !== undefined
    ? createButton(visit, `line_items/new?campaign_id=${encodeURIComponent(within)}`, texts.campaign.addLine)
    : createButton(visit, 'campaigns/new', texts.campaigns.create);
}

/** Lists the parents to filter by, as id and name. */
async function ownersOf(
  { read }: AccountVisit,
  { within }: EntityList,
): Promise<readonly (readonly [string, string])[]> {
  const isOfCampaigns = within.operation === 'campaigns.list';
  const parameters = { count: OWNERS_MAX, ...(isOfCampaigns && { sort_by: 'name-asc', with_draft: true }) };
  const found: readonly { readonly id: string; readonly name?: string; readonly description?: string }[] = await read(
    within.operation,
    parameters,
  );
  return found.map(({ id, name, description }) => [id, name ?? description ?? id]);
}

/** The active filters, each with a link that removes it. */
function chipOf(
  { within }: EntityList,
  query: ListQuery,
  owners: readonly (readonly [string, string])[],
): Html | string {
  const chip = (label: string, value: string, without: Partial<ListQuery>): Html =>
    html`<p class="chip"><span>${words.onlyOf(label, value)}</span> <a href="${addressOf(query, without)}">${words.showAll}</a></p>`;
  const owner = owners.find(([id]) => id === query.within)?.[1] ?? query.within;
  return html`${owner === undefined ? '' : chip(within.label, owner, { within: undefined })}${query.state === undefined ? '' : chip(words.state, texts.states[query.state]!, { state: undefined })}`;
}

interface Listed extends FirstRows {
  readonly isPlain: boolean;
}

function gridOf(
  visit: AccountVisit,
  list: PlacedList & StandingList,
  query: ListQuery,
  { rows, next, total, isPlain }: Listed,
): Html {
  const { account } = visit;
  const { pause, activate } = texts.campaign;
  const { review } = texts.review.names;
  const table = html`${tableOf(visit, list, query, rows)}
${next ? html`<p><a href="${addressOf(query, { cursor: next })}">${words.next}</a></p>` : ''}`;
  if (isPlain) return html`<p><a href="${addressOf(query, { view: undefined })}">${words.comfortable}</a></p>${table}`;
  const input = JSON.stringify({
    path: `/console/api/${account.environment}/12/accounts/${account.id}/${list.resource}`,
    batchPath: `/console/api/${account.environment}/12/batch/accounts/${account.id}/${list.resource}`,
    accountPath: `/ads/${account.id}`,
    resource: list.resource,
    idName: list.idName,
    columns: list.columns,
    standings: list.standings,
    zone: account.timezone,
    loginPath: list.loginPath,
    within: query.within === undefined ? {} : { [list.within.parameter]: query.within },
    q: query.q ?? '',
    sort: query.sort,
    rows,
    next,
    total,
    state: query.state,
    mayChange: canChange(visit),
    words: { ...words, pause, activate, review, count: list.words.count, states: texts.states, reasons: texts.reasons },
  });
  return html`<div data-island="grid" data-input="${input}">${table}</div>`;
}

/** The URL of the list with changed parameters; `undefined` removes one. */
function addressOf(
  { q, sort, view, within, state }: ListQuery,
  more: Readonly<Record<string, string | undefined>>,
): string {
  const all = { q, sort, view, within, state, ...more };
  const parameters = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `?${new URLSearchParams(parameters).toString()}`;
}

function emptyOf({ words: own }: EntityList, q: string | undefined): Html {
  return q === undefined
    ? html`<div class="empty"><h2>${own.none}</h2><p>${own.noneAbout}</p></div>`
    : html`<div class="empty"><p>${words.noneFound}</p></div>`;
}

function tableOf(visit: AccountVisit, list: EntityList, query: ListQuery, rows: readonly ListRow[]): Html {
  const mayChange = canChange(visit);
  const heads = list.columns.map((column) => headOf(column, query));
  const body = rows.map(
    (row) =>
      html`<tr>${list.columns.map((column) => cellOf(visit, list, column, row))}${mayChange ? html`<td>${statusForm(visit, row)}</td>` : ''}</tr>`,
  );
  return html`<div class="scroll"><table class="grid"><thead><tr>${heads}${mayChange ? html`<td></td>` : ''}</tr></thead>
<tbody>
${joinHtml(body, '\n')}
</tbody></table></div>`;
}

const numeric = ({ kind }: ListColumn): Html => (kind === 'money' ? html` class="number"` : noHtml);

/** The header of a column; a sortable one links to the list sorted by it, or reversed if it already is. */
function headOf(column: ListColumn, query: ListQuery): Html {
  const { name, label, isSortable } = column;
  if (!isSortable) return html`<th scope="col"${numeric(column)}>${label}</th>`;
  const order = query.sort === `${name}-asc` ? 'asc' : query.sort === `${name}-desc` ? 'desc' : undefined;
  const link = addressOf(query, { sort: `${name}-${order === 'asc' ? 'desc' : 'asc'}` });
  return html`<th scope="col"${numeric(column)} aria-sort="${order ? `${order}ending` : 'none'}"><a href="${link}">${label}</a></th>`;
}

function cellOf({ account }: AccountVisit, list: EntityList, column: ListColumn, row: ListRow): Html {
  if (column.kind === 'state') {
    return html`<td>${stateMark(row)}</td>`;
  }
  const text = cellText(column, row, account.timezone);
  if (column.name === 'name') {
    return html`<th scope="row"><a href="/ads/${account.id}/${list.resource}/${row.id}">${text}</a></th>`;
  }
  return html`<td${numeric(column)}>${text || words.nothing}</td>`;
}

function statusForm({ request, account }: AccountVisit, row: ListRow): Html {
  const found = switchOf(row, texts.campaign);
  if (!found) {
    const { review } = texts.review.names;
    return html`<a class="button" href="/ads/${account.id}${reviewPathOf(row)}" aria-label="${review} ${nameOfRow(row)}">${review}</a>`;
  }
  const { status, label } = found;
  const members = { ...request.formFields, id: row.id, entity_status: status };
  return html`<form method="post" id="${row.id}">${hiddenFields(members)}<button type="submit" aria-label="${label} ${nameOfRow(row)}">${label}</button></form>`;
}

/** Counts by state, and the sum of each budget by currency. */
async function totalsOf(visit: AccountVisit, list: StandingList): Promise<Html> {
  const rows = await allRows(visit, list);
  const states = Map.groupBy(rows, (row) => stateOfRow(row, texts).text);
  const counts = [...states].map(([text, those]) => html`<dt>${text}</dt><dd>${numberText(those.length)}</dd>`);
  const sums = list.columns
    .filter(({ name }) => SUMMED.includes(name))
    .flatMap(({ name, label }) => {
      const set = rows.filter((row) => row[name] !== null);
      return [...Map.groupBy(set, ({ currency }) => currency)].map(([currency, those]) => {
        const sum = those.reduce((all, row) => all + Number(row[name]), 0);
        return html`<dt>${label}</dt><dd>${moneyText(sum, currency)}</dd>`;
      });
    });
  return html`<section class="card"><h2>${words.totalsTitle}</h2><dl class="facts">${counts}${sums}</dl></section>`;
}

const SUMMED: readonly string[] = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'];

/** All rows of the list as CSV; amounts in units of the currency. */
async function csvOf(visit: AccountVisit, list: PlacedList): Promise<PageResponse> {
  const { account } = visit;
  const rows = await allRows(visit, { ...list, standings: await list.readStandings() });
  const cell = (column: ListColumn, row: ListRow): string | number => {
    if (column.kind === 'money') return row[column.name] === null ? '' : Number(row[column.name]) / 1e6;
    return column.kind === 'state' ? stateOfRow(row, texts).text : cellText(column, row, account.timezone);
  };
  const heads = ['id', ...list.columns.map(({ label }) => label), 'currency'];
  const lines = rows.map((row) => [row.id, ...list.columns.map((column) => cell(column, row)), row.currency]);
  return csvFile(list.words.title, `${list.resource}-${account.id}`, [heads, ...lines]);
}
