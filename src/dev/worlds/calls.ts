import type { Access, Principal } from '../../contract/declare/callers.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Call, Operation, Services } from '../../contract/declare/operation.ts';
import { type CallState, checkAccess, performOperation } from '../../engine/perform-operation.ts';

/** A call that a world makes, without a request. */
export interface WorldCall {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly access: Access;
  readonly raw: ReadonlyMap<string, RawValue>;
  /** Of operations that parse their bodies themselves. */
  readonly body?: unknown;
  /** Ids in the path, beside that of the account. */
  readonly path?: Readonly<Record<string, string>>;
  readonly files?: Call['files'];
  /** UTC text. */
  readonly now: string;
}

/**
 * Performs an operation for a world; signatures, rate limits and audit records belong to requests. Resolves with the
 * data of the reply.
 * @throws Problem, BatchProblem
 */
export async function performCall(
  services: Services,
  { operation, principal, access, raw, body, now, path = {}, files = new Map() }: WorldCall,
): Promise<unknown> {
  const { environment, id: account_id } = access.account;
  const lists = new Map([...raw].map(([name, value]) => [name, [value]]));
  const state: CallState = {
    ...{ operation, path: { account_id, ...path }, caller: principal },
    ...{ echoedParams: '{}', ignoredParameters: '', auditEvents: [] },
  };
  if (operation.roles) checkAccess(state, environment, lists, access);
  const recordAudit = async () => {};
  const rateWindows = async () => [];
  const origin = { services, environment, address: '127.0.0.1', isHead: false, now, recordAudit, rateWindows };
  const { data } = await performOperation(state, origin, access, { raw: lists, body, files });
  return data === '' ? undefined : JSON.parse(data);
}
