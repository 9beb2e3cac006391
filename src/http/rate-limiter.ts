import { addressBlock } from '../base/address-block.ts';
import type { Clock } from '../base/clock.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import { applicationOf, type Caller, type Principal } from '../contract/declare/callers.ts';
import type { Operation } from '../contract/declare/operation.ts';
import {
  RATES,
  type RateCategory,
  type RateSetting,
  type RateWindow,
  type UsedWindow,
} from '../contract/declare/rates.ts';
import type { RateWindows, WindowCharge, WindowState, WindowUsage } from '../contract/services/rate-windows.ts';
import type { Application } from '../contract/store/credentials.ts';

/** The rate limits, as numbers from the settings. */
export type RateLimits = { readonly isOn: boolean } & Readonly<Record<RateSetting, number>>;

/** The windows that a call was charged to: that of its caller, and that of its account or address, if any. */
export interface RateUsage {
  readonly user: RateWindow;
  readonly account: RateWindow | undefined;
  readonly address: RateWindow | undefined;
  readonly isRefused: boolean;
  /** The charges to refund; undefined for a call that was not counted. */
  readonly counted: { readonly charges: readonly WindowCharge[]; readonly usage: WindowUsage } | undefined;
}

/**
 * Counts calls in fixed windows that open with their first call; those of addresses are per IPv6 /64. Synchronous if the
 * windows are; the promises never reject.
 * @source decision 470, 472, 744
 */
export interface RateLimiter {
  /** Counts one call. A refused call is not counted. */
  take(operation: Operation, scope: RateScope): RateUsage | Promise<RateUsage>;
  /**
   * Returns the current windows of a caller for some operations, as `take` would report them as `user`. Counts nothing and
   * opens no window.
   */
  peek(operations: readonly Operation[], scope: CallerScope): readonly RateWindow[] | Promise<readonly RateWindow[]>;
  /** Refunds a call that failed with an internal error. @source authentication 13; decision 58 */
  refund(taken: RateUsage): RateUsage;
  /** Resets all windows, for development; undefined if other processes share them. */
  readonly reset?: (() => void) | undefined;
}

type CallerScope = Pick<RateScope, 'environment' | 'caller'>;

/** The caller, account and address to which a call is charged. */
export interface RateScope {
  readonly environment: Environment;
  readonly caller: Caller;
  readonly address: string;
  readonly account: string | undefined;
  readonly withTotalCount: boolean;
}

/** The limits when rate limiting is off; counting and headers remain. @source decision 3 */
const OUT_OF_REACH = 1_000_000_000;

/** The charge of the caller comes first, then that of the account or address, if any. */
type Charges = readonly [user: WindowCharge, ...shared: WindowCharge[]];

/** Creates a rate limiter over these windows. */
export function rateLimiter(limits: RateLimits, clock: Clock, windows: RateWindows): RateLimiter {
  const limitOf = (setting: RateSetting): number => (limits.isOn ? limits[setting] : OUT_OF_REACH);
  const chargeOf = (key: string, { setting, window_s }: RateCategory): WindowCharge => {
    return { key, isOfAddress: false, window_s, limit: limitOf(setting) };
  };
  const chargesOf = (operation: Operation, scope: RateScope): Charges => {
    const { environment, address, account } = scope;
    const rule = RATES[operation.rate];
    const { key, rule: userRule } = callerWindow(operation, scope);
    const user = chargeOf(key, userRule);
    if (rule.perAccount && account !== undefined) {
      return [user, chargeOf(`${environment} ${windowName(operation)} a${account}`, rule)];
    }
    if (rule.address === undefined) return [user];
    const place = `${listenerOf(rule, environment)} ${windowName(operation)} ${addressBlock(address)}`;
    return [user, { key: place, isOfAddress: true, window_s: rule.window_s, limit: limitOf(rule.address) }];
  };
  const now_s = (): number => Math.floor(clock.now() / 1000);

  return {
    reset: windows.clear,
    take(operation, scope) {
      const charges = chargesOf(operation, scope);
      const usage = windows.take(charges, now_s());
      return usage instanceof Promise ? usage.then((each) => usageOf(charges, each)) : usageOf(charges, usage);
    },
    peek(operations, { environment, caller }) {
      const charges = operations.map((operation) => {
        const { key, rule } = callerWindow(operation, { environment, caller, withTotalCount: false });
        return chargeOf(key, rule);
      });
      const shown = (states: readonly WindowState[]) => states.map((state, at) => windowOf(state, charges[at]!.limit));
      const states = windows.peek(charges, now_s());
      return states instanceof Promise ? states.then(shown) : shown(states);
    },
    refund(taken) {
      const { counted, user, account } = taken;
      if (counted === undefined) return taken;
      windows.refund(counted.charges, counted.usage);
      return { ...taken, user: oneMore(user), account: account && oneMore(account), counted: undefined };
    },
  };
}

