import { type Html, html } from '../../base/html.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { ExplainedHour } from '../console-deps.ts';
import { timeText } from '../days.ts';
import { reasonsText } from '../lists/cell-text.ts';
import { moneyText } from '../money.ts';

const words = texts.breakdown;
const SHARES: ReadonlySet<string> = new Set(['win_rate', 'throttle']);

/** How the numbers of the last whole hour of a line item came about; '' where delivery is not simulated. */
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
        ? `${(value * 100).toFixed(1)} %`
        : Math.round(value).toLocaleString('en');
    return [html`<dt>${label}</dt><dd>${text}</dd>`];
  });
  const nothing =
    typeof reason === 'string' ? html`<p><strong>${words.nothing}.</strong> ${reasonsText([reason], texts)}.</p>` : '';
  return html`<details class="card"><summary>${words.why}</summary><p class="soft">${words.whyAbout(timeText(hour, account.timezone))}</p>
${nothing || html`<dl class="facts long">${rows}</dl>`}</details>`;
}
