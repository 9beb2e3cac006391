import { hash } from 'node:crypto';
import { tryOpen } from '../../../base/secret-box.ts';
import type { PageRequest, UserRequest } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { User } from '../../../contract/store/credentials.ts';
import type { DeviceCookies } from './device-cookies.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { consumeCode, hasSecondFactor, type SecondFactorDeps } from './second-factor.ts';

/** An authenticated user, and the cookie that recognizes their browser from now on. */
export interface LoggedIn {
  readonly user: User;
  readonly deviceCookie: string;
  readonly audited: readonly AuditedEvent[];
}

/** A refused login. An unknown name counts as a wrong password, so that no reply reveals which names exist. */
type Refused =
  | { readonly wrong: 'password' | 'code' | 'late'; readonly audited: readonly AuditedEvent[] }
  | { readonly wait_s: number; readonly audited: readonly AuditedEvent[] };

/** The outcome of a login. */
export type LoginOutcome =
  | LoggedIn
  | Refused
  /** The password is right and a code is required; the form sends `pending` back with the code. */
  | { readonly pending: string; readonly wrong?: 'code'; readonly audited: readonly AuditedEvent[] };

/** The dependencies of logins. */
export interface LoginDeps extends SecondFactorDeps {
  readonly throttle: LoginThrottle;
  readonly devices: DeviceCookies;
  /** Whether a password matches a stored hash. Slow, so never called inside a unit of work. */
  verifyPassword(password: string, stored: string): Promise<boolean>;
}

/** A hash that no password matches, verified for unknown names, so that they take as long as known ones. */
const NOBODY = `argon2id$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Longer input is cut; no stored password is this long. */
const PASSWORD_CHARACTERS_MAX = 1000;
const NAME_CHARACTERS_MAX = 100;
const CODE_CHARACTERS_MAX = 100;
/** How long after the password the code is accepted. */
const PENDING_S = 300;
const PENDING = 'pending_login';

/**
 * Checks the name and password of a login form, or the code of the form that follows it.
 * @source authentication 13 and 15.2
 */
export async function logIn(deps: LoginDeps, request: PageRequest): Promise<LoginOutcome> {
  const sealed = request.parameter('session[pending]');
  if (sealed !== undefined) return finish(deps, request, sealed);
  const checked = await checkPassword(deps, request, request.parameter('session[username_or_email]') ?? '');
  if (!('user' in checked)) return checked;
  const { user } = checked;
  // Suspended and locked users see the reason without a code: they get no further.
  const needsCode = !user.suspended && !user.locked && (await hasSecondFactor(deps, user.id));
  return needsCode ? { pending: pendingOf(deps, request, user), audited: [] } : loggedIn(deps, request, user);
}

/**
 * Checks the password of a user who is logged in already, and the code if they have turned codes on.
 * @source decision 515
 */
export async function reauthenticate(deps: LoginDeps, request: UserRequest): Promise<LoggedIn | Refused> {
  const checked = await checkPassword(deps, request, request.user.screen_name);
  if (!('user' in checked)) return checked;
  if (!(await hasSecondFactor(deps, checked.user.id))) return loggedIn(deps, request, checked.user);
  return checkCode(deps, request, checked.user);
}

/** Checks name and password under the throttle. Its failures go to the log alone. @source decision 591 */
async function checkPassword(
  { store, throttle, devices, verifyPassword }: LoginDeps,
  { parameter, address, deviceCookie }: PageRequest,
  typedName: string,
): Promise<{ readonly user: User } | Refused> {
  const name = typedName.trim().replace(/^@/, '').slice(0, NAME_CHARACTERS_MAX).replaceAll('\0', '');
  const user = await store.read((tx) => tx.credentials.findUserByName(name));
  const browser = user && devices.browserIdFor(deviceCookie, user);
  const attempt = await throttle.begin({ factor: 'password', name: name.toLowerCase(), address, browserId: browser });
  if ('wait_s' in attempt) return { ...attempt, audited: [{ event: 'login_throttled' }] };
  const password = (parameter('session[password]') ?? '').slice(0, PASSWORD_CHARACTERS_MAX);
  const isRight = await verifyPassword(password, user?.password_hash || NOBODY);
  if (!user || !isRight) return { wrong: 'password', audited: [{ event: 'login_failed' }] };
  await attempt.succeed();
  return { user };
}

async function checkCode(deps: LoginDeps, request: PageRequest, user: User): Promise<LoggedIn | Refused> {
  const { throttle, devices } = deps;
  const { parameter, address, deviceCookie } = request;
  const browser = devices.browserIdFor(deviceCookie, user);
  const name = user.screen_name.toLowerCase();
  const attempt = await throttle.begin({ factor: 'code', name, address, browserId: browser });
  const note = (event: AuditedEvent['event']): AuditedEvent[] => [{ event, user_id: user.id }];
  if ('wait_s' in attempt) return { ...attempt, audited: note('login_throttled') };
  const used = await consumeCode(deps, user.id, (parameter('session[code]') ?? '').slice(0, CODE_CHARACTERS_MAX));
  if (!used) return { wrong: 'code', audited: note('login_failed') };
  await attempt.succeed();
  return loggedIn(deps, request, user, used === 'recovery' ? note('recovery_code_used') : []);
}

function loggedIn(
  { devices }: LoginDeps,
  { deviceCookie }: PageRequest,
  user: User,
  audited: readonly AuditedEvent[] = [],
): LoggedIn {
  return { user, deviceCookie: devices.afterLogin(deviceCookie, user.id), audited };
}

/**
 * The sealed state between the password and the code, bound to the browser and the password, and limited in time.
 * @source decision 513
 */
interface Pending {
  readonly user: string;
  readonly until_s: number;
  readonly form: string;
  readonly password: string;
}

function pendingOf({ box, wallClock }: LoginDeps, request: PageRequest, user: User): string {
  const until_s = Math.floor(wallClock.now() / 1000) + PENDING_S;
  return box.seal(JSON.stringify({ user: user.id, until_s, ...bindingsOf(request, user) } satisfies Pending), PENDING);
}

function bindingsOf({ formFields }: PageRequest, { password_hash }: User): Pick<Pending, 'form' | 'password'> {
  return { form: digest(formFields.authenticity_token), password: digest(password_hash) };
}

async function finish(deps: LoginDeps, request: PageRequest, sealed: string): Promise<LoginOutcome> {
  const opened = tryOpen(deps.box, sealed, PENDING);
  const pending: Pending | undefined = opened && JSON.parse(opened);
  const user = pending && (await deps.store.read((tx) => tx.credentials.findUser(pending.user)));
  const bindings = user && bindingsOf(request, user);
  const isValid = bindings?.form === pending?.form && bindings?.password === pending?.password;
  if (!user || !isValid || deps.wallClock.now() >= pending!.until_s * 1000) {
    return { wrong: 'late', audited: [{ event: 'login_failed' }] };
  }
  const outcome = await checkCode(deps, request, user);
  return 'wrong' in outcome ? { pending: sealed, wrong: 'code', audited: outcome.audited } : outcome;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
