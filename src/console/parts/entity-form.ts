import { type Html, html } from '../../base/html.ts';
import type { PageRequest } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { microsOf, moneyText } from '../money.ts';
import type { Problems } from './form-problems.ts';

/** A field of a form about a campaign or a line item. */
export interface EntityField {
  /** The parameter of the operation. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'money' | 'day' | 'choice' | 'number';
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly isRequired?: boolean;
}

/** The fields of a form with what was entered, or what is stored, and the problems at each. */
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

/** What was entered into the fields, as text. */
export function enteredIn(fields: readonly EntityField[], { parameter }: PageRequest): Record<string, string> {
  return Object.fromEntries(fields.map(({ name }) => [name, parameter(name)?.trim() ?? '']));
}

/** An amount as it stands in a field, without a sign; '' for none. */
export function amountText(micros: number | null, currency: string): string {
  return micros === null ? '' : moneyText(micros, currency).replace(/[^\d.,]/g, '');
}

/** Micro units of an amount that was entered: '' stays empty, and what is no amount is kept as a problem. */
export function amountIn(
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

/** A form of a page with its token. */
export function postForm(request: PageRequest, act: string, content: Html | readonly Html[], label: string): Html {
  return html`<form method="post">${hiddenFields({ ...request.formFields, act })}
${content}
<div class="buttons"><button class="main" type="submit">${label}</button></div></form>`;
}

/** The button that deletes what a page is about. */
export function removeForm({ formFields }: PageRequest): Html {
  return html`<form method="post">${hiddenFields({ ...formFields, act: 'remove' })}
<button type="submit" class="bad">${texts.frame.remove}</button></form>`;
}
