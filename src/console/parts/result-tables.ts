import { type Html, html, joinHtml } from '../../base/html.ts';
import { numberText, percentText } from '../../base/language.ts';
import { type Role, STATS_READERS } from '../../contract/declare/roles.ts';
import { type DailyNumbers, totalOf } from '../../contract/delivery/report.ts';
import { barChart } from '../../markup/bar-chart.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { timeText } from '../days.ts';
import { moneyText } from '../money.ts';
import { RefusedCall } from '../refused-call.ts';

const words = texts.results;

/** Sums of delivery metrics. */
interface Totals {
  readonly spend: number;
  readonly impressions: number;
  readonly engagements: number;
  readonly clicks: number;
}

const totalsOf = ({ spend, impressions, engagements, clicks }: DailyNumbers): Totals => ({
  spend: totalOf(spend),
  impressions: totalOf(impressions),
  engagements: totalOf(engagements),
  clicks: totalOf(clicks),
});

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : percentText(part / whole, 2));
const each = (spend: number, number: number, currency: string): string =>
  number === 0 ? '–' : moneyText(Math.round(spend / number), currency);

/** Cards with the totals of a period and their rates, and the change from the period before. */
export function resultCards(all: DailyNumbers, currency: string, before?: DailyNumbers): Html {
  const now = totalsOf(all);
  const then = before && totalsOf(before);
  const money = (micros: number): string => moneyText(Math.round(micros), currency);
  const cards: readonly (readonly [name: string, of: (totals: Totals) => number, text: (value: number) => string])[] = [
    [words.spend, ({ spend }) => spend, money],
    ...(['impressions', 'engagements', 'clicks'] as const).map(
      (name) => [words[name], (totals: Totals) => totals[name], numberText] as const,
    ),
    [words.cpm, ({ spend, impressions }) => (1000 * spend) / impressions, money],
    [words.ctr, ({ clicks, impressions }) => clicks / impressions, (part) => percent(part, 1)],
    [words.cpe, ({ spend, engagements }) => spend / engagements, money],
  ];
  const items = cards.map(([name, of, text]) => {
    const value = of(now);
    const change = then && changeText(value, of(then));
    return html`<div><dt>${name}</dt><dd>${Number.isFinite(value) ? text(value) : '–'}${change === undefined ? '' : html`<small>${change}</small>`}</dd></div>`;
  });
  return html`<dl class="cards">${items}</dl>`;
}

function changeText(now: number, before: number): string {
  // A rate over zero units is undefined.
  if (!Number.isFinite(now)) return Number.isFinite(before) ? words.nothingNow : words.asBefore;
  if (!Number.isFinite(before)) return words.nothingBefore;
  if (before === 0) return now === 0 ? words.asBefore : words.nothingBefore;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.0005) return words.asBefore;
  return change > 0 ? words.more(percentText(change, 1)) : words.less(percentText(-change, 1));
}

/** The note about the time of the metrics on a page, and whether they are simulated. */
export function asOf({ now, account }: AccountVisit, { isSimulated }: Pick<ConsoleDeps, 'isSimulated'>): Html {
  const simulated = isSimulated(account.environment) ? ` ${words.simulated}` : '';
  return html`<p class="soft">${words.asOf(timeText(now, account.timezone), account.timezone)}${simulated}</p>`;
}

/** Charts of spend, impressions and engagements by day. */
export function dailyCharts(days: readonly string[], all: DailyNumbers, currency: string): Html {
  const charts = (['spend', 'impressions', 'engagements'] as const).map((name) => {
    const numbers = all[name];
    const text = (value: number): string => (name === 'spend' ? moneyText(value, currency) : numberText(value));
    const best = numbers.indexOf(Math.max(...numbers));
    return html`<section class="card">${barChart({
      id: `${name}-${currency}`,
      title: words.chart(words[name], days[0]!, days.at(-1)!),
      about: words.chartText(text(totalOf(numbers)), text(numbers[best]!), days[best]!),
      bars: days.map((label, at) => ({ label, value: numbers[at]!, text: text(numbers[at]!) })),
    })}</section>`;
  });
  return html`<div class="charts">${joinHtml(charts, '\n')}</div>`;
}

/** A row of results. */
export interface ResultRow {
  readonly name: Html | string;
  readonly of: DailyNumbers;
  /** The index of the day; all days by default. */
  readonly at?: number;
}

/** A table of results, named in the first column. */
export function resultTable(first: string, rows: readonly ResultRow[], currency: string): Html {
  const heads = [
    words.spend,
    words.impressions,
    words.engagements,
    words.clicks,
    words.views,
    words.ctr,
    words.cpc,
  ].map((name) => html`<th scope="col" class="number">${name}</th>`);
  const lines = rows.map(({ name, of, at }) => {
    const pick = (list: readonly number[]): number => (at === undefined ? totalOf(list) : list[at]!);
    const [spend, clicks, impressions] = [pick(of.spend), pick(of.clicks), pick(of.impressions)];
    const cells = [
      moneyText(spend, currency),
      ...[of.impressions, of.engagements, of.clicks, of.views].map((list) => numberText(pick(list))),
      percent(clicks, impressions),
      each(spend, clicks, currency),
    ];
    return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`;
  });
  // Focusable, so that a wide table can be scrolled by keyboard.
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${first}"><table><thead><tr><th scope="col">${first}</th>${heads}</tr></thead><tbody>
${joinHtml(lines, '\n')}
</tbody></table></div>`;
}

/** Refuses users without permission to read statistics, as the API does. @throws RefusedCall */
export function requireReader({ permissions }: Pick<AccountVisit, 'permissions'>): void {
  if (permissions.some((each) => STATS_READERS.includes(each as Role))) return;
  throw new RefusedCall({ status: 403, refusals: [{ problem: 'ACTION_NOT_ALLOWED' }] });
}

/** Sums rows by day. */
export function sumByDay(rows: readonly DailyNumbers[]): DailyNumbers {
  const [first] = rows;
  const of = (name: keyof DailyNumbers): number[] =>
    (first?.[name] ?? []).map((_, at) => totalOf(rows.map((row) => row[name][at]!)));
  return {
    spend: of('spend'),
    impressions: of('impressions'),
    engagements: of('engagements'),
    clicks: of('clicks'),
    views: of('views'),
  };
}
