import type { IncomingMessage } from 'node:http';
import { formatInstant } from '../base/instants.ts';
import type { Access, Authenticated, Caller, NonceUse, Principal } from '../contract/declare/callers.ts';
import { isId } from '../contract/declare/fields.ts';
import type { Operation, OperationWindow, Services } from '../contract/declare/operation.ts';
import { Problem, problem } from '../contract/problems/problems.ts';
import { type CallOrigin, checkAccess, rawFlag } from '../engine/perform-operation.ts';
import type { RawParameters } from '../engine/read-parameters.ts';
import type { AddressLimiter } from './address-limiter.ts';
import type { AuditOrigin } from './audit-log.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';
import type { RateScope, RateUsage } from './rate-limiter.ts';
import { clientRequestId, rateScopeOf } from './reply.ts';

// Steps that calls of requests and of pages share.

const NO_HEADERS: Exchange['answerHeaders'] = [];
const NOTHING: Exchange['auditEvents'] = [];

/** Creates the exchange of a new call. */
export function createExchange(
  deps: PipelineDependencies,
  operation: Operation,
  request: IncomingMessage,
  path: Record<string, string>,
): Exchange {
  return {
    operation,
    words: deps.vocabulary?.clientOf(request.url!).of(operation),
    request,
    transactionId: deps.nextTransactionId(),
    startedAt_ms: performance.now(),
    path,
    caller: undefined,
    rateUsage: undefined,
    echoedParams: '{}',
    ignoredParameters: '',
    auditEvents: NOTHING,
    usesDeprecated: false,
    answerHeaders: NO_HEADERS,
    closesConnection: false,
  };
}

/**
 * Checks the caller's access to the account in the path, then charges the call to their rate windows.
 * @throws Problem
 */
export async function admitCaller(
  deps: PipelineDependencies,
  exchange: Exchange,
  raw: RawParameters,
  nonce: Authenticated['nonce'],
): Promise<Access | undefined> {
  const { operation } = exchange;
  const access = operation.roles && (cachedAccess(deps, exchange) ?? (await findAccess(deps, exchange))); // 404 503
  if (operation.roles) checkAccess(exchange, deps.environment, raw, access); // 403 404
  const withTotalCount = 'with_total_count' in operation.parameters && rawFlag(raw, 'with_total_count');
  const counted = takeRate(deps, exchange, { account: access?.account.id, withTotalCount, nonce }); // 429
  if (counted) await counted;
  return access;
}

/** The cached access, which is the common case. */
function cachedAccess(deps: PipelineDependencies, { path, caller }: Exchange): Access | undefined {
  const id = path.account_id!;
  if (!isId(id)) throw problem('ID_ILLEGAL', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  return deps.accountAccess.cached((caller as Principal).user, id);
}

function findAccess(deps: PipelineDependencies, { path, caller }: Exchange): Promise<Access | undefined> {
  return deps.accountAccess.find((caller as Principal).user, path.account_id!);
}

/** The origin of the audit events of a call. */
export function auditOrigin(deps: PipelineDependencies, { request, transactionId }: Exchange): AuditOrigin {
  return { transaction_id: transactionId, request_id: clientRequestId(request), address: deps.addressOf(request) };
}

/** The origin of a call of a program or a page. */
export function callOrigin(deps: PipelineDependencies, exchange: Exchange, services: Services): CallOrigin {
  return {
    services,
    environment: deps.environment,
    address: deps.addressOf(exchange.request),
    isHead: exchange.request.method === 'HEAD',
    now: formatInstant(services.clock.now()),
    recordAudit: (tx, event) => deps.auditLog.transactional(auditOrigin(deps, exchange))(tx, event),
    rateWindows: () => windowsOf(deps, exchange.caller!),
  };
}

/**
 * Refuses requests of an address beyond its limit before they cost anything; the headers report the full window.
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
 * Charges a call to the rate windows; synchronous unless the rate limiter returns a promise. A refused call uses nothing up,
 * so it may be sent again unchanged.
 * @source decision 431, 57, 58
 */
function takeRate(
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

/** Returns the purpose for which a request uses its nonce. @source decision 747 */
export function nonceUse({ method, files }: Operation): NonceUse {
  if (method === 'GET') return 'read';
  return files ? 'change-of-files' : 'change';
}

/** Stores the nonce as used. A request that turns out to be a replay is not counted. */
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
async function windowsOf(
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
