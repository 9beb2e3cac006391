import type { AccountState, Environment } from '../contract/declare/account-state.ts';
import type { Access, Caller, Principal } from '../contract/declare/callers.ts';
import { readMembers } from '../contract/declare/members.ts';
import type { Answer, Call, Input, Operation } from '../contract/declare/operation.ts';
import { type ErrorDetail, problem } from '../contract/problems/problems.ts';
import type { AuditedEvent } from '../contract/store/audit.ts';
import { echo } from './echo.ts';
import { type RawParameters, readParameters, throwErrors } from './read-parameters.ts';

/** The state of a call: each step adds to it, and replies, audit records and the log are written from it. */
export interface CallState {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  caller: Caller | undefined;
  /** The echo of the parameters that could be read, as JSON text. */
  echoedParams: string;
  ignoredParameters: string;
  /** Events for the audit log. */
  auditEvents: readonly AuditedEvent[];
}

/** Where a call comes from: a request, a page or a world. */
export type CallOrigin = Pick<
  Call,
  'services' | 'environment' | 'address' | 'isHead' | 'now' | 'recordAudit' | 'rateWindows'
>;

/** The input of a call: parameters as received, and the body and files of operations that take them. */
export interface CallInput extends Pick<Call, 'body' | 'files'> {
  readonly raw: RawParameters;
}

/**
 * Performs an operation for a caller who has access: reads and checks the parameters, then runs it. Requests, pages and
 * worlds all end here.
 * @param beforePerform sees the call before it is performed: developer tools.
 * @throws Problem, BatchProblem
 */
export async function performOperation(
  state: CallState,
  origin: CallOrigin,
  access: Access | undefined,
  { raw, body, files }: CallInput,
  beforePerform?: (call: Call) => Promise<void>,
): Promise<Answer> {
  const { operation, path } = state;
  const { services, environment, address, isHead, now, recordAudit, rateWindows } = origin;
  const call: Call = {
    services,
    environment,
    caller: state.caller!,
    principal: state.caller as Principal,
    address,
    account: access?.account,
    role: access?.role,
    canCompose: access?.canCompose ?? false,
    path,
    input: inputOf(state, raw, body, access?.account),
    body,
    files,
    isHead,
    now,
    recordAudit,
    audit(event) {
      state.auditEvents = [...state.auditEvents, event];
    },
    rateWindows,
  };
  if (beforePerform) await beforePerform(call);
  return operation.perform(call);
}

/** Checks that the caller may see the account, and that their role allows the call. @source decision 1, 60 */
export function checkAccess(
  { operation, path }: CallState,
  environment: Environment,
  raw: RawParameters,
  access: Access | undefined,
): void {
  const id = path.account_id!;
  if (!access || access.account.environment !== environment) {
    const hint = access && { hint: 'The account is in the other environment.' };
    throw problem('ACCOUNT_NOT_ACCESSIBLE', { parameter: 'account_id', value: id, ...hint });
  }
  if (access.account.deleted && !(operation.allowsDeletedAccount && rawFlag(raw, 'with_deleted'))) {
    throw problem('NOT_FOUND', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  }
  if (!operation.roles!.includes(access.role)) throw problem('ACTION_NOT_ALLOWED', { words: { account: id } });
}

/** Reads a switch that is needed before the parameters are parsed; parsing refuses values that are not booleans. */
export function rawFlag(raw: RawParameters, name: string): boolean {
  return /^(true|t|1)$/i.test(String(raw.get(name)?.[0] ?? ''));
}

/** Parses and validates the declared parameters, and echoes them. @source decision 27 and 28 */
function inputOf(state: CallState, raw: RawParameters, body: unknown, account: AccountState | undefined): Input {
  const { operation, path } = state;
  if (operation.body === 'json' || operation.body === 'bytes') return {};
  if (operation.body === 'members') {
    const { input, errors } = readMembers(body, operation.bodyMembers!);
    throwErrors(errors);
    return input;
  }
  const { input, errors } = readParameters(operation.parameters, raw, {
    empty: operation.method === 'GET' ? 'is refused' : 'unsets',
  });
  state.echoedParams = echo({ ...path, ...operation.extraEcho }, operation.parameters, input, raw);
  state.ignoredParameters = [...raw.keys()].filter((name) => !(name in operation.parameters)).join(', ');
  const together: readonly ErrorDetail[] = operation.validate?.(input, account, new Set(raw.keys())) ?? [];
  // A parameter that could not be parsed is not reported as missing too.
  const read = new Set(errors.map(({ parameter }) => parameter));
  throwErrors([
    ...errors,
    ...together.filter((error) => error.problem !== 'MISSING_PARAMETER' || !read.has(error.parameter)),
  ]);
  return input;
}
