import { type Html, html, noHtml } from '../../../../base/html.ts';
import type { FormFields, PageRequest } from '../../../../contract/declare/pages.ts';
import { ACCESS_LEVELS, type AccessLevel, type ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { texts } from '../../../../texts/texts.ts';
import { type DraftError, parseCallbackLines } from '../../applications/application-draft.ts';
import { callbackUrlError, callbackUrlWarning } from '../../callback-urls.ts';
import { LEVEL_NAMES } from '../access-levels.ts';

const words = texts.developer.apps;

/** Text inputs of the form. */
const TEXTS: readonly (readonly [keyof typeof words.fields, attributes?: Html])[] = [
  ['name', html`required maxlength="64"`],
  ['description'],
  ['website_url', html`required type="url" inputmode="url"`],
];

/** Text inputs that are collapsed while empty. */
const MORE_TEXTS: typeof TEXTS = [
  ['organization_name'],
  ['organization_url', html`type="url" inputmode="url"`],
  ['terms_url', html`type="url" inputmode="url"`],
  ['privacy_url', html`type="url" inputmode="url"`],
];

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
  const isMoreOpen = MORE_TEXTS.some(
    ([member]) => draft[member] !== '' || errors.some((error) => error.member === member),
  );
  const textField = ([member, attributes = noHtml]: (typeof TEXTS)[number]): Html => {
    const { label, hint, error, aria } = partsOf(member, errors);
    return html`<div class="field"><label for="${member}">${label}</label>
${hint}${error}
<input id="${member}" name="${member}" value="${String(draft[member])}" ${attributes}${aria}></div>`;
  };
  const switches = SWITCHES.map((member) => {
    const { label, hint, error, aria } = partsOf(member, errors);
    return html`<div class="switch"><label class="choice"><input type="checkbox" id="${member}" name="${member}"
value="1"${draft[member] === 1 ? html` checked` : ''}${aria}><span>${label}</span></label>
${hint}${error}</div>`;
  });
  return html`${summary(errors)}
<form method="post" action="${form.action}">
${hiddenFields(form.formFields)}
${TEXTS.map(textField)}
${callbackField(draft.callbacks, schemes, errors)}
${levelField(draft.access_level, errors)}
<fieldset><legend>${words.settings}</legend>
${switches}
</fieldset>
<details${isMoreOpen ? html` open` : ''}><summary>${words.more}</summary>
${MORE_TEXTS.map(textField)}
</details>
<div class="buttons"><button class="main" type="submit">${form.button}</button></div>
</form>`;
}

/** The list of errors above the form; each links to its field. */
function summary(errors: readonly DraftError[]): Html {
  if (errors.length === 0) return noHtml;
  const items = errors.map(({ member, message }) => html`<li><a href="#${member}">${message}</a></li>`);
  return html`<div class="alert" role="alert"><p>${words.wrong}</p><ul>${items}</ul></div>`;
}

/** The label, hint and errors of an input, and the ARIA attributes that connect them. */
function partsOf(member: keyof typeof words.fields | 'access_level', errors: readonly DraftError[]) {
  const [label, hint] = member === 'access_level' ? [words.level, ''] : words.fields[member];
  const items = errors.filter((error) => error.member === member).map(({ message }) => html`<li>${message}</li>`);
  const ids = [...(hint === '' ? [] : [`${member}-hint`]), ...(items.length === 0 ? [] : [`${member}-fault`])];
  return {
    label,
    hint: hint === '' ? noHtml : html`<p class="hint" id="${member}-hint">${hint}</p>`,
    error: items.length === 0 ? noHtml : html`<ul class="fault" id="${member}-fault">${items}</ul>`,
    aria: html`${ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`}${items.length === 0 ? '' : html` aria-invalid="true"`}`,
  };
}

function callbackField(callbacks: readonly string[], schemes: readonly string[], errors: readonly DraftError[]): Html {
  const { label, hint, error, aria } = partsOf('callbacks', errors);
  const warnings = callbacks.flatMap((callback) => {
    const warning = callbackUrlError(callback) === undefined ? callbackUrlWarning(callback, schemes) : undefined;
    return warning === undefined ? [] : [html`<li>${callback} ${warning}.</li>`];
  });
  return html`<div class="field"><label for="callbacks">${label}</label>
${hint}${error}
<textarea id="callbacks" name="callbacks" rows="${Math.max(3, callbacks.length + 1)}" required spellcheck="false"
  autocapitalize="none"${aria}>${callbacks.join('\n')}</textarea>
${warnings.length === 0 ? '' : html`<ul class="doubt">${warnings}</ul>`}</div>`;
}

function levelField(chosen: AccessLevel, errors: readonly DraftError[]): Html {
  const { label, error } = partsOf('access_level', errors);
  const options = ACCESS_LEVELS.map(
    (level) => html`<label class="choice"><input type="radio" name="access_level" value="${level}"
${level === chosen ? html` checked` : ''}><span>${LEVEL_NAMES[level]}</span></label>`,
  );
  return html`<fieldset id="access_level"><legend>${label}</legend>${error}${options}
<p class="hint">${words.levelAbout}</p></fieldset>`;
}
