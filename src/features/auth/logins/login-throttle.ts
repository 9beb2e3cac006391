import { createHash } from 'node:crypto';
import { addressBlock } from '../../../base/address-block.ts';
import type { Clock } from '../../../base/clock.ts';
import type { LoginTally } from '../../../contract/store/logins.ts';
import type { Store } from '../../../contract/store/store.ts';
import { countAttempt, EMPTY_TALLY, type LoginRule, undoAttempt } from './login-tallies.ts';

/** How many attempts that fail are let through. @source authentication gaps 13 */
export interface LoginLimits {
  readonly login_failures_per_account: number;
  readonly login_failures_per_address: number;
  readonly login_failures_per_user: number;
}

/** Who tries what. */
export interface LoginAttempt {
  readonly factor: 'password' | 'code';
  /** The user name, in lower case, whether or not somebody has it. */
  readonly name: string;
  readonly address: string;
  /** The browser, when this user has logged in with it before. */
  readonly browserId: string | undefined;
}

/** Counts attempts that fail. Each counts as failed until it is taken back, so that none slips by in parallel. */
export interface LoginThrottle {
  /** Seconds to wait when there were too many; otherwise what takes the attempt back. */
  begin(attempt: LoginAttempt): Promise<{ readonly wait_s: number } | { succeed(): Promise<void> }>;
}

/** How soon an address, or a user whom many addresses try, may fail once more. */
const ADDRESS_EACH_S = 18;
const USER_EACH_S = 30;

/**
 * A throttle that a restart does not forget. Ten wrong passwords lock a user for one address; from many addresses guesses
 * are let through one by one, so that nobody is locked out by strangers; a browser in which the user logged in before has
 * a budget of its own. Codes are counted per user: whoever tries them has the password already.
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

/** What an attempt counts against, by key. */
function rulesFor(
  { factor: what, name, address: from, browserId: browser }: LoginAttempt,
  limits: LoginLimits,
): Map<string, LoginRule> {
  const address = addressBlock(from);
  const { login_failures_per_account: own, login_failures_per_address, login_failures_per_user } = limits;
  const lock: LoginRule = { kind: 'lock', max: own };
  const ofAddress: LoginRule = { kind: 'drain', max: login_failures_per_address, each_s: ADDRESS_EACH_S };
  const ofUser: LoginRule = { kind: 'drain', max: login_failures_per_user, each_s: USER_EACH_S };
  const rows: (readonly [string[], LoginRule])[] = [[['address', address], ofAddress]];
  if (browser !== undefined) rows.push([['browser', what, name, browser], lock]);
  else if (what === 'code') rows.push([['code', name], lock]);
  else rows.push([['pair', name, address], lock], [['user', name], ofUser]);
  return new Map(rows.map(([words, rule]) => [keyOf(words), rule]));
}

/** What people type may be a password in the wrong box, so that only a digest of it is kept. */
function keyOf(words: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('base64url');
}
