import { type Html, html, noHtml } from '../../base/html.ts';
import { OPERATOR_ACTS, type OperatorAct } from '../../contract/declare/operator-acts.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { REASON_MAX } from '../../contract/store/audit.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';

/** A form that performs `act`; it asks for a reason if the act requires one. */
export function actForm({ formFields }: OperatorRequest, act: OperatorAct, fields: Html, label: string): Html {
  return html`<form method="post">${hiddenFields({ ...formFields, act: memberOf(act) })}${fields}${reasonField(act, act)}<div class="buttons"><button type="submit">${label}</button></div></form>`;
}

/** A button that performs `act` on the object named `about`; a collapsed form if the act requires a reason. */
export function actButton(
  { formFields }: OperatorRequest,
  act: OperatorAct,
  label: string,
  { about, fields = {} }: { readonly about: string; readonly fields?: Readonly<Record<string, string>> },
): Html {
  const { needsReason } = OPERATOR_ACTS[act];
  const hidden = hiddenFields({ ...formFields, act: memberOf(act), ...fields });
  const button = html`<button type="submit"${needsReason ? html` class="bad"` : ''} aria-label="${label} ${about}">${label}</button>`;
  if (!needsReason) return html`<form method="post">${hidden}${button}</form>`;
  const reason = reasonField(act, [act, ...Object.values(fields)].join(' '));
  return html`<details><summary>${label}</summary><form method="post">${hidden}${reason}<div class="buttons">${button}</div></form></details>`;
}

/** The value of the form field `act`. */
const memberOf = (act: OperatorAct): string => act.split(' ')[1]!;

/** The reason field of an act that requires one; `of` makes its id unique on the page. */
function reasonField(act: OperatorAct, of: string): Html {
  if (!OPERATOR_ACTS[act].needsReason) return noHtml;
  const { reason: label, reasonAbout: hint } = texts.operator;
  const attributes = html`required maxlength="${REASON_MAX}" autocomplete="off"`;
  const member = `${of.replaceAll(' ', '-')}-reason`;
  return formField({ member, name: 'reason', label, hint, attributes });
}

/** A page with a handler for GET and one for POST. */
export function formPage(path: string, show: OperatorPage['answer'], change: OperatorPage['answer']): OperatorPage {
  return {
    path,
    methods: ['GET', 'POST'],
    answer: (request) => (request.method === 'GET' ? show(request) : change(request)),
  };
}

/** The 404 page of an object, with a link to the list. */
export function unknownPage(
  path: string,
  words: { readonly unknown: string; readonly title: string },
): OperatorResponse {
  return operatorPage(words.unknown, html`<p><a href="/operator${path}">${words.title}</a></p>`, 404);
}

/** The link to the next page of a list; empty on the last. */
export function nextLink(query: string | undefined): Html {
  return query ? html`<p><a href="?${query}">${texts.operator.users.next}</a></p>` : noHtml;
}

/** Renders a page with its heading. */
export function operatorPage(
  title: string,
  content: Html,
  status = 200,
  actions: Html | string = '',
): OperatorResponse {
  return { status, html: { title, content: html`<div class="heading"><h1>${title}</h1>${actions}</div>\n${content}` } };
}

/** Redirects after a change; the path is relative to `/operator`. */
export function done(location: string): OperatorResponse {
  return { ...operatorPage(texts.site.done, html``, 303), location };
}
