import { type AccountCall, type Answer, serializeContext } from '../contract/declare/operation.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import type { AppliedChange } from '../contract/declare/rules.ts';
import { deletedSerializerOf, type Serializer, serializerOf } from '../rows/serializer.ts';
import type { Store, WriteTransaction } from '../storage/unit-of-work.ts';
import { checkParent, pathKey } from './find-row.ts';
import { changeSetErrors, mayRaise, quotaErrors } from './quotas.ts';
import { throwErrors } from './read-parameters.ts';
import { applyCreate, applyRemove, applyUpdate, takeWriteIds, type WriteIds } from './write.ts';

/** Creates one row. */
export async function createOne(resource: AnyResource, call: AccountCall): Promise<Answer> {
  const { parent } = resource;
  const input = parent ? { ...call.input, [parent.column]: call.path[parent.parameter]! } : call.input;
  const [ids] = await takeWriteIds(resource, call, [{ verb: 'create', input }]);
  const { store } = call.services;
  const lock = mustLock(resource, call, 'create', ids!);
  const write: Store['write'] = lock
    ? (work) => store.write(work)
    : (work) => store.writeTogether(`create ${resource.name}`, work);
  return writeOne(resource, call, { lock, write }, (tx) => applyCreate(tx, resource, call, input, ids!));
}

/** Updates the given fields of one row. */
export async function updateOne(resource: AnyResource, call: AccountCall): Promise<Answer> {
  const key = pathKey(resource, call);
  const [ids] = await takeWriteIds(resource, call, [{ verb: 'update', input: call.input }]);
  const lock = mustLock(resource, call, 'update', ids!);
  return writeOne(resource, call, { lock }, (tx) => applyUpdate(tx, resource, call, call.input, key, ids!));
}

/** Deletes one row; deleting it again is not found. */
export async function removeOne(resource: AnyResource, call: AccountCall): Promise<Answer> {
  const key = pathKey(resource, call);
  const [ids] = await takeWriteIds(resource, call, [{ verb: 'remove', input: call.input }]);
  const apply = (tx: WriteTransaction): Promise<AppliedChange> => applyRemove(tx, resource, call, key, ids!);
  // A natural key can be created again: the lock prevents use of the row while it is being removed.
  return writeOne(resource, call, { lock: resource.key !== undefined }, apply, deletedSerializerOf(resource));
}

/** Whether the account is locked: rows are counted, checked together with others, or created unless they exist. */
function mustLock(
  resource: AnyResource,
  call: AccountCall,
  verb: 'create' | 'update',
  { cascades }: WriteIds,
): boolean {
  const seesOthers = resource.unique !== undefined || resource.changeSetRules !== undefined;
  return seesOthers || cascades.length > 0 || mayRaise(resource, call.input, verb);
}

/** One change in a unit of work of its own, with the checks that count its net effect. */
async function writeOne(
  resource: AnyResource,
  call: AccountCall,
  {
    lock,
    write = (work) => call.services.store.write(work),
  }: { readonly lock: boolean; readonly write?: Store['write'] },
  apply: (tx: WriteTransaction) => Promise<AppliedChange>,
  serializer: Serializer = serializerOf(resource),
): Promise<Answer> {
  return write(async (tx) => {
    if (lock) await tx.records.lockAccount(call.account.id);
    await checkParent(resource, call, tx.records);
    const change = await apply(tx);
    throwErrors((await quotaErrors(tx, resource, call, [change])).map((excess) => excess.error));
    throwErrors((await changeSetErrors(tx, resource, call, [change], { isBatch: false })).map(({ error }) => error));
    const [data] = await serializer.rows([change.after], serializeContext(call, tx));
    return { data: data! };
  });
}
