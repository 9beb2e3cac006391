import { type Html, html, noHtml } from '../../../../base/html.ts';
import type { FormFields, PageRequest } from '../../../../contract/declare/pages.ts';
import { ACCESS_LEVELS, type AccessLevel, type ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { AS_TYPED, errorSummary, type FieldErrors, formField } from '../../../../markup/form-fields.ts';
import { texts } from '../../../../texts/texts.ts';
import { type DraftError, parseCallbackLines } from '../../applications/application-draft.ts';
import { callbackUrlError, callbackUrlWarning } from '../../callback-urls.ts';
import { LEVEL_NAMES } from '../access-levels.ts';

const words = texts.developer.apps;

/** Text inputs of the form. */
const TEXTS: readonly (readonly [keyof typeof words.fields, attributes?: Html])[] = [
  ['name', html`required maxlength="64"`],
  ['description'],
  ['website_url', html`required`],
];

/** Text inputs that are collapsed while empty. */
const MORE_TEXTS: typeof TEXTS = [['organization_name'], ['organization_url'], ['terms_url'], ['privacy_url']];

const SWITCHES = ['sign_in', 'extra_query', 'native', 'email_access'] as const;

/** Reads an application from its form. */
export function draftFromForm({ parameter }: PageRequest): ApplicationDraft {
  const text = (member: string): string => (parameter(member) ?? '').trim();
  const values = [
    ...[...TEXTS, ...MORE_TEXTS].map(([member]) => [member, text(member)]),
    ...SWITCHES.map((member) => [member, parameter(member) === undefined ? 0 : 1]),
  ];
  return {
    ...Object.fromEntries(values),
    callbacks: parseCallbackLines(parameter('callbacks') ?? ''),
    access_level: text('access_level'),
  };
}

/** The form of an application, with the errors of each field. */
export function applicationForm(form: {
  readonly action: string;
  readonly button: string;
  readonly formFields: FormFields;
  readonly draft: ApplicationDraft;
  readonly errors: readonly DraftError[];
  /** Custom schemes without a dot that callbacks may have. */
  readonly schemes: readonly string[];
}): Html {
  const { draft, errors, schemes } = form;
  const faults = faultsOf(errors);
  const isMoreOpen = MORE_TEXTS.some(([member]) => draft[member] !== '' || member in faults);
  const textField = ([member, attributes = noHtml]: (typeof TEXTS)[number]): Html => {
    const [label, hint] = words.fields[member];
    const type = member.endsWith('_url') ? 'url' : 'text';
    return formField({ member, label, hint, type, attributes }, String(draft[member]), faults[member]);
  };
  const switches = SWITCHES.map((member) => {
    const [label, hint] = words.fields[member];
    return html`<div class="switch"><label class="choice"><input type="checkbox" id="${member}" name="${member}"
value="1"${draft[member] === 1 ? html` checked` : ''} aria-describedby="${member}-hint"><span>${label}</span></label>
<p class="hint" id="${member}-hint">${hint}</p></div>`;
  });
  return html`${errorSummary(words.wrong, faults)}
<form method="post" action="${form.action}">
${hiddenFields(form.formFields)}
${TEXTS.map(textField)}
${callbackField(draft.callbacks, schemes, faults.callbacks)}
${levelField(draft.access_level, faults.access_level)}
<fieldset><legend>${words.settings}</legend>
${switches}
</fieldset>
<details${isMoreOpen ? html` open` : ''}><summary>${words.more}</summary>
${MORE_TEXTS.map(textField)}
</details>
<div class="buttons"><button class="main" type="submit">${form.button}</button></div>
</form>`;
}

/** The errors of each field in one text. */
function faultsOf(errors: readonly DraftError[]): FieldErrors {
  const groups = Map.groupBy(errors, ({ member }) => member);
  return Object.fromEntries([...groups].map(([member, own]) => [member, own.map(({ message }) => message).join(' ')]));
}

function callbackField(callbacks: readonly string[], schemes: readonly string[], error: string | undefined): Html {
  const [label, hint] = words.fields.callbacks;
  const attributes = html`rows="${Math.max(3, callbacks.length + 1)}" required ${AS_TYPED} autocapitalize="none"`;
  const warnings = callbacks.flatMap((callback) => {
    const warning = callbackUrlError(callback) === undefined ? callbackUrlWarning(callback, schemes) : undefined;
    return warning === undefined ? [] : [html`<li>${callback} ${warning}.</li>`];
  });
  return html`${formField({ member: 'callbacks', label, hint, type: 'textarea', attributes }, callbacks.join('\n'), error)}
${warnings.length === 0 ? '' : html`<ul class="doubt">${warnings}</ul>`}`;
}

function levelField(chosen: AccessLevel, error: string | undefined): Html {
  const options = ACCESS_LEVELS.map(
    (level) => html`<label class="choice"><input type="radio" name="access_level" value="${level}"
${level === chosen ? html` checked` : ''}><span>${LEVEL_NAMES[level]}</span></label>`,
  );
  return html`<fieldset id="access_level"><legend>${words.level}</legend>${error === undefined ? '' : html`<p class="fault">${error}</p>`}${options}
<p class="hint">${words.levelAbout}</p></fieldset>`;
}
