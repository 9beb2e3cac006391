import type { Access } from '../../contract/declare/callers.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Call, Operation, Principal, Services } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { readParameters, throwErrors } from '../../engine/read-parameters.ts';

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
 * Performs an operation with all its checks: the role, each parameter, the rules. What is about requests is left out:
 * signatures, limits, audit records. Resolves with the data of the reply.
 * @throws Problem, BatchProblem
 */
export async function performCall(
  services: Services,
  { operation, principal, access, raw, body, now, path = {}, files = new Map() }: WorldCall,
): Promise<unknown> {
  const { account, role, canCompose } = access;
  if (operation.roles && !operation.roles.includes(role))
    throw problem('ACTION_NOT_ALLOWED', { words: { account: account.id } });
  const lists = new Map([...raw].map(([name, value]) => [name, [value]]));
  const { input, errors } =
    operation.body === 'json' || operation.body === 'bytes'
      ? { input: {}, errors: [] }
      : readParameters(operation.parameters, lists);
  throwErrors([...errors, ...(operation.validate?.(input, account, new Set(raw.keys())) ?? [])]);
  const call: Call = {
    ...{ services, principal, account, role, canCompose, input, body, now },
    environment: account.environment,
    caller: principal,
    address: '127.0.0.1',
    path: { account_id: account.id, ...path },
    files,
    isHead: false,
    recordAudit: async () => {},
    audit() {},
    rateWindows: async () => [],
  };
  const { data } = await operation.perform(call);
  return data === '' ? undefined : JSON.parse(data);
}
