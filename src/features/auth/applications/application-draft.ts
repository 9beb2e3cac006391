import { isLegalText, lengthOf } from '../../../base/text.ts';
import { ACCESS_LEVELS, type Application, type ApplicationDraft } from '../../../contract/store/credentials.ts';
import { registrationError } from '../callback-urls.ts';

/** A validation error of an application; the message is a complete sentence. */
export interface DraftError {
  readonly member: keyof ApplicationDraft;
  readonly message: string;
}

const CALLBACKS_MAX = 10;
const ADDRESS_CHARACTERS_MAX = 2048;

/** The default settings of an application. @source authentication gaps 4 */
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
 * @source authentication gaps 4 and 4.1; decision 95
 */
export function validateDraft(draft: ApplicationDraft, policy: CallbackPolicy): DraftError[] {
  const errors: DraftError[] = [];
  const add = (member: keyof ApplicationDraft, message: string | undefined): void => {
    if (message !== undefined) errors.push({ member, message });
  };
  add('name', wrongText(draft.name, { least: 1, most: 32, what: 'The name' }));
  add('description', wrongText(draft.description, { least: 0, most: 200, what: 'The description' }));
  add('website_url', wrongWebAddress(draft.website_url, 'The website', true));
  for (const callback of callbackFaults(draft.callbacks, policy)) add('callbacks', callback);
  add('access_level', ACCESS_LEVELS.includes(draft.access_level) ? undefined : 'The access level is missing.');
  add('organization_name', wrongText(draft.organization_name, { least: 0, most: 100, what: 'The organization' }));
  add('organization_url', wrongWebAddress(draft.organization_url, 'The website of the organization'));
  add('terms_url', wrongWebAddress(draft.terms_url, 'The URL of the terms of service'));
  add('privacy_url', wrongWebAddress(draft.privacy_url, 'The URL of the privacy policy'));
  if (draft.email_access === 1 && (draft.terms_url === '' || draft.privacy_url === '')) {
    add(
      'email_access',
      'Requesting e-mail addresses requires the URLs of the terms of service and of the privacy policy.',
    );
  }
  return errors;
}

/** The trimmed lines of a text that are not blank: one callback each. */
export function parseCallbackLines(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function callbackFaults(callbacks: readonly string[], { schemes, registered }: CallbackPolicy): string[] {
  if (callbacks.length === 0) return ['At least one callback URL is required, even if only PINs are used.'];
  if (callbacks.length > CALLBACKS_MAX)
    return [`There are ${callbacks.length} addresses; ${CALLBACKS_MAX} are allowed.`];
  return callbacks.flatMap((callback, index) => {
    if (callbacks.indexOf(callback) < index) return [`${shortened(callback)} is listed twice.`];
    const wrong = registered.includes(callback) ? undefined : registrationError(callback, schemes);
    return wrong === undefined ? [] : [`${shortened(callback)} ${wrong}.`];
  });
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function wrongText(
  text: string,
  { least, most, what }: { readonly least: number; readonly most: number; readonly what: string },
): string | undefined {
  const length = lengthOf(text.trim());
  if (length < least) return `${what} is missing.`;
  if (length > most) return `${what} has ${length} characters; ${most} are allowed.`;
  return isLegalText(text) ? undefined : `${what} has a control character.`;
}

function wrongWebAddress(address: string, what: string, isNeeded = false): string | undefined {
  if (address === '') return isNeeded ? `${what} is missing.` : undefined;
  const isGood =
    /^https?:\/\/[^/?#]/i.test(address) &&
    address.length <= ADDRESS_CHARACTERS_MAX &&
    !/[\s\\]/.test(address) &&
    isLegalText(address) &&
    URL.canParse(address) &&
    new URL(address).username === '';
  return isGood ? undefined : `${what} must be a URL that begins with https:// or http://.`;
}

/** The current settings of an application, as a draft. */
export function draftOf(application: Application): ApplicationDraft {
  const { callbacks } = application;
  const members = Object.keys(EMPTY_DRAFT) as (keyof ApplicationDraft)[];
  const columns = Object.fromEntries(members.map((member) => [member, application[member]]));
  return { ...(columns as unknown as ApplicationDraft), callbacks: JSON.parse(callbacks) as string[] };
}

/** The error when another application has the name. */
export const NAME_TAKEN: DraftError = {
  member: 'name',
  message: 'Another application already has this name.',
};
