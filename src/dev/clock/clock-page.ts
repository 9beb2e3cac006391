import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { AS_TYPED, formField } from '../../markup/form-fields.ts';
import { definitionList } from '../../markup/tables.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import type { DevReply } from '../surface/call.ts';
import { formPath, type RefusedForm, refusalBox, type ToolPages } from '../surface/tool-pages.ts';

const words = texts.tools.clock;

/** The reply of `GET /_dev/clock`. */
export interface ClockReply {
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  readonly offset_s: number;
  readonly status: 'ready' | 'advancing' | 'failed';
  readonly until: string | null;
  readonly steps_done: number;
  readonly next_due: { readonly kind: string; readonly at: string } | null;
  readonly failure?: string;
}

const FORM = formPath('clock');

/** Renders the page of the clock. */
export function clockPage(pages: ToolPages, clock: ClockReply, refused?: RefusedForm): DevReply {
  const { now, mode, status, until, next_due, failure } = clock;
  const progress =
    status === 'advancing'
      ? html`<p class="notice" role="status">${words.advancing(timestampElement(until!))} <a href="/_dev/clock">${words.reload}</a></p>`
      : failure === undefined
        ? noHtml
        : html`<p class="alert">${words.failed(failure)}</p>`;
  const next = next_due ? words.nextAt(next_due.kind, timestampElement(next_due.at)) : words.nothing;
  return pages.render('clock', {
    status: refused?.error.status,
    title: words.title,
    content: html`<p>${words.about}</p>
${refusalBox(refused)}
${progress}
${definitionList([
  [words.time, timestampElement(now)],
  [words.offset, offsetText(clock)],
  [words.mode, words.modes[mode]],
  [words.next, next],
])}
<section><h2>${words.advance}</h2>
<p class="soft">${words.advanceAbout('/_dev/snapshots')}</p>
<form method="post" action="${FORM}"><div class="buttons">
${joinHtml(
  Object.entries(words.steps).map(
    ([value, text]) => html`<button type="submit" name="step" value="${value}">${text}</button>`,
  ),
  '\n',
)}
</div></form>
<form method="post" action="${FORM}">
${formField({ member: 'by', label: words.by, hint: words.byHint, attributes: html`required ${AS_TYPED}` }, durationIn(refused?.form), refused?.error.message)}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>
<form method="post" action="${FORM}"><div class="buttons">
${modeButton(mode)}
</div></form></section>`,
  });
}

/** The duration in a form that advances the clock; undefined in a form that sets the mode. */
export function durationIn(form: URLSearchParams | undefined): string | undefined {
  return form?.get('step') ?? form?.get('by') ?? undefined;
}

function modeButton(mode: ClockReply['mode']): Html {
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

function offsetText({ offset_s }: ClockReply): string {
  if (offset_s === 0) return words.none;
  const size = Math.abs(offset_s);
  const [length, unit] = UNITS.find(([each]) => size >= each)!;
  return words.offsetText(Math.round(size / length), unit, offset_s > 0);
}
