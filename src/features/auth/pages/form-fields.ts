import { html } from 'ghtml';

/** The validation errors of a form, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** One field of a form. */
export interface FormField {
  /** The id of the input, and its name unless `name` is set. */
  readonly member: string;
  readonly name?: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password' | 'textarea';
  /** More attributes of the input, as HTML. */
  readonly attributes: string;
}

/** The list of errors above a form; each links to its field. */
export function errorSummary(heading: string, errors: FieldErrors): string {
  const items = Object.entries(errors).map(
    ([member, says]) => html`<li><a href="#${member}">${toSentence(says)}</a></li>`,
  );
  if (items.length === 0) return '';
  return html`<div class="alert" role="alert"><p>${heading}</p><ul>!${items.join('')}</ul></div>`;
}

/** An input with its label, hint and error. */
export function formField(field: FormField, value: string, says: string | undefined): string {
  const { member, name = member, label, hint = '', type = 'text', attributes } = field;
  const ids = [...(hint === '' ? [] : [`${member}-hint`]), ...(says === undefined ? [] : [`${member}-fault`])];
  const described = ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`;
  const ties = `${described}${says === undefined ? '' : ' aria-invalid="true"'}`;
  const box =
    type === 'textarea'
      ? html`<textarea id="${member}" name="${name}" !${attributes}!${ties}>${value}</textarea>`
      : html`<input id="${member}" name="${name}" type="${type}" value="${value}" !${attributes}!${ties}>`;
  return html`<div class="field"><label for="${member}">${label}</label>
!${hint === '' ? '' : html`<p class="hint" id="${member}-hint">${hint}</p>`}!${says === undefined ? '' : html`<p class="fault" id="${member}-fault">${toSentence(says)}</p>`}
!${box}</div>`;
}

/** An error text with a capital letter and a full stop. */
export function toSentence(says: string): string {
  return `${says[0]!.toUpperCase()}${says.slice(1)}.`;
}
