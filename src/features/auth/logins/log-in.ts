import { createHash } from 'node:crypto';
import type { Visit } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { User } from '../../../contract/store/credentials.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { type FactorParts, hasFactor, useCode } from './second-factor.ts';
import type { LoginThrottle } from './throttle.ts';

/** Somebody who has proved who they are, and the cookie by which the browser is known from now on. */
export interface LoggedIn {
  readonly user: User;
  readonly knownBrowser: string;
  readonly noted: readonly AuditedEvent[];
}

/** What came of a login. A wrong password covers unknown names: nobody is told which names exist. */
export type LoginOutcome =
  | LoggedIn
  /** The password is right, and a code is needed: `pending` comes back with it. */
  | { readonly pending: string; readonly wrong?: 'code'; readonly noted: readonly AuditedEvent[] }
  | { readonly wrong: 'password' | 'code' | 'late'; readonly noted: readonly AuditedEvent[] }
  | { readonly wait_s: number; readonly noted: readonly AuditedEvent[] };

/** What logins work with. */
export interface LoginParts extends FactorParts {
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
const CODE_CHARACTERS_MAX = 100;
/** How long somebody may look for the code after the password. */
const PENDING_S = 300;
const PENDING = 'pending_login';

/** Checks the name and the password that a form brought, or the code that one brought after that. @source authentication gaps 13 and 15.2 */
export async function logIn(parts: LoginParts, visit: Visit): Promise<LoginOutcome> {
  const sealed = visit.parameter('session[pending]');
  if (sealed !== undefined) return finish(parts, visit, sealed);
  const checked = await checkPassword(parts, visit, visit.parameter('session[username_or_email]') ?? '');
  if (!('user' in checked)) return checked;
  const { user } = checked;
  // Who is barred is told so, and has no use for a code.
  const needsCode = !user.suspended && !user.locked && (await hasFactor(parts, user.id));
  return needsCode ? { pending: pendingOf(parts, visit, user), noted: [] } : loggedIn(parts, visit, user);
}

/** Checks the password of somebody who is logged in already, and the code where they have turned codes on. */
export async function logInAgain(parts: LoginParts, visit: Visit): Promise<Exclude<LoginOutcome, { pending: string }>> {
  const checked = await checkPassword(parts, visit, visit.user!.screen_name);
  if (!('user' in checked)) return checked;
  if (!(await hasFactor(parts, checked.user.id))) return loggedIn(parts, visit, checked.user);
  return checkCode(parts, visit, checked.user);
}

type Checked =
  | { readonly user: User }
  | Extract<LoginOutcome, { wrong: 'password' | 'code' | 'late' } | { wait_s: number }>;

async function checkPassword(
  { store, throttle, browsers, isPassword }: LoginParts,
  { parameter, address, knownBrowser }: Visit,
  said: string,
): Promise<Checked> {
  const name = said.trim().replace(/^@/, '').slice(0, NAME_CHARACTERS_MAX).replaceAll('\0', '');
  const user = await store.read((tx) => tx.credentials.findUserByName(name));
  const browser = user && browsers.knownTo(knownBrowser, user);
  const attempt = await throttle.begin({ what: 'password', name: name.toLowerCase(), address, browser });
  if ('wait_s' in attempt) return { ...attempt, noted: [{ event: 'login_throttled' }] };
  const password = (parameter('session[password]') ?? '').slice(0, PASSWORD_CHARACTERS_MAX);
  const isRight = await isPassword(password, user?.password_hash || NOBODY);
  if (!user || !isRight) return { wrong: 'password', noted: [{ event: 'login_failed' }] };
  await attempt.succeed();
  return { user };
}

async function checkCode(
  parts: LoginParts,
  visit: Visit,
  user: User,
): Promise<Exclude<LoginOutcome, { pending: string }>> {
  const { throttle, browsers } = parts;
  const { parameter, address, knownBrowser } = visit;
  const browser = browsers.knownTo(knownBrowser, user);
  const name = user.screen_name.toLowerCase();
  const attempt = await throttle.begin({ what: 'code', name, address, browser });
  const note = (event: AuditedEvent['event']): AuditedEvent[] => [{ event, user_id: user.id }];
  if ('wait_s' in attempt) return { ...attempt, noted: note('login_throttled') };
  const used = await useCode(parts, user.id, (parameter('session[code]') ?? '').slice(0, CODE_CHARACTERS_MAX));
  if (!used) return { wrong: 'code', noted: note('login_failed') };
  await attempt.succeed();
  return loggedIn(parts, visit, user, used === 'recovery' ? note('recovery_code_used') : []);
}

function loggedIn(
  { browsers }: LoginParts,
  { knownBrowser }: Visit,
  user: User,
  noted: readonly AuditedEvent[] = [],
): LoggedIn {
  return { user, knownBrowser: browsers.withUser(knownBrowser, user.id), noted };
}

/** What is carried from the password to the code: sealed, of this browser, for this password, for a while. */
interface Pending {
  readonly user: string;
  readonly until_s: number;
  readonly form: string;
  readonly password: string;
}

function pendingOf({ box, clock }: LoginParts, visit: Visit, user: User): string {
  const until_s = Math.floor(clock.now() / 1000) + PENDING_S;
  const pending: Pending = {
    user: user.id,
    until_s,
    form: digest(visit.formToken),
    password: digest(user.password_hash),
  };
  return box.seal(JSON.stringify(pending), PENDING);
}

async function finish(parts: LoginParts, visit: Visit, sealed: string): Promise<LoginOutcome> {
  const pending = openPending(parts, sealed);
  const user = pending && (await parts.store.read((tx) => tx.credentials.findUser(pending.user)));
  const isGood =
    user !== undefined &&
    parts.clock.now() < pending!.until_s * 1000 &&
    pending!.form === digest(visit.formToken) &&
    pending!.password === digest(user.password_hash);
  if (!isGood) return { wrong: 'late', noted: [{ event: 'login_failed' }] };
  const outcome = await checkCode(parts, visit, user);
  return 'wrong' in outcome ? { pending: sealed, wrong: 'code', noted: outcome.noted } : outcome;
}

function openPending({ box }: LoginParts, sealed: string): Pending | undefined {
  try {
    return JSON.parse(box.open(sealed, PENDING));
  } catch {
    return undefined;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
