import type { User } from '../../contract/credentials.ts';
import type { Visit } from '../../contract/pages.ts';
import type { Store } from '../../contract/store.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { LoginThrottle } from './throttle.ts';

/** What came of a login. Wrong covers unknown names: nobody is told which names exist. */
export type LoginOutcome =
  /** With the cookie by which the browser is known from now on. */
  { readonly user: User; readonly knownBrowser: string } | { readonly wrong: true } | { readonly wait_s: number };

/** What logins work with. */
export interface LoginParts {
  readonly store: Store;
  readonly throttle: LoginThrottle;
  readonly browsers: KnownBrowsers;
  /** Whether a password has a stored form; slow, so never called inside a unit of work. */
  isPassword(password: string, stored: string): Promise<boolean>;
}

/** Of the shape of a real one, so that an unknown name costs the same work; no password has it. */
const NOBODY = `argon2id$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** No stored password is longer. */
const PASSWORD_CHARACTERS_MAX = 1000;
const NAME_CHARACTERS_MAX = 100;

/** Checks the name and the password that a form brought. @source authentication gaps 13 and 15.2 */
export function logIn(parts: LoginParts, visit: Visit): Promise<LoginOutcome> {
  return checkPassword(parts, visit, visit.given('session[username_or_email]') ?? '');
}

/** Checks the password of somebody who is logged in already, as a login does. */
export function logInAgain(parts: LoginParts, visit: Visit): Promise<LoginOutcome> {
  return checkPassword(parts, visit, visit.user!.screen_name);
}

async function checkPassword(
  { store, throttle, browsers, isPassword }: LoginParts,
  { given, address, knownBrowser }: Visit,
  said: string,
): Promise<LoginOutcome> {
  const name = said.trim().replace(/^@/, '').slice(0, NAME_CHARACTERS_MAX).replaceAll('\0', '');
  const user = await store.read((tx) => tx.credentials.findUserByName(name));
  const browser = user && browsers.knownTo(knownBrowser, user);
  const attempt = await throttle.begin({ what: 'password', name: name.toLowerCase(), address, browser });
  if ('wait_s' in attempt) return attempt;
  const password = (given('session[password]') ?? '').slice(0, PASSWORD_CHARACTERS_MAX);
  const isRight = await isPassword(password, user?.password_hash || NOBODY);
  if (!user || !isRight) return { wrong: true };
  await attempt.succeed();
  return { user, knownBrowser: browsers.withUser(knownBrowser, user.id) };
}
