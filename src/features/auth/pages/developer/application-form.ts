import { type Html, html, noHtml } from '../../../../base/html.ts';
import type { PageRequest } from '../../../../contract/declare/pages.ts';
import { ACCESS_LEVELS, type AccessLevel, type ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { type DraftError, parseCallbackLines } from '../../applications/application-draft.ts';
import { callbackUrlError, callbackUrlWarning } from '../../callback-urls.ts';
import { LEVEL_NAMES } from '../access-levels.ts';

type Member = keyof ApplicationDraft;

/** The text inputs. */
const TEXTS: readonly (readonly [Member, label: string, hint: string, attributes?: Html])[] = [
  ['name', 'Name', 'Shown to users on the consent page; 1 to 32 characters.', html`required maxlength="64"`],
  ['description', 'Description', 'What it does for users, in a sentence or two.'],
  ['website_url', 'Website', 'Where users can read more about it.', html`required type="url" inputmode="url"`],
];

const MORE_TEXTS: typeof TEXTS = [
  ['organization_name', 'Organization', 'Who publishes the application, if not you.'],
  ['organization_url', 'Organization website', '', html`type="url" inputmode="url"`],
  ['terms_url', 'Terms of service', 'URL of the terms of service.', html`type="url" inputmode="url"`],
  ['privacy_url', 'Privacy policy', 'URL of the privacy policy.', html`type="url" inputmode="url"`],
];

const SWITCHES: readonly (readonly [Member, label: string, hint: string])[] = [
  [
    'sign_in',
    'Skip consent on sign-in',
    'With /oauth/authenticate, users who have already authorized the application are redirected without being asked again.',
  ],
  [
    'extra_query',
    'Allow additional query parameters',
    'A callback URL registered without a query string also matches with one.',
  ],
  [
    'native',
    'Native application',
    'For apps without a web server: users enter a PIN (oob), and other callback URLs are refused.',
  ],
  [
    'email_access',
    'Request e-mail address',
    'Asks users to share their e-mail address. Requires the URLs of the terms of service and of the privacy policy.',
  ],
];

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
  readonly csrfToken: string;
  readonly draft: ApplicationDraft;
  readonly errors: readonly DraftError[];
  /** Custom schemes without a dot that callbacks may have. */
  readonly schemes: readonly string[];
}): Html {
  const { draft, errors, schemes } = form;
  const isMoreOpen = MORE_TEXTS.some(([member]) => draft[member] !== '' || errorsOf(errors, member).length > 0);
  const box = ([member, label, hint, attributes]: (typeof TEXTS)[number]): Html =>
    textBox({ member, label, hint, attributes, value: String(draft[member]), errors: errorsOf(errors, member) });
  return html`${summary(errors)}
<form method="post" action="${form.action}">
${hiddenFields({ authenticity_token: form.csrfToken })}
${TEXTS.map(box)}
${callbackBox(draft.callbacks, schemes, errorsOf(errors, 'callbacks'))}
${levels(draft.access_level, errorsOf(errors, 'access_level'))}
<fieldset><legend>Settings</legend>
${SWITCHES.map(([member, label, hint]) => switchBox({ member, label, hint, isOn: draft[member] === 1, errors: errorsOf(errors, member) }))}
</fieldset>
<details${isMoreOpen ? html` open` : ''}><summary>Organization and terms</summary>
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
  return html`<div class="alert" role="alert"><p>Changes not saved:</p><ul>${items}</ul></div>`;
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

const CALLBACK_HINT =
  'One URL per line, up to ten. The callback URL of a request must match one exactly, including a trailing slash; 127.0.0.1 matches with any port. For a mobile or desktop app, use a scheme named after your domain, such as com.example.app:/done.';

function callbackBox(callbacks: readonly string[], schemes: readonly string[], errors: readonly string[]): Html {
  const box = { member: 'callbacks', hint: CALLBACK_HINT, errors } as const;
  const { hint, error } = aroundBox(box);
  const doubts = callbacks.flatMap((callback) => {
    const doubt = callbackUrlError(callback) === undefined ? callbackUrlWarning(callback, schemes) : undefined;
    return doubt === undefined ? [] : [html`<li>${callback} ${doubt}.</li>`];
  });
  return html`<div class="field"><label for="callbacks">Callback URLs</label>
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
  return html`<fieldset id="access_level"><legend>Access level</legend>${error}${options}
<p class="hint">Existing tokens keep their access level; users must authorize again to change it.</p></fieldset>`;
}

function switchBox(box: Box & { readonly isOn: boolean }): Html {
  const { hint, error } = aroundBox(box);
  return html`<div class="switch"><label class="choice"><input type="checkbox" id="${box.member}" name="${box.member}"
value="1"${box.isOn ? html` checked` : ''}${ties(box)}><span>${box.label}</span></label>
${hint}${error}</div>`;
}
