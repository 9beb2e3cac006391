import type { User } from '../../contract/credentials.ts';
import type { Store } from '../../contract/store.ts';
import type { LoginThrottle } from './throttle.ts';

/** What came of a login. Wrong covers unknown names: nobody is told which names exist. */
export type LoginOutcome = { readonly user: User } | { readonly wrong: true } | { readonly wait_s: number };

/** What logins work with. */
export interface LoginParts {
  readonly store: Store;
  readonly throttle: LoginThrottle;
  /** Whether a password has a stored form; slow, so never called inside a unit of work. */
  isPassword(password: string, stored: string): Promise<boolean>;
}

/** Of the shape of a real one, so that an unknown name costs the same work; no password has it. */
const NOBODY = `argon2id$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** No stored password is longer. */
const PASSWORD_CHARACTERS_MAX = 1000;
const NAME_CHARACTERS_MAX = 100;

/** Checks a name and a password. @source authentication gaps 13 and 15.2 */
export async function logIn(
  { store, throttle, isPassword }: LoginParts,
  given: { readonly name: string; readonly password: string; readonly address: string },
): Promise<LoginOutcome> {
  const name = given.name.trim().replace(/^@/, '').slice(0, NAME_CHARACTERS_MAX).replaceAll('\0', '');
  const attempt = throttle.begin(name.toLowerCase(), given.address);
  if ('wait_s' in attempt) return attempt;
  const user = await store.read((tx) => tx.credentials.findUserByName(name));
  const isRight = await isPassword(given.password.slice(0, PASSWORD_CHARACTERS_MAX), user?.password_hash || NOBODY);
  if (!user || !isRight) return { wrong: true };
  attempt.succeed();
  return { user };
}