function usageOf(charges: Charges, usage: WindowUsage): RateUsage {
  const { isRefused, windows } = usage;
  const shared = charges[1];
  const second = shared && windowOf(windows[1]!, shared.limit);
  return {
    user: windowOf(windows[0]!, charges[0].limit),
    account: shared?.isOfAddress ? undefined : second,
    address: shared?.isOfAddress ? second : undefined,
    isRefused,
    counted: isRefused ? undefined : { charges, usage },
  };
}

/** The key and rule of the caller window of an operation. */
function callerWindow(
  operation: Operation,
  { environment, caller, withTotalCount }: Pick<RateScope, 'environment' | 'caller' | 'withTotalCount'>,
): { readonly key: string; readonly rule: RateCategory } {
  const rule = RATES[operation.rate];
  const who = countedAs(caller, rule);
  if (withTotalCount) return { key: `${environment} total ${operation.id} ${who}`, rule: RATES.total_count };
  if (rule.perAccount) return { key: `${environment} quota ${who}`, rule: RATES.user_quota };
  return { key: `${listenerOf(rule, environment)} ${windowName(operation)} ${who}`, rule };
}

function listenerOf({ ofBothListeners }: RateCategory, environment: Environment): string {
  return ofBothListeners ? 'both' : environment;
}

/** The name of a window: that of the category, or of the operation when each has its own. */
function windowName({ rate, id }: Operation): string {
  return RATES[rate].together ? rate : id;
}

/**
 * The key of a caller: a user through an application, whatever token they use, or the application or publisher itself.
 * @source decision 56
 */
function countedAs(caller: Caller, rule: RateCategory): string {
  if (caller.kind === 'user' && !rule.perApplication) return `u${caller.user} ${caller.application}`;
  return caller.kind === 'publisher' ? `p${caller.publisher.id}` : `c${applicationOf(caller)}`;
}

function oneMore(window: RateWindow): RateWindow {
  return { ...window, remaining: window.remaining + 1 };
}

function windowOf({ used, reset_s }: WindowState, limit: number): RateWindow {
  return { limit, remaining: Math.max(0, limit - used), reset: reset_s };
}

const ENVIRONMENTS = ['production', 'sandbox'] as const;

/** Lists the used rate windows of an application, for its own calls and those for a user. Counts nothing. */
export async function usedWindows(
  { rateLimiter, operations }: { readonly rateLimiter: RateLimiter; readonly operations: readonly Operation[] },
  application: Application,
  user: string,
): Promise<UsedWindow[]> {
  const principal: Principal = {
    ...{ kind: 'user', user, application: application.id, tokenId: '', token: '' },
    ...{ level: application.access_level, applicationLevel: application.access_level },
  };
  const callers = [
    ['user', principal],
    ['application', { kind: 'application', application }],
  ] as const;
  const found: UsedWindow[] = [];
  for (const environment of ENVIRONMENTS) {
    for (const [whose, caller] of callers) {
      const own = operations.filter(({ credential = 'user', onlyIn = environment, rate }) => {
        const isListed = onlyIn === environment && !(RATES[rate].ofBothListeners && environment !== ENVIRONMENTS[0]);
        return isListed && (credential === 'user-or-bearer' || (credential === 'user') === (whose === 'user'));
      });
      const windows = await rateLimiter.peek(own, { environment, caller });
      const byName = new Map(own.map((operation, at) => [nameOf(operation), { operation, window: windows[at]! }]));
      for (const [name, { operation, window }] of byName) {
        const environments = RATES[operation.rate].ofBothListeners ? ENVIRONMENTS : [environment];
        if (window.remaining < window.limit) found.push({ environments, name, whose, ...window });
      }
    }
  }
  return found.sort((a, b) => a.remaining / a.limit - b.remaining / b.limit);
}

/** The name of the caller window, which several operations may share. */
function nameOf({ rate, path }: Operation): string {
  const { perAccount, together } = RATES[rate];
  return perAccount ? 'user_quota' : together ? rate : path;
}
