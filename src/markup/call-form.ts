import { type Html, html, joinHtml, noHtml } from '../base/html.ts';
import { AS_TYPED, type FieldErrors, formField, selectField } from './form-fields.ts';
import { inEnglish, prose } from './prose.ts';

/** An operation that can be chosen. */
interface OfferedCall {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly group: string;
}

/** A parameter of a call, as a form asks for it. */
export interface CallField {
  readonly name: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly limits: string;
  readonly isRequired: boolean;
  /** The default; empty when there is none. */
  readonly fallback: string;
  readonly about: string;
}

/** The words of the forms. */
interface CallFormWords {
  readonly operation: string;
  readonly operationHint: string;
  readonly find: string;
  readonly required: string;
  readonly fallback: (value: string) => string;
  readonly listOf: (choices: string) => string;
  readonly found: (count: number) => string;
}

/** Prefix of the fields of parameters. */
const PREFIX = 'p_';

/** The name of the field of a parameter. */
export const fieldOf = (parameter: string): string => PREFIX + parameter;

/** The parameters among the fields of a form; empty ones are not sent. */
export function parametersIn(fields: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const filled = [...fields].flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value.trim() !== '' ? [[name.slice(PREFIX.length), value.trim()]] : [],
  );
  return Object.fromEntries(filled);
}

/** The operations that a field with `list="operations"` offers. */
export function operationList(all: readonly OfferedCall[]): Html {
  const options = all.map(({ id, method, path }) => html`<option value="${id}">${method} ${path}</option>`);
  return html`<datalist id="operations">${options}</datalist>`;
}

/** A search for operations by name, path or words: an id leads to its form, anything else to the list of those found. */
export function operationSearch(
  action: string,
  all: readonly OfferedCall[],
  entered: string,
  words: CallFormWords,
): Html {
  return html`<form method="get" action="${action}" role="search" class="filters">
${formField(
  {
    ...{ member: 'operation', label: words.operation, hint: words.operationHint },
    attributes: html`list="operations" ${AS_TYPED} autocapitalize="none" maxlength="100"`,
  },
  entered,
)}
${operationList(all)}
<button type="submit">${words.find}</button></form>`;
}

/** The operations that a search has found, by group, each with a link to its form. */
export function foundOperations(
  action: string,
  found: readonly OfferedCall[],
  { isOpen, words }: { readonly isOpen: boolean; readonly words: CallFormWords },
): Html {
  const groups = [...Map.groupBy(found, ({ group }) => group)].map(([group, calls]) => {
    const items = calls.map(
      ({ id, method, path, description }) =>
        html`<li><a href="${action}?operation=${id}">${method} ${path}</a> <span class="soft">${inEnglish(description)}</span></li>`,
    );
    return html`<details${isOpen ? html` open` : noHtml}><summary>${group.replaceAll('_', ' ')} <span class="soft">${calls.length}</span></summary>
<ul class="places">
${joinHtml(items, '\n')}
</ul></details>`;
  });
  return html`<p role="status">${words.found(found.length)}</p>
<div class="groups">${joinHtml(groups, '\n')}</div>`;
}

/** A field for each parameter: a choice is a select, with the type, the limits and the default of each. */
export function callFields(
  fields: readonly CallField[],
  values: Readonly<Record<string, string>>,
  errors: FieldErrors,
  words: CallFormWords,
): Html {
  return joinHtml(
    fields.map(({ name, type, choices, limits, isRequired, fallback, about }) => {
      const member = fieldOf(name);
      const isChoice = choices.length > 0 && !type.startsWith('list');
      const kind =
        choices.length > 0 ? prose(words.listOf(choices.map((each) => `\`${each}\``).join(', '))) : inEnglish(type);
      const facts = [
        ...(isChoice || type === 'file' ? [] : [kind]),
        ...(limits === '' ? [] : [inEnglish(limits)]),
        ...(isRequired ? [prose(words.required)] : []),
        ...(fallback === '' ? [] : [prose(words.fallback(fallback))]),
      ];
      const hint = html`${inEnglish(about)}${facts.length === 0 ? noHtml : html` (${joinHtml(facts, '; ')})`}`;
      const value = values[name] ?? '';
      if (isChoice) {
        const all = value === '' || choices.includes(value) ? choices : [value, ...choices];
        const options = [...(isRequired ? [] : ['']), ...all].map((each) => [each, each] as const);
        return selectField(member, name, options, value, { hint, error: errors[member] });
      }
      const attributes = html`${AS_TYPED} autocapitalize="none"`;
      return formField({ member, label: name, hint, attributes }, value, errors[member]);
    }),
    '\n',
  );
}

/** The field of a body in JSON. */
export function bodyField(label: string, hint: string, body: string, error?: string): Html {
  const rows = Math.min(Math.max(body.split('\n').length + 1, 6), 24);
  const attributes = html`rows="${rows}" class="code" ${AS_TYPED}`;
  return formField({ member: 'body', label, hint, type: 'textarea', attributes }, body, error);
}
