import { hash } from 'node:crypto';
import { addressBlock } from '../../../base/address-block.ts';
import type { Clock } from '../../../base/clock.ts';
import type { LoginTally } from '../../../contract/store/logins.ts';
import type { Store } from '../../../storage/unit-of-work.ts';

/** How many failed attempts are allowed. @source authentication 13; decision 503 */
export interface LoginLimits {
  readonly login_failures_per_account: number;
  readonly login_failures_per_address: number;
  readonly login_failures_per_user: number;
}

/** An attempt to log in. */
export interface LoginAttempt {
  readonly factor: 'password' | 'code';
  /** The user name in lower case, whether or not such a user exists. */
  readonly name: string;
  readonly address: string;
  /** The id of the browser, if this user has logged in with it before. */
  readonly browserId: string | undefined;
}

/** Seconds per further failure of an address, and of a user over all addresses. @source decision 503 */
const ADDRESS_EACH_S = 18;
const USER_EACH_S = 30;

/** Counts failed attempts to log in. */
export type LoginThrottle = ReturnType<typeof loginThrottle>;

/**
 * A throttle whose counts survive a restart. Ten wrong passwords lock a user for one address. Guesses from many
 * addresses are slowed down but never locked, so that strangers cannot lock a user out; a browser in which the user has
 * logged in has a limit of its own. Codes are counted per user, because an attempt at one requires the password.
 * @source decision 503; decision 514
 */
export function loginThrottle({ store, clock, limits }: { store: Store; clock: Clock; limits: LoginLimits }) {
  return {
    /**
     * Seconds to wait after too many failures; otherwise `succeed`, which undoes the count: an attempt counts as failed
     * until then, so that parallel attempts cannot exceed the limit.
     */
    async begin(attempt: LoginAttempt): Promise<{ readonly wait_s: number } | { succeed(): Promise<void> }> {
      const rules = rulesFor(attempt, limits);
      const keys = [...rules.keys()];
      const locked = await store.write(async (tx): Promise<number | ReadonlySet<string>> => {
        const stored = await tx.loginTallies.lock(keys, EMPTY_TALLY);
        const now_s = Math.floor(clock.now() / 1000);
        const counted = [...rules].map(([id, rule]) =>
          countAttempt(stored.find((tally) => tally.id === id) ?? { id, ...EMPTY_TALLY }, rule, now_s),
        );
        const wait_s = Math.max(...counted.map((each) => ('wait_s' in each ? each.wait_s : 0)));
        if (wait_s > 0) return wait_s;
        const locked = new Set<string>();
        for (const { tally, isLocking } of counted.filter((each) => 'tally' in each)) {
          await tx.loginTallies.put(tally);
          if (isLocking) locked.add(tally.id);
        }
        return locked;
      });
      if (typeof locked === 'number') return { wait_s: locked };
      return {
        succeed: () =>
          store.write(async (tx) => {
            for (const tally of await tx.loginTallies.lock(keys, EMPTY_TALLY)) {
              await tx.loginTallies.put(undoAttempt(tally, rules.get(tally.id)!, locked.has(tally.id)));
            }
          }),
      };
    },
  };
}

/** The rules that an attempt counts against, by tally key. */
function rulesFor(
  { factor, name, address: from, browserId: browser }: LoginAttempt,
  limits: LoginLimits,
): Map<string, LoginRule> {
  const address = addressBlock(from);
  const { login_failures_per_account: own, login_failures_per_address, login_failures_per_user } = limits;
  const lock: LoginRule = { kind: 'lock', max: own };
  const ofAddress: LoginRule = { kind: 'drain', max: login_failures_per_address, each_s: ADDRESS_EACH_S };
  const ofUser: LoginRule = { kind: 'drain', max: login_failures_per_user, each_s: USER_EACH_S };
  const rows: (readonly [string[], LoginRule])[] = [[['address', address], ofAddress]];
  if (browser !== undefined) rows.push([['browser', factor, name, browser], lock]);
  else if (factor === 'code') rows.push([['code', name], lock]);
  else rows.push([['pair', name, address], lock], [['user', name], ofUser]);
  // Hashed, because a name as typed may be a password in the wrong field. @source decision 505
  return new Map(rows.map(([key, rule]) => [hash('sha256', JSON.stringify(key), 'base64url'), rule]));
}

