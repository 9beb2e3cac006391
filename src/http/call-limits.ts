import type { Authenticated, Caller, NonceUse } from '../contract/declare/callers.ts';
import type { Operation, OperationWindow } from '../contract/declare/operation.ts';
import { Problem } from '../contract/problems/problems.ts';
import type { AddressLimiter } from './address-limiter.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';
import type { RateScope, RateUsage } from './rate-limiter.ts';
import { rateScopeOf } from './reply.ts';

/**
 * Stops an address that sends too many requests before they cost anything; the headers report the window that is full.
 */
export function limitAddress(
  { addressOf, services }: PipelineDependencies,
  exchange: Exchange,
  limiter: AddressLimiter,
): void {
  const wait_s = limiter.take(addressOf(exchange.request));
  if (wait_s === undefined) return;
  const reset = Math.floor(services.wallClock.now() / 1000) + wait_s;
  const filled = { limit: limiter.max, remaining: 0, reset };
  exchange.rateUsage = { user: filled, account: undefined, address: filled, isRefused: true, counted: undefined };
  throw new Problem([{ problem: 'RATE_LIMITED' }], {
    because: 'too many requests from one address',
    retryAfter_s: wait_s,
  });
}

/**
 * Takes a call from the rate windows: at once, unless the rate limiter returns a promise. A call refused here has used up
 * nothing, so it may be sent again unchanged.
 * @source decision 431, 57, 58
 */
export function takeRate(
  deps: PipelineDependencies,
  exchange: Exchange,
  of: Pick<Authenticated, 'nonce'> & Pick<RateScope, 'account' | 'withTotalCount'>,
): Promise<void> | undefined {
  const { account, withTotalCount, nonce } = of;
  const scope = { ...rateScopeOf(deps, exchange), account, withTotalCount };
  const usage = deps.rateLimiter.take(exchange.operation, scope);
  if (usage instanceof Promise) return usage.then((taken) => acceptUsage(deps, exchange, taken, nonce));
  acceptUsage(deps, exchange, usage, nonce);
  return undefined;
}

function acceptUsage(
  { services }: PipelineDependencies,
  exchange: Exchange,
  usage: RateUsage,
  nonce: Authenticated['nonce'],
): void {
  exchange.rateUsage = usage;
  if (!usage.isRefused) return;
  nonce?.release();
  const { user, account, address } = usage;
  const { reset } = [account, address].find((window) => window?.remaining === 0) ?? user;
  const wait = Math.max(1, reset - Math.floor(services.wallClock.now() / 1000));
  throw new Problem([{ problem: exchange.operation.rateProblem ?? 'RATE_LIMITED' }], { retryAfter_s: wait });
}

/** What a request uses its nonce for. @source decision 747 */
export function useOf({ method, isTokenStep, files }: Operation): NonceUse {
  if (method === 'GET' && !isTokenStep) return 'read';
  return files ? 'change-of-files' : 'change';
}

/** Uses the nonce up. A request that turns out to be a replay is not counted. */
export function commitNonce(
  { rateLimiter }: PipelineDependencies,
  exchange: Exchange,
  nonce: Authenticated['nonce'],
  use: NonceUse,
): Promise<void> | undefined {
  const written = nonce?.commit(use);
  written?.catch(() => {
    exchange.rateUsage = exchange.rateUsage && rateLimiter.refund(exchange.rateUsage);
  });
  return written;
}

/** The rate windows of a caller, for every operation that accepts their credential. */
export async function windowsOf(
  { operations, environment, rateLimiter }: PipelineDependencies,
  caller: Caller,
): Promise<OperationWindow[]> {
  const fitting = operations.filter(({ credential = 'user', onlyIn = environment }) => {
    const isGood =
      credential === 'user-or-bearer' || credential === (caller.kind === 'application' ? 'bearer' : caller.kind);
    return isGood && onlyIn === environment;
  });
  const windows = await rateLimiter.peek(fitting, { environment, caller });
  return fitting.map(({ path }, at) => ({ path, ...windows[at]! }));
}
