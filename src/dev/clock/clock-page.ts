import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { alertBox } from '../../markup/boxes.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import type { DevReply } from '../surface/call.ts';
import { definitions, type ToolPages } from '../surface/tool-pages.ts';

/** What the clock shows, as `GET /_dev/clock` replies. */
export interface ShownClock {
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  readonly offset_s: number;
  readonly status: 'ready' | 'advancing' | 'failed';
  readonly until: string | null;
  readonly steps_done: number;
  readonly next_due: { readonly kind: string; readonly at: string } | null;
  readonly failure?: string;
}

/** Where the forms of the page go. */
export const CLOCK_FORM = '/_dev/forms/clock';

const STEPS = [
  ['PT1H', 'An hour'],
  ['P1D', 'A day'],
  ['P7D', 'A week'],
] as const;

/** The clock as a page; `wrong` is why a form was refused, and `by` what was entered in it. */
export function clockPage(
  pages: ToolPages,
  clock: ShownClock,
  { wrong, by = '', status }: { readonly wrong?: string; readonly by?: string; readonly status?: number } = {},
): DevReply {
  const { now, mode, status: state, until, next_due, failure } = clock;
  const going =
    state === 'advancing'
      ? html`<p class="notice" role="status">It is on its way to ${timestampElement(until!)}. <a href="/_dev/clock">Look again</a></p>`
      : failure === undefined
        ? noHtml
        : html`<p class="alert">The last advance failed: ${failure}</p>`;
  const next = next_due ? html`${next_due.kind} at ${timestampElement(next_due.at)}` : 'Nothing';
  return pages.render('clock', {
    ...(status !== undefined && { status }),
    title: 'Clock',
    content: html`<p>The time by which campaigns run, ads are delivered, posts are published and tokens expire. Signatures and rate windows go by
the clock of the machine.</p>
${alertBox(wrong)}
${going}
${definitions([
  ['Time', timestampElement(now)],
  ['Beside the machine', offsetText(clock)],
  ['Mode', mode === 'frozen' ? 'It stands still' : 'It runs'],
  ['Next work', next],
])}
<section><h2>Move it forward</h2>
<p class="soft">Everything that is due on the way is done at its time. It never goes back: restore a <a href="/_dev/snapshots">snapshot</a> for that.</p>
<form method="post" action="${CLOCK_FORM}"><div class="buttons">
${joinHtml(
  STEPS.map(([value, text]) => html`<button type="submit" name="step" value="${value}">${text}</button>`),
  '\n',
)}
</div></form>
<form method="post" action="${CLOCK_FORM}">
<div class="field"><label for="by">By</label>
<p class="hint" id="by-hint">A duration such as P14D, PT30M or P1DT2H.</p>
<input id="by" name="by" value="${by}" required spellcheck="false" autocomplete="off" aria-describedby="by-hint"${wrong === undefined ? noHtml : html` aria-invalid="true"`}></div>
<div class="buttons"><button class="main" type="submit">Move</button></div>
</form>
<form method="post" action="${CLOCK_FORM}"><div class="buttons">
${modeButton(mode)}
</div></form></section>`,
  });
}

function modeButton(mode: ShownClock['mode']): Html {
  return mode === 'frozen'
    ? html`<button type="submit" name="mode" value="running">Let it run</button>`
    : html`<button type="submit" name="mode" value="frozen">Stop it</button>`;
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function offsetText({ offset_s }: ShownClock): string {
  if (offset_s === 0) return 'They show the same';
  const size = Math.abs(offset_s);
  const [length, unit] = UNITS.find(([each]) => size >= each)!;
  const count = Math.round(size / length);
  return `${count} ${unit}${count === 1 ? '' : 's'} ${offset_s > 0 ? 'ahead' : 'behind'}`;
}