/** How failures under one key limit further attempts. */
export type LoginRule =
  /**
   * `max` failures within 15 minutes lock the key for 15 minutes, and twice as long each time it happens again within a
   * day.
   */
  | { readonly kind: 'lock'; readonly max: number }
  /** `max` failures are allowed at once; after that, one every `each_s` seconds. */
  | { readonly kind: 'drain'; readonly max: number; readonly each_s: number };

const WINDOW_S = 900;
/** A lock within this time of the end of the last one lasts longer. @source decision 78 */
const REMEMBERED_S = 86_400;
const DOUBLINGS_MAX = 5;

/** The tally before any failure. */
export const EMPTY_TALLY: Omit<LoginTally, 'id'> = { failures: 0, since_s: 0, locked_until_s: 0, locks: 0, ends_s: 0 };

/** The tally after one more attempt, which counts as failed until it is undone; or the seconds to wait. */
export function countAttempt(
  tally: LoginTally,
  rule: LoginRule,
  now_s: number,
): { readonly tally: LoginTally; readonly isLocking: boolean } | { readonly wait_s: number } {
  const known = since(tally, now_s);
  return rule.kind === 'lock' ? lockedBy(known, rule.max, now_s) : drained(known, rule, now_s);
}

/**
 * Moves a tally that begins in the future to now: the clock was set back, which must not lengthen the wait.
 * @source decision 613
 */
function since(tally: LoginTally, now_s: number): LoginTally {
  const ahead_s = tally.since_s - now_s;
  if (ahead_s <= 0) return tally;
  const { locked_until_s, ends_s } = tally;
  return { ...tally, since_s: now_s, locked_until_s: Math.max(0, locked_until_s - ahead_s), ends_s: ends_s - ahead_s };
}

/** The tally after an attempt has succeeded. */
function undoAttempt(tally: LoginTally, rule: LoginRule, isLocking: boolean): LoginTally {
  if (rule.kind === 'drain') return { ...tally, failures: Math.max(0, tally.failures - 1) };
  return { ...tally, failures: 0, ...(isLocking && { locked_until_s: 0, locks: Math.max(0, tally.locks - 1) }) };
}

function lockedBy(known: LoginTally, max: number, now_s: number): ReturnType<typeof countAttempt> {
  const { id } = known;
  const isOver = now_s >= known.ends_s;
  const isNewWindow = now_s >= known.since_s + WINDOW_S && now_s >= known.locked_until_s;
  const fresh = { failures: 0, since_s: now_s };
  const tally = isOver ? { ...EMPTY_TALLY, id, ...fresh } : isNewWindow ? { ...known, ...fresh } : known;
  if (tally.locked_until_s > now_s) return { wait_s: tally.locked_until_s - now_s };
  const failures = tally.failures + 1;
  const isLocking = failures >= max;
  const lock_s = WINDOW_S * 2 ** Math.min(tally.locks, DOUBLINGS_MAX);
  const locked_until_s = isLocking ? now_s + lock_s : tally.locked_until_s;
  const locks = tally.locks + (isLocking ? 1 : 0);
  const ends_s = Math.max(tally.since_s + WINDOW_S, locks > 0 ? locked_until_s + REMEMBERED_S : 0);
  return { tally: { ...tally, failures, locked_until_s, locks, ends_s }, isLocking };
}

function drained(
  known: LoginTally,
  { max, each_s }: Extract<LoginRule, { kind: 'drain' }>,
  now_s: number,
): ReturnType<typeof countAttempt> {
  const gone = Math.max(0, Math.floor((now_s - known.since_s) / each_s));
  const left = Math.max(0, known.failures - gone);
  const since_s = left === 0 ? now_s : known.since_s + gone * each_s;
  if (left >= max) return { wait_s: Math.max(1, since_s + each_s - now_s) };
  const failures = left + 1;
  return { tally: { ...known, failures, since_s, ends_s: since_s + failures * each_s }, isLocking: false };
}
