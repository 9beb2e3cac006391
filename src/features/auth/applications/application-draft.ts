import { codePointLength, isLegalText } from '../../../base/text.ts';
import { ACCESS_LEVELS, type Application, type ApplicationDraft } from '../../../contract/store/credentials.ts';
import { registeredCallbacks, registrationError } from '../callback-urls.ts';

/** A validation error of an application; the message is a complete sentence. */
export interface DraftError {
  readonly member: keyof ApplicationDraft;
  readonly message: string;
}

const CALLBACKS_MAX = 10;
const ADDRESS_CHARACTERS_MAX = 2048;

/** The default settings of an application. @source authentication 4 */
export const EMPTY_DRAFT: ApplicationDraft = {
  name: '',
  description: '',
  website_url: '',
  terms_url: '',
  privacy_url: '',
  organization_name: '',
  organization_url: '',
  callbacks: [],
  native: 0,
  access_level: 'read',
  sign_in: 0,
  extra_query: 0,
  email_access: 0,
};

/** Which callbacks may be registered. */
export interface CallbackPolicy {
  /** Custom schemes without a dot that the operator allows. */
  readonly schemes: readonly string[];
  /**
   * The callbacks that the application has already. They stay allowed even if later rules refuse them.
   * @source decision 601
   */
  readonly registered: readonly string[];
}

/**
 * Returns all validation errors of the settings of an application.
 * @source authentication 4 and 4.1; decision 95
 */
export function validateDraft(draft: ApplicationDraft, policy: CallbackPolicy): DraftError[] {
  const needsPolicies = draft.email_access === 1 && (draft.terms_url === '' || draft.privacy_url === '');
  const found: [keyof ApplicationDraft, string | undefined][] = [
    ['name', textError(draft.name, 1, 32, 'The name')],
    ['description', textError(draft.description, 0, 200, 'The description')],
    ['website_url', webAddressError(draft.website_url, 'The website', true)],
    ...callbackErrors(draft.callbacks, policy).map((error): [keyof ApplicationDraft, string] => ['callbacks', error]),
    ['access_level', ACCESS_LEVELS.includes(draft.access_level) ? undefined : 'The access level is missing.'],
    ['organization_name', textError(draft.organization_name, 0, 100, 'The organization')],
    ['organization_url', webAddressError(draft.organization_url, 'The website of the organization')],
    ['terms_url', webAddressError(draft.terms_url, 'The URL of the terms of service')],
    ['privacy_url', webAddressError(draft.privacy_url, 'The URL of the privacy policy')],
    ['email_access', needsPolicies ? POLICIES_NEEDED : undefined],
  ];
  return found.flatMap(([member, message]) => (message === undefined ? [] : [{ member, message }]));
}

const POLICIES_NEEDED =
  'Requesting e-mail addresses requires the URLs of the terms of service and of the privacy policy.';

/** The trimmed lines of a text that are not blank: one callback each. */
export function parseCallbackLines(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function callbackErrors(callbacks: readonly string[], { schemes, registered }: CallbackPolicy): string[] {
  if (callbacks.length === 0) return ['At least one callback URL is required, even if only PINs are used.'];
  const { length } = callbacks;
  if (length > CALLBACKS_MAX) return [`There are ${length} addresses; ${CALLBACKS_MAX} are allowed.`];
  return callbacks.flatMap((callback, index) => {
    if (callbacks.indexOf(callback) < index) return [`${shortened(callback)} is listed twice.`];
    const wrong = registered.includes(callback) ? undefined : registrationError(callback, schemes);
    return wrong === undefined ? [] : [`${shortened(callback)} ${wrong}.`];
  });
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function textError(text: string, min: number, max: number, label: string): string | undefined {
  const length = codePointLength(text.trim());
  if (length < min) return `${label} is missing.`;
  if (length > max) return `${label} has ${length} characters; ${max} are allowed.`;
  return isLegalText(text) ? undefined : `${label} has a control character.`;
}

function webAddressError(address: string, label: string, isRequired = false): string | undefined {
  if (address === '') return isRequired ? `${label} is missing.` : undefined;
  const isGood =
    /^https?:\/\/[^/?#]/i.test(address) &&
    address.length <= ADDRESS_CHARACTERS_MAX &&
    !/[\s\\]/.test(address) &&
    isLegalText(address) &&
    URL.canParse(address) &&
    new URL(address).username === '';
  return isGood ? undefined : `${label} must be a URL that begins with https:// or http://.`;
}

/** The current settings of an application, as a draft. */
export function draftOf(application: Application): ApplicationDraft {
  const members = Object.keys(EMPTY_DRAFT) as (keyof ApplicationDraft)[];
  const columns = Object.fromEntries(members.map((member) => [member, application[member]])) as Omit<
    ApplicationDraft,
    'callbacks'
  >;
  return { ...columns, callbacks: registeredCallbacks(application) };
}

/** The error when another application has the name. */
export const NAME_TAKEN: DraftError = {
  member: 'name',
  message: 'Another application already has this name.',
};
