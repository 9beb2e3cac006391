import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import { toSentence } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import type { DevReply } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import type { ShownRule } from './rules.ts';

const words = texts.tools.faults;

/** Where the forms of the page go. */
export const FAULTS_FORM = '/_dev/forms/faults';

/** Faults that can be chosen by name, and what each adds to a rule. */
export const CHOICES: Readonly<Record<keyof typeof words.kinds, object>> = {
  unavailable: { do: { reply: { status: 503, retry_after_s: 2 } } },
  rate_limited: { do: { rate_limited: { retry_after_s: 60 } } },
  late: { do: { delay: { ms: 2000 } } },
  reset: { do: { reset: true } },
  lost: { when: 'after', do: { reset: true } },
  malformed: { do: { malformed: true } },
  cut: { do: { truncate: { fraction: 0.5 } } },
};

/** What was entered in the form for a fault. */
export interface EnteredFault {
  readonly kind: string;
  readonly operation: string;
  readonly times: string;
  readonly json: string;
}

const NOTHING: EnteredFault = { kind: '', operation: '', times: '1', json: '' };

/** The faults as a page; `wrong` is why the form was refused. */
export function faultsPage(
  pages: ToolPages,
  rules: readonly ShownRule[],
  refused?: { readonly status: number; readonly wrong: string; readonly entered: EnteredFault },
): DevReply {
  const { kind, operation, times, json } = refused?.entered ?? NOTHING;
  const options = Object.entries(words.kinds).map(
    ([name, text]) => html`<option value="${name}"${name === kind ? html` selected` : noHtml}>${text}</option>`,
  );
  return pages.render('faults', {
    ...(refused && { status: refused.status }),
    title: words.title,
    content: html`<p>${words.about(html`<code>x-barker-fault</code>`)}</p>
${alertBox(refused && toSentence(refused.wrong))}
<section><h2>${words.count(rules.length)}</h2>
${rules.length === 0 ? noHtml : html`<ul class="deliveries">${joinHtml(rules.map(item), '\n')}</ul>`}
</section>
<section><h2>${words.add}</h2>
<form method="post" action="${FAULTS_FORM}">
<div class="field"><label for="kind">${words.kind}</label>
<select id="kind" name="kind">${options}</select></div>
<div class="field"><label for="operation">${words.operation}</label>
<p class="hint" id="operation-hint">${words.operationHint}</p>
<input id="operation" name="operation" value="${operation}" spellcheck="false" autocomplete="off" aria-describedby="operation-hint"></div>
<div class="field"><label for="times">${words.times}</label>
<p class="hint" id="times-hint">${words.timesHint}</p>
<input id="times" name="times" value="${times}" inputmode="numeric" autocomplete="off" aria-describedby="times-hint"></div>
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>
<details${json === '' ? noHtml : html` open`}><summary>${words.json}</summary>
<form method="post" action="${FAULTS_FORM}">
<div class="field"><label for="json">${words.fault}</label>
<p class="hint" id="json-hint">${words.faultHint}</p>
<textarea id="json" name="json" rows="5" required spellcheck="false" autocomplete="off" aria-describedby="json-hint">${json}</textarea></div>
<div class="buttons"><button type="submit">${words.jsonButton}</button></div>
</form></details></section>`,
  });
}

function item({ id, match, when, hits, left, do: actions }: ShownRule): Html {
  const met = Object.entries(match).flatMap(([name, value]) => (value === undefined ? [] : `${name} ${textOf(value)}`));
  const done = Object.entries(actions).flatMap(([name, value]) => (value === undefined ? [] : nameOf(name, value)));
  return html`<li><div><p><strong>${done.join(', ')}</strong>${when === 'after' ? words.after : ''}</p>
<p class="soft">${met.length === 0 ? words.all : met.join(', ')}<br>
${words.hits(hits)}${left === null ? '' : words.left(left)}</p></div>
<form method="post" action="${FAULTS_FORM}">${hiddenFields({ remove: id })}
<button type="submit" aria-label="${words.removeIt(id)}">${words.remove}</button></form></li>`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const nameOf = (name: string, value: unknown): string =>
  value === true ? name : `${name} ${JSON.stringify(value).replaceAll(/["{}]/g, '').replaceAll(',', ', ')}`;
