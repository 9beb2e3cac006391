import { type AccountCall, serializeContext } from '../contract/declare/operation.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import { serializerOf } from '../rows/serializer.ts';
import { checkParent, findRow, pathKey } from './find-row.ts';

/** Reads and serializes one row. Deleted rows are found only with `with_deleted`. */
export async function getOne(resource: AnyResource, call: AccountCall): Promise<string> {
  const key = pathKey(resource, call);
  return call.services.store.read(async (tx) => {
    await checkParent(resource, call, tx.records);
    const row = await findRow(resource, tx.records, key, { deleted: call.input.with_deleted ? 'shown' : 'hidden' });
    const [shown] = await serializerOf(resource).rows([row], serializeContext(call, tx));
    return shown!;
  });
}
