import type { IncomingMessage } from 'node:http';
import { formatInstant } from '../base/instants.ts';
import type { AccountState } from '../contract/declare/account-state.ts';
import type { Access } from '../contract/declare/callers.ts';
import { isId } from '../contract/declare/fields.ts';
import { readMembers } from '../contract/declare/members.ts';
import type { Call, Operation, Principal } from '../contract/declare/operation.ts';
import { type ErrorDetail, problem } from '../contract/problems/problems.ts';
import { echo } from '../engine/echo.ts';
import { type RawParameters, readParameters, throwErrors } from '../engine/read-parameters.ts';
import type { AuditOrigin } from './audit-log.ts';
import { windowsOf } from './call-limits.ts';
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

/** The access of the caller from the cache: the common case. */
export function cachedAccess(deps: PipelineDependencies, { path, caller }: Exchange): Access | undefined {
  const id = path.account_id!;
  if (!isId(id)) throw problem('ID_ILLEGAL', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  return deps.accountAccess.cached((caller as Principal).user, id);
}

/** The access of the caller from the store. */
export function findAccess(deps: PipelineDependencies, { path, caller }: Exchange): Promise<Access | undefined> {
  return deps.accountAccess.find((caller as Principal).user, path.account_id!);
}

/** Checks that the caller may see the account, and that their role allows the call. @source decision 1, 60 */
export function checkAccess(
  deps: PipelineDependencies,
  { operation, path }: Exchange,
  raw: RawParameters,
  access: Access | undefined,
): void {
  const id = path.account_id!;
  if (!access || access.account.environment !== deps.environment) {
    throw problem('ACCOUNT_NOT_ACCESSIBLE', { parameter: 'account_id', value: id });
  }
  if (access.account.deleted && !(operation.allowsDeletedAccount && isTrue(raw, 'with_deleted'))) {
    throw problem('NOT_FOUND', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  }
  if (!operation.roles!.includes(access.role)) throw problem('ACTION_NOT_ALLOWED', { words: { account: id } });
}

/** Reads a switch that is needed before the parameters are parsed; parsing refuses values that are not booleans. */
export function isTrue(raw: RawParameters, name: string): boolean {
  return /^(true|t|1)$/i.test(String(raw.get(name)?.[0] ?? ''));
}

/** Parses and validates the declared parameters of a request, and echoes them. @source decision 27 and 28 */
export function parameters(exchange: Exchange, raw: RawParameters, body: unknown, account: AccountState | undefined) {
  const { operation, path } = exchange;
  if (operation.body === 'json' || operation.body === 'bytes') return {};
  if (operation.body === 'members') {
    const { input, errors } = readMembers(body, operation.bodyMembers!);
    throwErrors(errors);
    return input;
  }
  const { input, errors } = readParameters(operation.parameters, raw, {
    empty: operation.method === 'GET' ? 'is refused' : 'unsets',
  });
  exchange.echoedParams = echo({ ...path, ...operation.extraEcho }, operation.parameters, input, raw);
  exchange.ignoredParameters = [...raw.keys()].filter((name) => !(name in operation.parameters)).join(', ');
  const together: readonly ErrorDetail[] = operation.validate?.(input, account, new Set(raw.keys())) ?? [];
  // A parameter that could not be parsed is not reported as missing too.
  const read = new Set(errors.map(({ parameter }) => parameter));
  throwErrors([
    ...errors,
    ...together.filter((error) => error.problem !== 'MISSING_PARAMETER' || !read.has(error.parameter)),
  ]);
  return input;
}

/** Where the audit events of a call come from. */
export function auditOriginOf(deps: PipelineDependencies, { request, transactionId }: Exchange): AuditOrigin {
  return { transaction_id: transactionId, request_id: requestIdOf(request), address: deps.addressOf(request) };
}

/** What the operation gets. */
export function callOf(
  deps: PipelineDependencies,
  exchange: Exchange,
  of: Pick<Call, 'services' | 'input' | 'body' | 'files'> & { readonly access: Access | undefined },
): Call {
  const { access, services, input, body, files } = of;
  return {
    services,
    environment: deps.environment,
    caller: exchange.caller!,
    principal: exchange.caller as Principal,
    address: deps.addressOf(exchange.request),
    account: access?.account,
    role: access?.role,
    canCompose: access?.canCompose ?? false,
    path: exchange.path,
    input,
    body,
    files,
    isHead: exchange.request.method === 'HEAD',
    now: formatInstant(deps.services.clock.now()),
    recordAudit: (tx, event) => deps.auditLog.transactional(auditOriginOf(deps, exchange))(tx, event),
    audit(event) {
      exchange.auditEvents = [...exchange.auditEvents, event];
    },
    rateWindows: () => windowsOf(deps, exchange.caller!),
  };
}
