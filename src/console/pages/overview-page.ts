import { type Html, html, joinHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import type { CurrencyReport } from '../../contract/delivery/report.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage, createButton } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { lastDays } from '../days.ts';
import { consolePage, csvFile } from '../parts/console-document.ts';
import { asOf, dailyCharts, requireReader, resultCards, resultTable } from '../parts/result-tables.ts';

const words = texts.results;
const DEFAULT_DAYS = 14;
const CAMPAIGNS_MAX = 100;

/** `/ads/:account_id`: recent delivery of the account as a chart, a table and CSV. */
export function overviewPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '', ['GET'], async (visit) => {
    requireReader(visit);
    const { request, account } = visit;
    const range = request.parameter('days') ?? '';
    const count = range in words.ranges ? Number(range) : DEFAULT_DAYS;
    const days = lastDays(visit.now, account.timezone, count);
    const found = await deps.readReport(account, { days, level: 'campaigns', rows_max: CAMPAIGNS_MAX });
    if (request.parameter('format') === 'csv') return csvOf(visit, days, found);
    return consolePage(visit, {
      title: words.title,
      actions: createButton(visit, 'campaigns/new', texts.campaigns.create),
      content: html`<form class="filters" method="get">${selectField('days', words.range, Object.entries(words.ranges), String(count))}<button type="submit">${words.show}</button>
<a class="button" href="?days=${count}&format=csv">${words.csv}</a></form>
${
  found.length === 0
    ? html`<div class="empty"><h2>${words.none}</h2><p>${words.noneAbout}</p></div>`
    : joinHtml(
        found.map((each) => resultsOf(visit, days, each, found.length > 1)),
        '\n',
      )
}
${asOf(visit, deps)}`,
    });
  });
}

function resultsOf(
  { account }: AccountVisit,
  days: readonly string[],
  { currency, totals: all, rows, rowCount }: CurrencyReport,
  isOneOfSeveral: boolean,
): Html {
  const campaigns = rows.map(({ id, name, numbers }) => ({
    name: html`<a href="/ads/${account.id}/campaigns/${id}">${name ?? id}</a>`,
    of: numbers,
  }));
  return html`${isOneOfSeveral ? html`<h2>${words.inCurrency(currency)}</h2>` : ''}
${resultCards(all, currency)}
${dailyCharts(days, all, currency)}
<h2>${words.byCampaign}</h2>
${resultTable(words.campaign, campaigns, currency)}${rowCount > rows.length ? html`<p class="soft">${words.onlyFirst(rows.length, numberText(rowCount))}</p>` : ''}
<h2>${words.byDay}</h2>
${resultTable(words.day, [...days.map((name, at) => ({ name, of: all, at })), { name: words.sum, of: all }], currency)}`;
}

function csvOf({ account }: AccountVisit, days: readonly string[], found: readonly CurrencyReport[]): PageResponse {
  const metrics = [words.spend, words.impressions, words.engagements, words.clicks, words.views];
  const rows = found.flatMap(({ currency, totals: { spend, impressions, engagements, clicks, views } }) =>
    days.map((day, at) => [
      ...[day, currency, spend[at]! / 1e6],
      ...[impressions, engagements, clicks, views].map((list) => list[at]!),
    ]),
  );
  const name = `results-${account.id}-${days[0]}-${days.at(-1)}`;
  return csvFile(words.title, name, [[words.day, words.currency, ...metrics], ...rows]);
}
