import { ANY_SCHEME, parseSchemes } from '../base/callback-schemes.ts';
import { amount, integer, list, text } from './kinds.ts';

/** Settings of logins, passwords and sessions. */
export const loginSettings = {
  callback_schemes: list(
    'Custom schemes without a dot that new callbacks may have, such as `myapp`; any app on a device can claim such a scheme.',
    {
      default: [],
      default_dev: [ANY_SCHEME],
      expected: 'a comma list of schemes, or * for all; never javascript, data and the like',
      parse: parseSchemes,
    },
  ),
  login_failures_per_account: integer(
    'Wrong passwords from one address that lock a user out at that address for 15 minutes, then longer.',
    { default: 10, bounds: [1, 1000] },
  ),
  login_failures_per_address: integer('Wrong passwords from one address in 15 minutes, over all user names.', {
    default: 50,
    bounds: [1, 1_000_000],
  }),
  login_failures_per_user: integer(
    'Wrong passwords for a user from all addresses; beyond that, one attempt in 30 seconds is allowed.',
    { default: 50, bounds: [1, 1_000_000] },
  ),
  password_length_min: amount('Minimum length of new passwords.', 8, 'characters', [8, 64]),
  reauthentication_s: amount(
    'How long after a login sensitive pages (keys, sessions, user name) do not ask for the password again.',
    600,
    'seconds',
    [60, 43_200],
  ),
  support_contact: text(
    'Whom users contact when they cannot log in; when empty, the login page refers to the operator.',
    {
      default: '',
      expected: 'an e-mail address, an https:// address or a sentence, up to 200 characters',
      parse: (contact) => (contact.length <= 200 ? contact.trim() : undefined),
    },
  ),
};

/** The rules for new passwords. */
export function passwordRulesOf(settings: { readonly password_length_min: number; readonly service_name: string }) {
  return { password_length_min: settings.password_length_min, service: settings.service_name };
}
