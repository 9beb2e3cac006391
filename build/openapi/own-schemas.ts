import type { Operation } from '../../src/contract/declare/operation.ts';
import type { Family } from '../../src/contract/problems/problems.ts';
import { statusesOf, WITHOUT_OPERATION } from '../../src/engine/declared-problems.ts';
import type { Json, NamedSchemas } from '../../src/engine/describe/schemas.ts';
import { pathNames } from '../../src/engine/describe/words.ts';
import type { OperationSchemas, OwnSchemas } from '../../src/http/vocabulary/own-words.ts';
import { errorEnvelope } from './failures.ts';
import { inputSchema, requestBody } from './inputs.ts';
import { replyBody } from './replies.ts';

/** The schemas of all calls, for alias files. */
export function ownSchemasOf(operations: readonly Operation[]): OwnSchemas {
  const named: NamedSchemas = {};
  const calls = Object.fromEntries(operations.map((operation) => [operation.id, schemasOf(operation, named)]));
  return { calls, unrouted: unroutedSchemas(named), named };
}

/** The schemas of an operation; what they refer to is added to the named schemas. */
function schemasOf(operation: Operation, named: NamedSchemas): OperationSchemas {
  const { path, pathParameters = {}, parameters, files = {}, body } = operation;
  const declared = Object.entries({ ...parameters, ...operation.protocolParameters, ...pathParameters });
  const isWhole = body === 'json' || body === 'bytes' || body === 'members';
  return {
    parameters: Object.fromEntries([
      ...pathNames(path).map((name) => [name, { type: 'string' }]),
      ...Object.keys({ ...operation.extraEcho, ...files }).map((name) => [name, { type: 'string' }]),
      ...declared.map(([name, field]) => [name, inputSchema(field, named)]),
    ]) as Json,
    body: isWhole ? contentsOf(requestBody(operation, named)!)[0] : undefined,
    replies: statusesOf(operation)
      .map((status) => replyBody(operation, status, named))
      .filter((schema) => schema !== undefined),
  };
}

function contentsOf({ content = {} }: { readonly content?: unknown } & Json): Json[] {
  return Object.values(content as Json).map((each) => (each as { readonly schema: Json }).schema);
}

const FAMILIES: readonly Family[] = ['ads', 'numeric', 'flat', 'problem'];

/** The schemas of replies where no operation answers; what they refer to is added to the named schemas. */
function unroutedSchemas(named: NamedSchemas): Json[] {
  const request = () => ({ type: 'object', properties: {} });
  return FAMILIES.map((family) => errorEnvelope(family, WITHOUT_OPERATION, request, named));
}
