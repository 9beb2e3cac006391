import { hash } from 'node:crypto';
import { addressBlock } from '../../../base/address-block.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { countAttempt, EMPTY_TALLY, type LoginRule, undoAttempt } from './login-tallies.ts';

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
