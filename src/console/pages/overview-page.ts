import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { selectField } from '../../markup/form-fields.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { csvText } from '../csv.ts';
import { timeText } from '../days.ts';
import { moneyText } from '../money.ts';
import { barChart } from '../parts/bar-chart.ts';
import { consolePage } from '../parts/console-document.ts';
import { type DailyNumbers, dailyNumbers, lastDays, summed, totalOf } from '../statistics.ts';
import { texts } from '../texts/texts.ts';
import type { Campaign } from './campaign-pages.ts';

const words = texts.results;
const DEFAULT_DAYS = 14;
const CAMPAIGNS_MAX = 200;

/** `/ads/:account_id`: what all campaigns delivered in the last days, as a chart, a table and CSV. */
export function overviewPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '', ['GET'], async (visit) => {
    const { request, account, call } = visit;
    const asked = request.parameter('days') ?? '';
    const count = asked in words.ranges ? Number(asked) : DEFAULT_DAYS;
    const days = lastDays(visit.now, account.timezone, count);
    const { reply } = await call('campaigns.list', { parameters: { count: CAMPAIGNS_MAX, sort_by: 'name-asc' } });
    const campaigns: readonly Campaign[] = reply.data ?? [];
    const numbers = await dailyNumbers(
      visit,
      'CAMPAIGN',
      campaigns.map(({ id }) => id),
      days,
    );
    const all = summed(numbers.values(), count);
    const currency = campaigns[0]?.currency ?? 'USD';
    if (request.parameter('format') === 'csv') return csvOf(visit, days, all);
    return consolePage(visit, {
      title: words.title,
      tab: '',
      content: html`<form class="filters" method="get">${selectField('days', words.range, Object.entries(words.ranges), String(count))}<button type="submit">${words.show}</button>
<a class="button" href="?days=${count}&format=csv">${words.csv}</a></form>
${totalOf(all.impressions) === 0 ? emptyOf(visit) : resultsOf(visit, { days, all, numbers, campaigns, currency })}
<p class="soft">${words.asOf(timeText(visit.now, account.timezone), account.timezone)}${deps.isSimulated(account.environment) ? ` ${words.simulated}` : ''}</p>`,
    });
  });
}

function emptyOf({ account }: AccountVisit): Html {
  return html`<div class="empty"><h2>${words.none}</h2><p>${words.noneAbout}</p><p><a class="button main" href="/ads/${account.id}/campaigns">${words.campaigns}</a></p></div>`;
}

interface Results {
  readonly days: readonly string[];
  readonly all: DailyNumbers;
  readonly numbers: ReadonlyMap<string, DailyNumbers>;
  readonly campaigns: readonly Campaign[];
  readonly currency: string;
}

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`);
const each = (spend: number, count: number, currency: string): string =>
  count === 0 ? '–' : moneyText(Math.round(spend / count), currency);

function resultsOf({ account }: AccountVisit, { days, all, numbers, campaigns, currency }: Results): Html {
  const spend = totalOf(all.spend);
  const impressions = totalOf(all.impressions);
  const cards: readonly (readonly [string, string])[] = [
    [words.spend, moneyText(spend, currency)],
    [words.impressions, impressions.toLocaleString('en')],
    [words.engagements, totalOf(all.engagements).toLocaleString('en')],
    [words.clicks, totalOf(all.clicks).toLocaleString('en')],
    [words.cpm, each(spend * 1000, impressions, currency)],
    [words.ctr, percent(totalOf(all.clicks), impressions)],
    [words.cpe, each(spend, totalOf(all.engagements), currency)],
  ];
  const best = all.spend.indexOf(Math.max(...all.spend));
  const chart = barChart({
    id: 'spend',
    title: words.chart(days[0]!, days.at(-1)!),
    about: words.chartText(moneyText(spend, currency), moneyText(all.spend[best]!, currency), days[best]!),
    bars: days.map((label, at) => ({ label, value: all.spend[at]!, text: moneyText(all.spend[at]!, currency) })),
  });
  const row = (name: Html | string, of: DailyNumbers, at?: number): Html => {
    const pick = (list: readonly number[]): number => (at === undefined ? totalOf(list) : list[at]!);
    const counts = [of.impressions, of.engagements, of.clicks, of.views].map(
      (list) => html`<td class="number">${pick(list).toLocaleString('en')}</td>`,
    );
    return html`<tr><th scope="row">${name}</th><td class="number">${moneyText(pick(of.spend), currency)}</td>${counts}</tr>`;
  };
  const heads = [words.spend, words.impressions, words.engagements, words.clicks, words.views].map(
    (name) => html`<th scope="col" class="number">${name}</th>`,
  );
  const table = (first: string, rows: readonly Html[]): Html =>
    html`<div class="scroll"><table><thead><tr><th scope="col">${first}</th>${heads}</tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div>`;
  const busy = campaigns.filter(({ id }) => totalOf(numbers.get(id)!.impressions) > 0);
  return html`<dl class="cards">${cards.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section class="card">${chart}</section>
<h2>${words.byCampaign}</h2>
${table(
  words.campaign,
  busy.map(({ id, name }) => row(html`<a href="/ads/${account.id}/campaigns/${id}">${name}</a>`, numbers.get(id)!)),
)}
<h2>${words.day}</h2>
${table(words.day, [...days.map((day, at) => row(day, all, at)), row(words.sum, all)])}`;
}

function csvOf({ account }: AccountVisit, days: readonly string[], all: DailyNumbers): PageResponse {
  const heads = [words.day, words.spend, words.impressions, words.engagements, words.clicks, words.views];
  const rows = days.map((day, at) => [
    day,
    all.spend[at]! / 1e6,
    ...[all.impressions, all.engagements, all.clicks, all.views].map((list) => list[at]!),
  ]);
  const name = `results-${account.id}-${days[0]}-${days.at(-1)}.csv`;
  return {
    status: 200,
    html: { title: words.title, content: html`<h1>${words.title}</h1>` },
    file: { name, type: 'text/csv', text: csvText([heads, ...rows]) },
  };
}
