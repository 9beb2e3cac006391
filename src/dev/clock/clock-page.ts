import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { alertBox } from '../../markup/boxes.ts';
import { toSentence } from '../../markup/form-fields.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import type { DevReply } from '../surface/call.ts';
import { definitions, type ToolPages } from '../surface/tool-pages.ts';

const words = texts.tools.clock;

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

/** The clock as a page; `wrong` is why a form was refused, and `by` what was entered in it. */
export function clockPage(
  pages: ToolPages,
  clock: ShownClock,
  { wrong, by = '', status }: { readonly wrong?: string; readonly by?: string; readonly status?: number } = {},
): DevReply {
  const { now, mode, status: state, until, next_due, failure } = clock;
  const going =
    state === 'advancing'
      ? html`<p class="notice" role="status">${words.advancing(timestampElement(until!))} <a href="/_dev/clock">${words.reload}</a></p>`
      : failure === undefined
        ? noHtml
        : html`<p class="alert">${words.failed(failure)}</p>`;
  const next = next_due ? words.nextAt(next_due.kind, timestampElement(next_due.at)) : words.nothing;
  return pages.render('clock', {
    ...(status !== undefined && { status }),
    title: words.title,
    content: html`<p>${words.about}</p>
${alertBox(wrong && toSentence(wrong))}
${going}
${definitions([
  [words.time, timestampElement(now)],
  [words.offset, offsetText(clock)],
  [words.mode, words.modes[mode]],
  [words.next, next],
])}
<section><h2>${words.advance}</h2>
<p class="soft">${words.advanceAbout('/_dev/snapshots')}</p>
<form method="post" action="${CLOCK_FORM}"><div class="buttons">
${joinHtml(
  Object.entries(words.steps).map(
    ([value, text]) => html`<button type="submit" name="step" value="${value}">${text}</button>`,
  ),
  '\n',
)}
</div></form>
<form method="post" action="${CLOCK_FORM}">
<div class="field"><label for="by">${words.by}</label>
<p class="hint" id="by-hint">${words.byHint}</p>
<input id="by" name="by" value="${by}" required spellcheck="false" autocomplete="off" aria-describedby="by-hint"${wrong === undefined ? noHtml : html` aria-invalid="true"`}></div>
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>
<form method="post" action="${CLOCK_FORM}"><div class="buttons">
${modeButton(mode)}
</div></form></section>`,
  });
}

function modeButton(mode: ShownClock['mode']): Html {
  return mode === 'frozen'
    ? html`<button type="submit" name="mode" value="running">${words.run}</button>`
    : html`<button type="submit" name="mode" value="frozen">${words.freeze}</button>`;
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function offsetText({ offset_s }: ShownClock): string {
  if (offset_s === 0) return words.none;
  const size = Math.abs(offset_s);
  const [length, unit] = UNITS.find(([each]) => size >= each)!;
  return words.offsetText(Math.round(size / length), unit, offset_s > 0);
}
