import { type Html, html, noHtml } from '../../../../base/html.ts';
import type { FormFields, PageRequest } from '../../../../contract/declare/pages.ts';
import { ACCESS_LEVELS, type AccessLevel, type ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { texts } from '../../../../texts/texts.ts';
import { type DraftError, parseCallbackLines } from '../../applications/application-draft.ts';
import { callbackUrlError, callbackUrlWarning } from '../../callback-urls.ts';
import { LEVEL_NAMES } from '../access-levels.ts';

const words = texts.developer.apps;

type Member = keyof ApplicationDraft;

/** The text inputs. */
const TEXTS: readonly (readonly [keyof typeof words.fields, attributes?: Html])[] = [
  ['name', html`required maxlength="64"`],
  ['description'],
  ['website_url', html`required type="url" inputmode="url"`],
];

/** Those that few need. */
const MORE_TEXTS: typeof TEXTS = [
  ['organization_name'],
  ['organization_url', html`type="url" inputmode="url"`],
  ['terms_url', html`type="url" inputmode="url"`],
  ['privacy_url', html`type="url" inputmode="url"`],
];

const SWITCHES = ['sign_in', 'extra_query', 'native', 'email_access'] as const;

/** Reads an application from its form. */
export function draftFromForm({ parameter }: PageRequest): ApplicationDraft {
  const text = (member: Member): string => (parameter(member) ?? '').trim();
  const isOn = (member: Member): 0 | 1 => (parameter(member) === undefined ? 0 : 1);
  return {
    name: text('name'),
    description: text('description'),
    website_url: text('website_url'),
    organization_name: text('organization_name'),
    organization_url: text('organization_url'),
    terms_url: text('terms_url'),
    privacy_url: text('privacy_url'),
    callbacks: parseCallbackLines(parameter('callbacks') ?? ''),
    access_level: text('access_level') as AccessLevel,
    sign_in: isOn('sign_in'),
    extra_query: isOn('extra_query'),
    native: isOn('native'),
    email_access: isOn('email_access'),
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
  const isMoreOpen = MORE_TEXTS.some(([member]) => draft[member] !== '' || errorsOf(errors, member).length > 0);
  const box = ([member, attributes]: (typeof TEXTS)[number]): Html => {
    const [label, hint] = words.fields[member];
    return textBox({ member, label, hint, attributes, value: String(draft[member]), errors: errorsOf(errors, member) });
  };
  const switches = SWITCHES.map((member) => {
    const [label, hint] = words.fields[member];
    return switchBox({ member, label, hint, isOn: draft[member] === 1, errors: errorsOf(errors, member) });
  });
  return html`${summary(errors)}
<form method="post" action="${form.action}">
${hiddenFields(form.formFields)}
${TEXTS.map(box)}
${callbackBox(draft.callbacks, schemes, errorsOf(errors, 'callbacks'))}
${levels(draft.access_level, errorsOf(errors, 'access_level'))}
<fieldset><legend>${words.settings}</legend>
${switches}
</fieldset>
<details${isMoreOpen ? html` open` : ''}><summary>${words.more}</summary>
${MORE_TEXTS.map(box)}
</details>
<div class="buttons"><button class="main" type="submit">${form.button}</button></div>
</form>`;
}

function errorsOf(errors: readonly DraftError[], member: Member): string[] {
  return errors.filter((error) => error.member === member).map(({ message }) => message);
}

/** The list of errors above the form; each links to its field. */
function summary(errors: readonly DraftError[]): Html {
  if (errors.length === 0) return noHtml;
  const items = errors.map(({ member, message }) => html`<li><a href="#${member}">${message}</a></li>`);
  return html`<div class="alert" role="alert"><p>${words.wrong}</p><ul>${items}</ul></div>`;
}

interface Box {
  readonly member: Member;
  readonly label: string;
  readonly hint: string;
  readonly errors: readonly string[];
}

/** The ARIA attributes that connect an input with its hint and errors. */
function ties({ member, hint, errors }: Pick<Box, 'member' | 'hint' | 'errors'>): Html {
  const ids = [...(hint === '' ? [] : [`${member}-hint`]), ...(errors.length === 0 ? [] : [`${member}-fault`])];
  const described = ids.length === 0 ? noHtml : html` aria-describedby="${ids.join(' ')}"`;
  return errors.length === 0 ? described : html`${described} aria-invalid="true"`;
}

function aroundBox({ member, hint, errors }: Pick<Box, 'member' | 'hint' | 'errors'>): { hint: Html; error: Html } {
  return {
    hint: hint === '' ? noHtml : html`<p class="hint" id="${member}-hint">${hint}</p>`,
    error:
      errors.length === 0
        ? noHtml
        : html`<ul class="fault" id="${member}-fault">${errors.map((each) => html`<li>${each}</li>`)}</ul>`,
  };
}

function textBox(box: Box & { readonly value: string; readonly attributes: Html | undefined }): Html {
  const { hint, error } = aroundBox(box);
  return html`<div class="field"><label for="${box.member}">${box.label}</label>
${hint}${error}
<input id="${box.member}" name="${box.member}" value="${box.value}" ${box.attributes ?? ''}${ties(box)}></div>`;
}

function callbackBox(callbacks: readonly string[], schemes: readonly string[], errors: readonly string[]): Html {
  const box = { member: 'callbacks', hint: words.fields.callbacks[1], errors } as const;
  const { hint, error } = aroundBox(box);
  const doubts = callbacks.flatMap((callback) => {
    const doubt = callbackUrlError(callback) === undefined ? callbackUrlWarning(callback, schemes) : undefined;
    return doubt === undefined ? [] : [html`<li>${callback} ${doubt}.</li>`];
  });
  return html`<div class="field"><label for="callbacks">${words.fields.callbacks[0]}</label>
${hint}${error}
<textarea id="callbacks" name="callbacks" rows="${Math.max(3, callbacks.length + 1)}" required spellcheck="false"
  autocapitalize="none"${ties(box)}>${callbacks.join('\n')}</textarea>
${doubts.length === 0 ? '' : html`<ul class="doubt">${doubts}</ul>`}</div>`;
}

function levels(chosen: AccessLevel, errors: readonly string[]): Html {
  const { error } = aroundBox({ member: 'access_level', hint: '', errors });
  const options = ACCESS_LEVELS.map(
    (level) => html`<label class="choice"><input type="radio" name="access_level" value="${level}"
${level === chosen ? html` checked` : ''}><span>${LEVEL_NAMES[level]}</span></label>`,
  );
  return html`<fieldset id="access_level"><legend>${words.level}</legend>${error}${options}
<p class="hint">${words.levelAbout}</p></fieldset>`;
}

function switchBox(box: Box & { readonly isOn: boolean }): Html {
  const { hint, error } = aroundBox(box);
  return html`<div class="switch"><label class="choice"><input type="checkbox" id="${box.member}" name="${box.member}"
value="1"${box.isOn ? html` checked` : ''}${ties(box)}><span>${box.label}</span></label>
${hint}${error}</div>`;
}
