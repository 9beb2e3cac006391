import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { alertBox, hiddenFields } from '../../markup/boxes.ts';
import type { DevReply } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import type { ShownRule } from './rules.ts';

/** Where the forms of the page go. */
export const FAULTS_FORM = '/_dev/forms/faults';

/** Faults that can be chosen by name, and what each adds to a rule. */
export const CHOICES: Readonly<Record<string, readonly [text: string, rule: object]>> = {
  unavailable: ['The service is over capacity (503)', { do: { reply: { status: 503, retry_after_s: 2 } } }],
  rate_limited: ['The rate limit is reached (429)', { do: { rate_limited: { retry_after_s: 60 } } }],
  late: ['The reply comes two seconds late', { do: { delay: { ms: 2000 } } }],
  reset: ['The connection breaks before anything is done', { do: { reset: true } }],
  lost: ['The call is done, and its reply is lost', { when: 'after', do: { reset: true } }],
  malformed: ['The reply is not JSON', { do: { malformed: true } }],
  cut: ['Half of the reply is missing', { do: { truncate: { fraction: 0.5 } } }],
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
  const options = Object.entries(CHOICES).map(
    ([name, [text]]) => html`<option value="${name}"${name === kind ? html` selected` : noHtml}>${text}</option>`,
  );
  return pages.render('faults', {
    ...(refused && { status: refused.status }),
    title: 'Faults',
    content: html`<p>What goes wrong on purpose, so that you see how your program copes. A reply that a fault touched has the header
<code>x-barker-fault</code>.</p>
${alertBox(refused?.wrong)}
<section><h2>${rules.length === 0 ? 'No faults' : rules.length === 1 ? 'One fault' : `${rules.length} faults`}</h2>
${rules.length === 0 ? noHtml : html`<ul class="deliveries">${joinHtml(rules.map(item), '\n')}</ul>`}
</section>
<section><h2>Add one</h2>
<form method="post" action="${FAULTS_FORM}">
<div class="field"><label for="kind">What happens</label>
<select id="kind" name="kind">${options}</select></div>
<div class="field"><label for="operation">To which calls</label>
<p class="hint" id="operation-hint">An operation such as campaigns.create, or campaigns.*; empty for all.</p>
<input id="operation" name="operation" value="${operation}" spellcheck="false" autocomplete="off" aria-describedby="operation-hint"></div>
<div class="field"><label for="times">How many times</label>
<p class="hint" id="times-hint">Empty for always.</p>
<input id="times" name="times" value="${times}" inputmode="numeric" autocomplete="off" aria-describedby="times-hint"></div>
<div class="buttons"><button class="main" type="submit">Add the fault</button></div>
</form>
<details${json === '' ? noHtml : html` open`}><summary>As JSON</summary>
<form method="post" action="${FAULTS_FORM}">
<div class="field"><label for="json">Fault</label>
<p class="hint" id="json-hint">As POST /_dev/faults takes it.</p>
<textarea id="json" name="json" rows="5" required spellcheck="false" autocomplete="off" aria-describedby="json-hint">${json}</textarea></div>
<div class="buttons"><button type="submit">Add this fault</button></div>
</form></details></section>`,
  });
}

function item({ id, match, when, hits, left, do: actions }: ShownRule): Html {
  const met = Object.entries(match).flatMap(([name, value]) => (value === undefined ? [] : `${name} ${textOf(value)}`));
  const done = Object.entries(actions).flatMap(([name, value]) => (value === undefined ? [] : nameOf(name, value)));
  return html`<li><div><p><strong>${done.join(', ')}</strong>${when === 'after' ? ', after the call is done' : ''}</p>
<p class="soft">${met.length === 0 ? 'All calls' : met.join(', ')}<br>
${hits === 1 ? 'Used once' : `Used ${hits} times`}${left === null ? '' : `, ${left} left`}</p></div>
<form method="post" action="${FAULTS_FORM}">${hiddenFields({ remove: id })}
<button type="submit" aria-label="Remove fault ${id}">Remove</button></form></li>`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const nameOf = (name: string, value: unknown): string =>
  value === true ? name : `${name} ${JSON.stringify(value).replaceAll(/["{}]/g, '').replaceAll(',', ', ')}`;
