import { type Html, html, joinHtml } from '../../base/html.ts';
import type { DailyNumbers } from '../../contract/delivery/report.ts';
import { totalOf } from '../../contract/delivery/report.ts';
import { texts } from '../../texts/texts.ts';
import { moneyText } from '../money.ts';
import { barChart } from './bar-chart.ts';

const words = texts.results;

/** What is delivered, added up. */
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

const count = (number: number): string => number.toLocaleString('en');
const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`);
const each = (spend: number, number: number, currency: string): string =>
  number === 0 ? '–' : moneyText(Math.round(spend / number), currency);

/** The sums of some days and their prices, large; with those of the days before, how much each changed. */
export function resultCards(all: DailyNumbers, currency: string, before?: DailyNumbers): Html {
  const now = totalsOf(all);
  const then = before && totalsOf(before);
  const money = (micros: number): string => moneyText(Math.round(micros), currency);
  const cards: readonly (readonly [name: string, of: (totals: Totals) => number, text: (value: number) => string])[] = [
    [words.spend, ({ spend }) => spend, money],
    ...(['impressions', 'engagements', 'clicks'] as const).map(
      (name) => [words[name], (totals: Totals) => totals[name], count] as const,
    ),
    [words.cpm, ({ spend, impressions }) => (1000 * spend) / impressions, money],
    [words.ctr, ({ clicks, impressions }) => clicks / impressions, (part) => percent(part, 1)],
    [words.cpe, ({ spend, engagements }) => spend / engagements, money],
  ];
  const shown = cards.map(([name, of, text]) => {
    const value = of(now);
    const change = then && changeText(value, of(then));
    return html`<div><dt>${name}</dt><dd>${Number.isFinite(value) ? text(value) : '–'}${change === undefined ? '' : html`<small>${change}</small>`}</dd></div>`;
  });
  return html`<dl class="cards">${shown}</dl>`;
}

function changeText(now: number, before: number): string {
  // A price of nothing is none.
  if (!Number.isFinite(now)) return Number.isFinite(before) ? words.nothingNow : words.asBefore;
  if (!Number.isFinite(before)) return words.nothingBefore;
  if (before === 0) return now === 0 ? words.asBefore : words.nothingBefore;
  const change = (100 * (now - before)) / before;
  if (Math.abs(change) < 0.05) return words.asBefore;
  return change > 0 ? words.more(change.toFixed(1)) : words.less((-change).toFixed(1));
}

/** Spend, impressions and engagements by day, a chart each. */
export function dailyCharts(days: readonly string[], all: DailyNumbers, currency: string): Html {
  const charts = (['spend', 'impressions', 'engagements'] as const).map((name) => {
    const numbers = all[name];
    const text = (value: number): string => (name === 'spend' ? moneyText(value, currency) : count(value));
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

/** A row of results: of one day, or of all. */
export interface ResultRow {
  readonly name: Html | string;
  readonly of: DailyNumbers;
  /** Which day; all by default. */
  readonly at?: number;
}

/** A table of results; what they have in common is in the first column. */
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
  const shown = rows.map(({ name, of, at }) => {
    const pick = (list: readonly number[]): number => (at === undefined ? totalOf(list) : list[at]!);
    const [spend, clicks, impressions] = [pick(of.spend), pick(of.clicks), pick(of.impressions)];
    const cells = [
      moneyText(spend, currency),
      ...[of.impressions, of.engagements, of.clicks, of.views].map((list) => count(pick(list))),
      percent(clicks, impressions),
      each(spend, clicks, currency),
    ];
    return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`;
  });
  // It may be wider than the screen: keys scroll it too.
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${first}"><table><thead><tr><th scope="col">${first}</th>${heads}</tr></thead><tbody>
${joinHtml(shown, '\n')}
</tbody></table></div>`;
}
