import { addressBlock } from '../base/address-block.ts';
import type { Clock } from '../base/clock.ts';
import { type Counter, fixedWindows } from '../base/windows.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import { applicationOf, type Caller } from '../contract/declare/callers.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { RATES, type RateCategory, type RateSetting, type RateWindow } from '../contract/declare/rates.ts';

/** The rate limits, as numbers from the settings. */
export type RateLimits = { readonly isOn: boolean } & Readonly<Record<RateSetting, number>>;

/** What a call has used: the window of its caller, and that of its account or address, if any. */
export interface RateUsage {
  readonly user: RateWindow;
  readonly account: RateWindow | undefined;
  readonly address: RateWindow | undefined;
  readonly isRefused: boolean;
  readonly counters: readonly Counter[];
}

/**
 * Counts calls in fixed windows that open with their first call; those of addresses are per IPv6 /64.
 * @source decision 470, 472
 */
export interface RateLimiter {
  /** Counts one call. A refused call is not counted. */
  take(operation: Operation, scope: RateScope): RateUsage;
  /** The current window of a caller, as `take` would report it as `user`. Counts nothing and opens no window. */
  peek(operation: Operation, scope: Pick<RateScope, 'environment' | 'caller'>): RateWindow;
  /** Takes back a call that failed because of an internal error. @source authentication gaps 13; decision 58 */
  refund(taken: RateUsage): RateUsage;
}

/** To whom a call is charged. */
export interface RateScope {
  readonly environment: Environment;
  readonly caller: Caller;
  readonly address: string;
  readonly account: string | undefined;
  readonly withTotalCount: boolean;
}

/** The number of open windows of callers and accounts, and as many of addresses. @source decision 471 */
const CALLERS_MAX = 200_000;
const ADDRESSES_MAX = 100_000;

/** The limits when rate limiting is off; counting and headers remain. @source decision 3 */
const OUT_OF_REACH = 1_000_000_000;

/** Keeps the windows in memory of this process. @source decision 67 */
export function rateLimiter(limits: RateLimits, clock: Clock): RateLimiter {
  const callers = fixedWindows(CALLERS_MAX);
  // Kept apart, because callers cannot choose their number of tokens, but can choose their number of addresses.
  const addresses = fixedWindows(ADDRESSES_MAX);
  const limitOfSetting = (setting: RateSetting): number => (limits.isOn ? limits[setting] : OUT_OF_REACH);
  const limitOf = (rule: RateCategory): number => limitOfSetting(rule.setting);

  return {
    take(operation, { environment, caller, address, account, withTotalCount }) {
      const now_s = Math.floor(clock.now() / 1000);
      const rule = RATES[operation.rate];
      const own = windowName(operation);
      const { key, rule: userRule } = callerWindow(operation, { environment, caller, withTotalCount });
      const user = callers.open(key, userRule.window_s, now_s);
      const shared =
        rule.perAccount && account !== undefined
          ? callers.open(`${environment} ${own} a${account}`, rule.window_s, now_s)
          : undefined;
      const addressLimit = rule.address === undefined ? 0 : limitOfSetting(rule.address);
      const place =
        rule.address === undefined
          ? undefined
          : addresses.open(`${environment} ${own} ${addressBlock(address)}`, rule.window_s, now_s);
      const isRefused =
        user.used >= limitOf(userRule) ||
        (shared !== undefined && shared.used >= limitOf(rule)) ||
        (place !== undefined && place.used >= addressLimit);
      if (!isRefused) {
        user.used += 1;
        if (shared) shared.used += 1;
        if (place) place.used += 1;
      }
      return {
        user: windowOf(user, limitOf(userRule)),
        account: shared && windowOf(shared, limitOf(rule)),
        address: place && windowOf(place, addressLimit),
        isRefused,
        counters: isRefused ? [] : shared ? [user, shared] : place ? [user, place] : [user],
      };
    },
    peek(operation, { environment, caller }) {
      const now_s = Math.floor(clock.now() / 1000);
      const { key, rule } = callerWindow(operation, { environment, caller, withTotalCount: false });
      const known = callers.find(key, rule.window_s, now_s);
      return windowOf(known ?? { used: 0, reset_s: now_s + rule.window_s }, limitOf(rule));
    },
    refund(taken) {
      const { counters, user, account } = taken;
      if (counters.length === 0) return taken;
      for (const counter of counters) counter.used -= 1;
      return { ...taken, user: oneMore(user), account: account && oneMore(account), counters: [] };
    },
  };
}

/** The window of the caller that calls of an operation are charged to, beside that of an account: its key and rule. */
function callerWindow(
  operation: Operation,
  { environment, caller, withTotalCount }: Pick<RateScope, 'environment' | 'caller' | 'withTotalCount'>,
): { readonly key: string; readonly rule: RateCategory } {
  const rule = RATES[operation.rate];
  const who = countedAs(caller, rule);
  if (withTotalCount) return { key: `${environment} total ${operation.id} ${who}`, rule: RATES.total_count };
  if (rule.perAccount) return { key: `${environment} quota ${who}`, rule: RATES.user_quota };
  return { key: `${environment} ${windowName(operation)} ${who}`, rule };
}

/** The name of a window: that of the category, or of the operation when each has its own. */
function windowName({ rate, id }: Operation): string {
  return RATES[rate].together ? rate : id;
}

/**
 * The key of a caller: a user through an application, whatever token they use, or the application itself.
 * @source decision 56
 */
function countedAs(caller: Caller, rule: RateCategory): string {
  if (caller.kind === 'user' && !rule.perApplication) return `u${caller.user} ${caller.application}`;
  return `c${applicationOf(caller)}`;
}

function oneMore(window: RateWindow): RateWindow {
  return { ...window, remaining: window.remaining + 1 };
}

function windowOf(counter: Counter, limit: number): RateWindow {
  return { limit, remaining: Math.max(0, limit - counter.used), reset: counter.reset_s };
}
