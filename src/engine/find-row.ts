import type { AccountCall } from '../contract/declare/operation.ts';
import type { AnyResource, Row } from '../contract/declare/resource.ts';
import { Problem, problem } from '../contract/problems/problems.ts';
import type { Deleted, RecordsReading, RowKey } from '../contract/store/records.ts';
import { keyFrom } from '../rows/keys.ts';

/** The key of a row in a path, and its parent. */
export interface PathKey extends RowKey {
  readonly parent?: string;
}

/** The key of the row that the path identifies. @throws ID_ILLEGAL for an id of invalid form. */
export function pathKey(resource: AnyResource, call: AccountCall): PathKey {
  const key = keyFrom(resource, call.account.id, call.path[resource.idParameter]!);
  return resource.parent ? { ...key, parent: call.path[resource.parent.parameter]! } : key;
}

/** Checks the parent in the path: it must exist, and its rule must allow the call. */
export async function checkParent({ parent }: AnyResource, call: AccountCall, records: RecordsReading): Promise<void> {
  if (!parent) return;
  const resource = parent.resource();
  const key = keyFrom(resource, call.account.id, call.path[parent.parameter]!);
  const error = parent.rule?.(await findRow(resource, records, key, { deleted: 'hidden' }), call.account);
  if (error) throw new Problem([error]);
}

/** The row of a key. @throws the problem of the resource when it does not exist. */
export async function findRow(
  resource: AnyResource,
  records: RecordsReading,
  key: PathKey,
  options: { deleted: Deleted; lock?: boolean },
): Promise<Row> {
  const row = await records.get(resource, key, options);
  const isThere = key.parent === undefined || (row as Row | undefined)?.[resource.parent!.column] === key.parent;
  if (row && isThere) return row as Row;
  throw problem(resource.notFound, {
    parameter: resource.idParameter,
    value: key.id,
    words: { kind: resource.label },
  });
}
