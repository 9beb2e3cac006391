import { type Html, html, noHtml } from '../base/html.ts';

/** The validation errors of a form, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** One field of a form. */
export interface FormField {
  /** The id of the input, and its name unless `name` is set. */
  readonly member: string;
  readonly name?: string;
  readonly label: string;
  readonly hint?: string | Html;
  readonly type?: 'text' | 'password' | 'date' | 'url' | 'textarea';
  /** More attributes of the input. */
  readonly attributes: Html;
}

/** Attributes of a field whose text is taken as it is typed. */
export const AS_TYPED = html`spellcheck="false" autocomplete="off"`;

/** The list of errors above a form; each links to its field. */
export function errorSummary(heading: string, errors: FieldErrors): Html {
  const items = Object.entries(errors).map(
    ([member, error]) => html`<li><a href="#${member}">${toSentence(error)}</a></li>`,
  );
  if (items.length === 0) return noHtml;
  return html`<div class="alert" role="alert" tabindex="-1" autofocus><p>${heading}</p><ul>${items}</ul></div>`;
}

/** An input with its label, hint and error. */
export function formField(field: FormField, value = '', error?: string): Html {
  const { member, name = member, label, hint = '', type = 'text', attributes } = field;
  return fieldWith({ id: member, label, hint, error }, (ties) =>
    type === 'textarea'
      ? html`<textarea id="${member}" name="${name}" ${attributes}${ties}>${value}</textarea>`
      : html`<input id="${member}" name="${name}" type="${type}" value="${value}" ${attributes}${ties}>`,
  );
}

/** A choice from a list, with its label, hint and error. */
export function selectField(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen = '',
  { hint = '', error }: { readonly hint?: string | Html; readonly error?: string | undefined } = {},
): Html {
  const items = options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`,
  );
  return fieldWith(
    { id: name, label, hint, error },
    (ties) => html`<select id="${name}" name="${name}"${ties}>${items}</select>`,
  );
}

/** A control with its label, hint and error; `ties` are the attributes that associate them. */
function fieldWith(
  of: { readonly id: string; readonly label: string; readonly hint: string | Html; readonly error: string | undefined },
  controlWith: (ties: Html) => Html,
): Html {
  const { id, label, hint, error } = of;
  const ids = [...(hint === '' ? [] : [`${id}-hint`]), ...(error === undefined ? [] : [`${id}-fault`])];
  const described = ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`;
  const ties = html`${described}${error === undefined ? '' : html` aria-invalid="true"`}`;
  return html`<div class="field"><label for="${id}">${label}</label>
${hint === '' ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}${error === undefined ? '' : html`<p class="fault" id="${id}-fault">${toSentence(error)}</p>`}
${controlWith(ties)}</div>`;
}

/** An error text with a full stop, and a capital letter unless it begins with a name or an address. */
export function toSentence(error: string): string {
  const begun = error.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return `${begun}${/[.!?]$/.test(error) ? '' : '.'}`;
}
