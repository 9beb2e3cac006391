import type { Clock } from '../base/clock.ts';
import type { Operation, Principal, RateName } from '../contract/operation.ts';
import type { Environment } from '../contract/resource.ts';

/** The limits of calls, numbers from the settings. */
export interface RateLimits {
  readonly isOn: boolean;
  readonly rate_writes_per_min: number;
  readonly rate_account_reads_per_15min: number;
  readonly rate_account_reads_small_per_15min: number;
  readonly rate_reads_per_15min: number;
  readonly rate_global_reads_per_15min: number;
  readonly rate_total_count_per_15min: number;
  readonly rate_user_quota_per_15min: number;
  readonly rate_revocations_per_15min: number;
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
}

/** Counts calls in fixed windows that open with their first call. */
export interface Rates {
  /** Takes one call. A refused call takes nothing. */
  take(operation: Operation, scope: RateScope): Taken;
}

/** Whom a call is counted for. */
export interface RateScope {
  readonly environment: Environment;
  readonly principal: Principal;
  readonly account: string | undefined;
  readonly withTotalCount: boolean;
}

interface Rule {
  readonly setting: Exclude<keyof RateLimits, 'isOn'>;
  readonly window_s: number;
  /** Counted per account rather than per user; the user's window is then the large general quota. */
  readonly perAccount: boolean;
  /** All operations of the category together, or each by itself. */
  readonly together: boolean;
}

const QUARTER = 900;

/** @source campaigns 3.2; authentication gaps 13 */
const rules: Readonly<Record<RateName | 'user_quota' | 'total_count', Rule>> = {
  writes: { setting: 'rate_writes_per_min', window_s: 60, perAccount: false, together: true },
  account_reads: { setting: 'rate_account_reads_per_15min', window_s: QUARTER, perAccount: true, together: false },
  account_reads_small: {
    setting: 'rate_account_reads_small_per_15min',
    window_s: QUARTER,
    perAccount: true,
    together: false,
  },
  reads: { setting: 'rate_reads_per_15min', window_s: QUARTER, perAccount: false, together: false },
  global_reads: { setting: 'rate_global_reads_per_15min', window_s: QUARTER, perAccount: false, together: false },
  revocations: { setting: 'rate_revocations_per_15min', window_s: QUARTER, perAccount: false, together: true },
  user_quota: { setting: 'rate_user_quota_per_15min', window_s: QUARTER, perAccount: false, together: true },
  total_count: { setting: 'rate_total_count_per_15min', window_s: QUARTER, perAccount: false, together: false },
};

/** With limits switched off they are raised out of reach; counting and headers stay. */
const OUT_OF_REACH = 1_000_000_000;

interface Counter {
  used: number;
  reset_s: number;
}

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
  const limitOf = (rule: Rule): number => (limits.isOn ? limits[rule.setting] : OUT_OF_REACH);

  return {
    take(operation, { environment, principal, account, withTotalCount }) {
      const now_s = Math.floor(clock.now() / 1000);
      if (now_s - sweptAt > QUARTER) sweep(now_s);
      const rule = rules[operation.rate];
      const own = rule.together ? operation.rate : operation.id;
      const userRule = withTotalCount ? rules.total_count : rule.perAccount ? rules.user_quota : rule;
      const userName = withTotalCount ? `total ${operation.id}` : rule.perAccount ? 'quota' : own;
      const user = counterOf(`${environment} ${userName} u${principal.user}`, userRule.window_s, now_s);
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
      };
    },
  };
}

function windowOf(counter: Counter, limit: number): Window {
  return { limit, remaining: Math.max(0, limit - counter.used), reset: counter.reset_s };
}
