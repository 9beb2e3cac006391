import { type Html, html } from '../../base/html.ts';
import type { PageRequest } from '../../contract/declare/pages.ts';
import { hiddenFields, noticeBox } from '../../markup/boxes.ts';
import { type FormField, formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { microsOf, moneyText } from '../money.ts';
import type { Problems } from './form-problems.ts';

/** A field of a campaign or line item form. */
export interface EntityField {
  /** The parameter of the operation. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'money' | 'day' | 'choice' | 'number';
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly isRequired?: boolean;
}

/** Renders the fields of a form with their values and problems. */
export function entityFields(
  fields: readonly EntityField[],
  values: Readonly<Record<string, string>>,
  problems: Problems,
): Html[] {
  return fields.map(({ name, label, hint = '', kind, options = [], isRequired = false }) => {
    const error = problems.get(name);
    const value = values[name] ?? '';
    if (kind === 'choice') return selectField(name, label, options, value, { hint, error });
    const required = isRequired ? html` required` : '';
    const attributes =
      kind === 'money'
        ? html`inputmode="decimal" autocomplete="off"${required}`
        : kind === 'number'
          ? html`inputmode="numeric" autocomplete="off"${required}`
          : html`maxlength="255"${required}`;
    return formField({ member: name, label, hint, type: kind === 'day' ? 'date' : 'text', attributes }, value, error);
  });
}

/** The trimmed value of a parameter; '' if absent. */
export function textIn({ parameter }: Pick<PageRequest, 'parameter'>, name: string): string {
  return parameter(name)?.trim() ?? '';
}

/** The submitted value of each field. */
export function readFields(fields: readonly EntityField[], request: PageRequest): Record<string, string> {
  return Object.fromEntries(fields.map(({ name }) => [name, textIn(request, name)]));
}

/** Reads the values of a submitted form as typed. */
export function readTyped({ method, parameter }: PageRequest): (name: string) => string {
  return (name) => (method === 'POST' ? (parameter(name) ?? '') : '');
}

/** Builds the inputs of a form with values and problems. */
export function createInputs(textOf: (name: string) => string, problems: Problems) {
  return (member: string, label: string, attributes: Html, more: Pick<FormField, 'hint' | 'type'> = {}): Html =>
    formField({ member, label, attributes, ...more }, textOf(member), problems.get(member));
}

/** The notice after a redirect that a form was saved. */
export function savedNotice({ method, parameter }: PageRequest, name: string, text: string): Html {
  return noticeBox(method === 'GET' && parameter(name) ? text : undefined);
}

/** An amount as a field value, without the currency sign; '' for null. */
export function amountText(micros: number | null, currency: string): string {
  return micros === null ? '' : moneyText(micros, currency).replace(/[^\d.,]/g, '');
}

/** Parses an amount to micros; '' stays empty, invalid input becomes a problem. */
export function parseAmount(
  entered: Readonly<Record<string, string>>,
  name: string,
  currency: string,
  problems: Map<string, string>,
  message: string,
): string {
  const text = entered[name] ?? '';
  if (text === '') return '';
  const micros = microsOf(text, currency);
  if (micros === undefined) problems.set(name, message);
  return micros === undefined ? '' : String(micros);
}

/** A POST form with its CSRF token. */
export function postForm(request: PageRequest, act: string, content: Html | readonly Html[], label: string): Html {
  return html`<form method="post">${hiddenFields({ ...request.formFields, act })}
${content}
<div class="buttons"><button class="main" type="submit">${label}</button></div></form>`;
}

/** The Delete button of a page. */
export function removeForm({ formFields }: PageRequest): Html {
  return html`<form method="post">${hiddenFields({ ...formFields, act: 'remove' })}
<button type="submit" class="bad">${texts.frame.remove}</button></form>`;
}
