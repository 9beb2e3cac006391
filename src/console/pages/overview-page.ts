import { type Html, html } from '../../base/html.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { csvText } from '../csv.ts';
import { timeText } from '../days.ts';
import { consolePage } from '../parts/console-document.ts';
import { dailyCharts, resultCards, resultTable } from '../parts/result-tables.ts';
import { bodyOf } from '../refused-call.ts';
import { type DailyNumbers, dailyNumbers, lastDays, summed, totalOf } from '../statistics.ts';
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
    const campaigns: readonly Campaign[] = bodyOf(
      await call('campaigns.list', { parameters: { count: CAMPAIGNS_MAX, sort_by: 'name-asc' } }),
    ).data;
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

function resultsOf({ account }: AccountVisit, { days, all, numbers, campaigns, currency }: Results): Html {
  const busy = campaigns.filter(({ id }) => totalOf(numbers.get(id)!.impressions) > 0);
  const rows = busy.map(({ id, name }) => ({
    name: html`<a href="/ads/${account.id}/campaigns/${id}">${name}</a>`,
    of: numbers.get(id)!,
  }));
  return html`${resultCards(all, currency)}
${dailyCharts(days, all, currency)}
<h2>${words.byCampaign}</h2>
${resultTable(words.campaign, rows, currency)}
<h2>${words.byDay}</h2>
${resultTable(words.day, [...days.map((name, at) => ({ name, of: all, at })), { name: words.sum, of: all }], currency)}`;
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
