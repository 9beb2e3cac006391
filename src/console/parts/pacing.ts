import { type Html, html } from '../../base/html.ts';
import { numberText, percentText } from '../../base/language.ts';
import { addDays, localDateAt, startOfDay } from '../../base/zones.ts';
import { type ReportScope, totalOf } from '../../contract/delivery/report.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { ConsoleDeps, ExplainedHour } from '../console-deps.ts';
import { timeText } from '../days.ts';
import { reasonsText } from '../lists/cell-text.ts';
import { moneyText } from '../money.ts';

const words = texts.breakdown;
/** Maximum deviation of spend from even pacing that counts as on track. */
const TOLERANCE = 0.1;

/** Today's spend against the daily budget and the elapsed share of the day, with the reasons if it is behind. */
export async function pacingSection(
  { now, account }: AccountVisit,
  { readReport }: Pick<ConsoleDeps, 'readReport'>,
  of: ReportScope & {
    readonly daily_budget_local_micro: number;
    readonly currency: string;
    /** Why it shows no ads now, and why it showed none in the last full hour. */
    readonly reasons: readonly string[];
    readonly lastReason: string | undefined;
  },
): Promise<Html> {
  const { daily_budget_local_micro: budget, currency, reasons, lastReason } = of;
  const today = localDateAt(Date.parse(now), account.timezone);
  const [found] = await readReport(account, { ...of, days: [today] });
  const spent = totalOf(found?.totals.spend ?? []);
  const start_ms = Date.parse(startOfDay(today, account.timezone));
  // A day may have 23 or 25 hours.
  const length_ms = Date.parse(startOfDay(addDays(today, 1), account.timezone)) - start_ms;
  const passed = (Date.parse(now) - start_ms) / length_ms;
  const lead = spent / budget - passed;
  const behind = `${words.behind}${lastReason === undefined ? '' : ` ${words.lastHour(reasonsText([lastReason], texts))}`}`;
  const pace = lead > TOLERANCE ? words.ahead : lead < -TOLERANCE ? behind : words.even;
  const judgement = reasons.length === 0 ? pace : words.showsNothing(reasonsText(reasons, texts));
  const percent = percentText(passed, 0);
  return html`<section class="card"><h2>${words.pacing}</h2>
<meter min="0" max="${budget}" value="${Math.min(spent, budget)}" aria-label="${words.pacingMark}"></meter>
<p>${words.pacingText(moneyText(spent, currency), moneyText(budget, currency), percent)} ${judgement}</p></section>`;
}

const SHARES: ReadonlySet<string> = new Set(['win_rate', 'throttle']);

/** Explains the metrics of a line item's last full hour; '' unless delivery is simulated. */
export function whySection(
  { account }: AccountVisit,
  explained: ExplainedHour | undefined,
  currency: string,
): Html | string {
  if (!explained) return '';
  const { hour, chain } = explained;
  const reason = chain.reason_for_nothing;
  const rows = Object.entries(words.chain).flatMap(([name, label]) => {
    const value = chain[name];
    if (typeof value !== 'number') return [];
    const text = name.endsWith('_local_micro')
      ? moneyText(Math.round(value), currency)
      : SHARES.has(name)
        ? percentText(value, 1)
        : numberText(Math.round(value));
    return [html`<dt>${label}</dt><dd>${text}</dd>`];
  });
  const nothing =
    typeof reason === 'string' ? html`<p><strong>${words.nothing}.</strong> ${reasonsText([reason], texts)}.</p>` : '';
  return html`<details class="card"><summary>${words.why}</summary><p class="soft">${words.whyAbout(timeText(hour, account.timezone))}</p>
${nothing || html`<dl class="facts long">${rows}</dl>`}</details>`;
}
