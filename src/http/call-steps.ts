import type { IncomingMessage } from 'node:http';
import { formatInstant } from '../base/instants.ts';
import type { Access, Authenticated } from '../contract/declare/callers.ts';
import { isId } from '../contract/declare/fields.ts';
import type { Operation, Principal, Services } from '../contract/declare/operation.ts';
import { problem } from '../contract/problems/problems.ts';
import { type CallOrigin, checkAccess, isTrue } from '../engine/perform-operation.ts';
import type { RawParameters } from '../engine/read-parameters.ts';
import type { AuditOrigin } from './audit-log.ts';
import { takeRate, windowsOf } from './call-limits.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';
import { requestIdOf } from './request-id.ts';

// Steps of a call that requests and pages share: a request authenticates its caller first, a page knows them.

const NO_HEADERS: Exchange['answerHeaders'] = [];
const NOTHING: Exchange['auditEvents'] = [];

/** The state of a call that begins now. */
export function newExchange(
  deps: PipelineDependencies,
  operation: Operation,
  request: IncomingMessage,
  path: Record<string, string>,
): Exchange {
  return {
    operation,
    words: deps.vocabulary?.of(operation),
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
 * Lets a caller in: finds and checks their access to the account in the path, then takes the call from their rate windows.
 * @throws Problem
 */
export async function admit(
  deps: PipelineDependencies,
  exchange: Exchange,
  raw: RawParameters,
  nonce: Authenticated['nonce'],
): Promise<Access | undefined> {
  const { operation } = exchange;
  const access = operation.roles && (cachedAccess(deps, exchange) ?? (await findAccess(deps, exchange))); // 404 503
  if (operation.roles) checkAccess(exchange, deps.environment, raw, access); // 403 404
  const withTotalCount = 'with_total_count' in operation.parameters && isTrue(raw, 'with_total_count');
  const counted = takeRate(deps, exchange, { account: access?.account.id, withTotalCount, nonce }); // 429
  if (counted) await counted;
  return access;
}

/** The common case. */
function cachedAccess(deps: PipelineDependencies, { path, caller }: Exchange): Access | undefined {
  const id = path.account_id!;
  if (!isId(id)) throw problem('ID_ILLEGAL', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  return deps.accountAccess.cached((caller as Principal).user, id);
}

function findAccess(deps: PipelineDependencies, { path, caller }: Exchange): Promise<Access | undefined> {
  return deps.accountAccess.find((caller as Principal).user, path.account_id!);
}

/** Where the audit events of a call come from. */
export function auditOriginOf(deps: PipelineDependencies, { request, transactionId }: Exchange): AuditOrigin {
  return { transaction_id: transactionId, request_id: requestIdOf(request), address: deps.addressOf(request) };
}

/** The origin of a call by a request, of a program or for a page. */
export function originOf(deps: PipelineDependencies, exchange: Exchange, services: Services): CallOrigin {
  return {
    services,
    environment: deps.environment,
    address: deps.addressOf(exchange.request),
    isHead: exchange.request.method === 'HEAD',
    now: formatInstant(services.clock.now()),
    recordAudit: (tx, event) => deps.auditLog.transactional(auditOriginOf(deps, exchange))(tx, event),
    rateWindows: () => windowsOf(deps, exchange.caller!),
  };
}
