import { ANY_SCHEME, schemesOf } from '../base/callback-schemes.ts';
import { integer, list, text } from './kinds.ts';

/** Settings of logins, passwords and sessions. */
export const loginSettings = {
  callback_schemes: list(
    'Custom schemes without a dot that new callbacks may have, such as `myapp`; any app on a device can claim such a scheme.',
    {
      default: [],
      default_dev: [ANY_SCHEME],
      expected: 'a comma list of schemes, or * for all; never javascript, data and the like',
      parse: schemesOf,
    },
  ),
  login_failures_per_account: integer(
    'So many wrong passwords from one address lock a user out there for 15 minutes, then longer.',
    { default: 10, bounds: [1, 1000] },
  ),
  login_failures_per_address: integer('Wrong passwords from one address in 15 minutes, whatever names were tried.', {
    default: 50,
    bounds: [1, 1_000_000],
  }),
  login_failures_per_user: integer(
    'Wrong passwords for a user from all addresses together; after that one guess in 30 seconds is let through.',
    { default: 50, bounds: [1, 1_000_000] },
  ),
  password_length_min: integer('The fewest characters of a new password; longer ones are harder to guess.', {
    default: 8,
    unit: 'characters',
    bounds: [8, 64],
  }),
  reauthentication_s: integer(
    'How long after a login keys, sessions, the user name and the like can be seen and changed without the password.',
    { default: 600, unit: 'seconds', bounds: [60, 43_200] },
  ),
  support_contact: text(
    'Whom users turn to who cannot log in; when empty, the login page says to ask whoever operates the service.',
    {
      default: '',
      expected: 'an e-mail address, an https:// address or a sentence, up to 200 characters',
      parse: (contact) => (contact.length <= 200 ? contact.trim() : undefined),
    },
  ),
};

/** What new passwords are held against. */
export function passwordRulesOf(settings: { readonly password_length_min: number; readonly service_name: string }) {
  return { password_length_min: settings.password_length_min, service: settings.service_name };
}
