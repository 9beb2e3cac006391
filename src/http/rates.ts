import type { Clock } from '../base/clock.ts';
import type { Operation, Principal } from '../contract/operation.ts';
import { RATES, type RateCategory, type RateSetting } from '../contract/rates.ts';
import type { Environment } from '../contract/resource.ts';

/** The limits of calls, numbers from the settings. */
export type RateLimits = { readonly isOn: boolean } & Readonly<Record<RateSetting, number>>;

/** How many calls an open window has counted, and when it ends. */
export interface Counter {
  used: number;
  reset_s: number;
}

/** The state of a window after a call. Reset is in Unix seconds. */
export interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** What a call took: the window of its user, and of its account where there is one. */
export interface Taken {
  readonly user: Window;
  readonly account: Window | undefined;
  readonly isRefused: boolean;
  readonly counters: readonly Counter[];
}

/** Counts calls in fixed windows that open with their first call. */
export interface Rates {
  /** Takes one call. A refused call takes nothing. */
  take(operation: Operation, scope: RateScope): Taken;
  /** Undoes a call that came to nothing through a fault of ours. @source authentication gaps 13 */
  giveBack(taken: Taken): Taken;
}

/** Whom a call is counted for. */
export interface RateScope {
  readonly environment: Environment;
  readonly principal: Principal;
  readonly account: string | undefined;
  readonly withTotalCount: boolean;
}

/** Counters are swept this often. */
const SWEEP_S = 900;

/** With limits switched off they are raised out of reach; counting and headers stay. */
const OUT_OF_REACH = 1_000_000_000;

/** Windows in this process. */
export function rateWindows(limits: RateLimits, clock: Clock): Rates {
  const counters = new Map<string, Counter>();
  let sweptAt = 0;

  const counterOf = (key: string, window_s: number, now_s: number): Counter => {
    const known = counters.get(key);
    if (known && known.reset_s > now_s) return known;
    const opened = { used: 0, reset_s: now_s + window_s };
    counters.set(key, opened);
    return opened;
  };
  const sweep = (now_s: number): void => {
    sweptAt = now_s;
    for (const [key, counter] of counters) if (counter.reset_s <= now_s) counters.delete(key);
  };
  const limitOf = (rule: RateCategory): number => (limits.isOn ? limits[rule.setting] : OUT_OF_REACH);

  return {
    take(operation, { environment, principal, account, withTotalCount }) {
      const now_s = Math.floor(clock.now() / 1000);
      if (now_s - sweptAt > SWEEP_S) sweep(now_s);
      const rule = RATES[operation.rate];
      const own = rule.together ? operation.rate : operation.id;
      const userRule = withTotalCount ? RATES.total_count : rule.perAccount ? RATES.user_quota : rule;
      const userName = withTotalCount ? `total ${operation.id}` : rule.perAccount ? 'quota' : own;
      // The token of a user for an application: issued anew, it is the same caller.
      const caller = `u${principal.user} ${principal.application}`;
      const user = counterOf(`${environment} ${userName} ${caller}`, userRule.window_s, now_s);
      const shared =
        rule.perAccount && account !== undefined
          ? counterOf(`${environment} ${own} a${account}`, rule.window_s, now_s)
          : undefined;
      const isRefused = user.used >= limitOf(userRule) || (shared !== undefined && shared.used >= limitOf(rule));
      if (!isRefused) {
        user.used += 1;
        if (shared) shared.used += 1;
      }
      return {
        user: windowOf(user, limitOf(userRule)),
        account: shared && windowOf(shared, limitOf(rule)),
        isRefused,
        counters: isRefused ? [] : shared ? [user, shared] : [user],
      };
    },
    giveBack(taken) {
      const { counters: counted, user, account } = taken;
      if (counted.length === 0) return taken;
      for (const counter of counted) counter.used -= 1;
      return { ...taken, user: oneMore(user), account: account && oneMore(account), counters: [] };
    },
  };
}

function oneMore(window: Window): Window {
  return { ...window, remaining: window.remaining + 1 };
}

function windowOf(counter: Counter, limit: number): Window {
  return { limit, remaining: Math.max(0, limit - counter.used), reset: counter.reset_s };
}
