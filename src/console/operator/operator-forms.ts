import { type Html, html } from '../../base/html.ts';
import type { OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { REASON_MAX, reasonOf } from '../../contract/store/audit.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';

/** A form of one button, which does `act`. */
export function actButton(
  { formFields }: OperatorRequest,
  act: string,
  label: string,
  more: { readonly about?: string; readonly isBad?: boolean; readonly fields?: Readonly<Record<string, string>> } = {},
): Html {
  const { about, isBad = false, fields = {} } = more;
  const name = about === undefined ? '' : html` aria-label="${label} ${about}"`;
  return html`<form method="post">${hiddenFields({ ...formFields, act, ...fields })}<button type="submit"${isBad ? html` class="bad"` : ''}${name}>${label}</button></form>`;
}

/** What `act` is called, and a form of it that asks for a reason. */
export function reasonForm({ formFields }: OperatorRequest, act: string, label: string, about: string): Html {
  const { reason: title, reasonAbout: hint } = texts.operator.users;
  const attributes = html`required maxlength="${REASON_MAX}" autocomplete="off"`;
  return html`<details><summary>${label}</summary><form method="post">${hiddenFields({ ...formFields, act })}${formField({ member: `${act}-reason`, name: 'reason', label: title, hint, attributes }, '', undefined)}
<div class="buttons"><button type="submit" class="bad" aria-label="${label} ${about}">${label}</button></div></form></details>`;
}

/** The reason that was entered; undefined for what is none. */
export function enteredReason(request: OperatorRequest): string | undefined {
  return reasonOf(request.parameter('reason') ?? '');
}

/** A page with its heading. */
export function operatorPage(
  title: string,
  content: Html,
  status = 200,
  actions: Html | string = '',
): OperatorResponse {
  return { status, html: { title, content: html`<div class="heading"><h1>${title}</h1>${actions}</div>\n${content}` } };
}

/** Leads to another page after something was done; the path is below `/operator`. */
export function done(location: string): OperatorResponse {
  return { ...operatorPage(texts.site.done, html``, 303), location };
}
