import { createHash } from 'node:crypto';
import { addressBlock } from '../../../base/address-block.ts';
import type { Clock } from '../../../base/clock.ts';
import type { LoginTally } from '../../../contract/store/logins.ts';
import type { Store } from '../../../contract/store/store.ts';
import { countAttempt, EMPTY_TALLY, type LoginRule, undoAttempt } from './login-tallies.ts';

/** How many failed attempts are allowed. @source authentication gaps 13; decision 503 */
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

/**
 * Counts failed attempts. Each counts as failed until it succeeds, so that parallel attempts cannot exceed the limit.
 */
export interface LoginThrottle {
  /** Seconds to wait after too many failures; otherwise `succeed`, which undoes the count. */
  begin(attempt: LoginAttempt): Promise<{ readonly wait_s: number } | { succeed(): Promise<void> }>;
}

/** Seconds per further failure of an address, and of a user over all addresses. @source decision 503 */
const ADDRESS_EACH_S = 18;
const USER_EACH_S = 30;

/**
 * A throttle whose counts survive a restart. Ten wrong passwords lock a user for one address. Guesses from many
 * addresses are slowed down but never locked, so that strangers cannot lock a user out; a browser in which the user has
 * logged in has a limit of its own. Codes are counted per user, because an attempt at one requires the password.
 * @source decision 503; decision 514
 */
export function loginThrottle(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: LoginLimits;
}): LoginThrottle {
  const { store, clock, limits } = deps;
  const now = (): number => Math.floor(clock.now() / 1000);
  return {
    async begin(attempt) {
      const rules = rulesFor(attempt, limits);
      const begun = await store.write(async (tx): Promise<number | ReadonlySet<string>> => {
        const kept = await tx.loginTallies.lock([...rules.keys()], EMPTY_TALLY);
        const known = new Map(kept.map((tally) => [tally.id, tally]));
        const tried = [...rules].map(([id, rule]) => countAttempt(known.get(id) ?? blank(id), rule, now()));
        const wait_s = Math.max(0, ...tried.map((each) => ('wait_s' in each ? each.wait_s : 0)));
        if (wait_s > 0) return wait_s;
        const counted = tried.filter((each) => 'tally' in each);
        for (const { tally } of counted) await tx.loginTallies.put(tally);
        return new Set(counted.filter(({ isLocking }) => isLocking).map(({ tally }) => tally.id));
      });
      if (typeof begun === 'number') return { wait_s: begun };
      return {
        succeed: () =>
          store.write(async (tx) => {
            for (const tally of await tx.loginTallies.lock([...rules.keys()], EMPTY_TALLY)) {
              await tx.loginTallies.put(undoAttempt(tally, rules.get(tally.id)!, begun.has(tally.id)));
            }
          }),
      };
    },
  };
}

function blank(id: string): LoginTally {
  return { id, ...EMPTY_TALLY };
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
  return new Map(rows.map(([words, rule]) => [keyOf(words), rule]));
}

/**
 * The digest under which a tally is stored: a name as typed may be a password in the wrong field.
 * @source decision 505
 */
function keyOf(words: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('base64url');
}
