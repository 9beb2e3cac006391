import { type Call, serializeContext } from '../contract/declare/operation.ts';
import type { AnyResource, Row } from '../contract/declare/resource.ts';
import { Problem, problem } from '../contract/problems/problems.ts';
import type { Deleted, RecordsReading, RowKey } from '../contract/store/store.ts';
import { keyFrom } from '../rows/keys.ts';
import { serializerOf } from '../rows/serializer.ts';

/** Reads one row and shows it. A deleted row is there only for those who ask for deleted rows. */
export async function getOne(resource: AnyResource, call: Call): Promise<string> {
  const key = keyOf(resource, call);
  return call.services.store.read(async (tx) => {
    await checkParent(resource, call, tx.records);
    const row = await existing(resource, tx.records, key, { deleted: call.input.with_deleted ? 'shown' : 'hidden' });
    const [shown] = await serializerOf(resource).rows([row], serializeContext(call, tx));
    return shown!;
  });
}

/** What names a row, and below what it must be. */
export interface PathKey extends RowKey {
  readonly parent?: string;
}

/** The key that the path names. An id of impossible shape is not found, and says why. */
export function keyOf(resource: AnyResource, call: Call): PathKey {
  const key = keyFrom(resource, call.account?.id, call.path[resource.idParameter]!);
  return resource.parent ? { ...key, parent: call.path[resource.parent.parameter]! } : key;
}

/** Looks at the row below which everything of a path is: it must be there, and nothing may stand in the way. */
export async function checkParent({ parent: below }: AnyResource, call: Call, records: RecordsReading): Promise<void> {
  if (!below) return;
  const parent = below.resource();
  const key = keyFrom(parent, call.account?.id, call.path[below.parameter]!);
  const error = below.rule?.(await existing(parent, records, key, { deleted: 'hidden' }), call.account!);
  if (error) throw new Problem([error]);
}

/** The row of a key, or the problem that it is not there. */
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
