import { type Call, serializeContext } from '../contract/declare/operation.ts';
import type { AnyResource, Row } from '../contract/declare/resource.ts';
import { Problem, problem } from '../contract/problems/problems.ts';
import type { Deleted, RecordsReading, RowKey } from '../contract/store/store.ts';
import { keyFrom } from '../rows/keys.ts';
import { serializerOf } from '../rows/serializer.ts';

/** Reads and serializes one row. Deleted rows are found only with `with_deleted`. */
export async function getOne(resource: AnyResource, call: Call): Promise<string> {
  const key = keyOf(resource, call);
  return call.services.store.read(async (tx) => {
    await checkParent(resource, call, tx.records);
    const row = await existing(resource, tx.records, key, { deleted: call.input.with_deleted ? 'shown' : 'hidden' });
    const [shown] = await serializerOf(resource).rows([row], serializeContext(call, tx));
    return shown!;
  });
}

/** The key of a row in a path, and its parent. */
export interface PathKey extends RowKey {
  readonly parent?: string;
}

/** The key of the row that the path identifies. @throws ID_ILLEGAL for an id of invalid form. */
export function keyOf(resource: AnyResource, call: Call): PathKey {
  const key = keyFrom(resource, call.account?.id, call.path[resource.idParameter]!);
  return resource.parent ? { ...key, parent: call.path[resource.parent.parameter]! } : key;
}

/** Checks the parent in the path: it must exist, and its rule must allow the call. */
export async function checkParent({ parent: below }: AnyResource, call: Call, records: RecordsReading): Promise<void> {
  if (!below) return;
  const parent = below.resource();
  const key = keyFrom(parent, call.account?.id, call.path[below.parameter]!);
  const error = below.rule?.(await existing(parent, records, key, { deleted: 'hidden' }), call.account!);
  if (error) throw new Problem([error]);
}

/** The row of a key. @throws the problem of the resource when it does not exist. */
export async function existing(
  resource: AnyResource,
  records: RecordsReading,
  key: PathKey,
  options: { deleted: Deleted; lock?: boolean },
): Promise<Row> {
  const row = await records.get(resource, key, options);
  const isThere = key.parent === undefined || (row as Row | undefined)?.[resource.parent!.column] === key.parent;
  if (row && isThere) return row as unknown as Row;
  throw problem(resource.notFound, {
    parameter: resource.idParameter,
    value: key.id,
    words: { kind: resource.label },
  });
}
