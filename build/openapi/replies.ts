import { Type } from '../../src/base/json-schema.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import { closed, type Json, type NamedSchemas, portable } from '../../src/engine/describe/schemas.ts';
import { serializerOf } from '../../src/rows/serializer.ts';
import { failureSchema } from './failures.ts';
import { batchEcho, echoSchema } from './inputs.ts';

/** The exact JSON Schema of the body of a reply; undefined if there is no body. */
export function replyBody(operation: Operation, status: number, named: NamedSchemas): Json | undefined {
  const { success = 200, successes = {} } = operation;
  if (status in successes) return successes[status] && portable(successes[status], named);
  if (status !== success) return failureSchema(operation, status, named);
  return status === 204 ? undefined : successSchema(operation, named);
}

/** JSON Schema of the whole body of a successful reply. @param echo the schema of its `request`; the exact one by default */
export function successSchema(
  operation: Operation,
  named: NamedSchemas,
  echo = () => exactEcho(operation, named),
): Json {
  const data = portable(replySchema(operation), named);
  if (operation.shape === 'bare') return data;
  if (operation.shape === 'form') return { description: 'Form-encoded `name=value` pairs in this order.', ...data };
  if (operation.shape === 'stream')
    return { description: 'Each line; empty lines keep the connection alive.', ...data };
  if (operation.shape === 'batch') return closed({ request: echo(), data });
  const request = echo();
  if (operation.shape === 'one') return closed({ request, data });
  if (operation.shape === 'message') return closed({ request, message: data });
  const next_cursor = { type: ['string', 'null'], description: 'Cursor of the next page; null on the last page.' };
  if (!('with_total_count' in operation.parameters)) return closed({ request, next_cursor, data });
  const total_count = { ...TOTAL, description: 'The number of all matches; only on request.' };
  return closed({ request, next_cursor, total_count, data }, ['total_count']);
}

function exactEcho(operation: Operation, named: NamedSchemas): Json {
  return operation.shape === 'batch'
    ? batchEcho(operation, named, 'good')
    : closed({ params: echoSchema(operation, named, 'always') });
}

const TOTAL = { type: 'integer', minimum: 0 };

function replySchema({ reply, shape }: Operation): unknown {
  if ('rowsOf' in reply) return Type.Array(serializerOf(reply.rowsOf as AnyResource).schema);
  if (!('rowOfOne' in reply)) return reply;
  const shown = (reply.rowOfOne as readonly AnyResource[]).map((each) => serializerOf(each).schema);
  const one = shown.length === 1 ? shown[0]! : Type.Union(shown);
  return shape === 'list' ? Type.Array(one) : one;
}
