import type { Actor, Ids, Input, NewIds, RowFactory, Services } from '../contract/declare/operation.ts';
import { type AnyResource, LONG_IDS_FROM, type Row } from '../contract/declare/resource.ts';
import type { AppliedChange } from '../contract/declare/rules.ts';
import { rowOf, UNIQUE_KEY } from '../rows/draft.ts';
import { searchColumns } from '../rows/search-columns.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';
import { recordChange, takeChangeIds } from './history.ts';

/** Takes the ids for `count` rows and their history. */
export async function takeNewIds(
  resource: AnyResource,
  call: { readonly services: Pick<Services, 'ids'> },
  count: number,
): Promise<NewIds[]> {
  if (count === 0) return [];
  const { ids } = call.services;
  const { from, sequence = resource.name, isLong, secondary } = resource.ids;
  const rows = await (isLong ? ids.takeLong : ids.take)(sequence, from, count);
  const changes = await takeChangeIds(resource, ids, count);
  const seconds = secondary ? await ids.takeLong(secondary.sequence, LONG_IDS_FROM, count) : [];
  return rows.map((row, index) => ({ row, change: changes[index], secondary: seconds[index] }));
}

/** Stores a new row. If one with its unique key exists, that one is returned, updated where the declaration says so. */
export async function storeNew(
  tx: WriteTransaction,
  resource: AnyResource,
  call: Actor,
  row: Row,
  ids: NewIds,
): Promise<AppliedChange> {
  const duplicate = resource.unique && (await findDuplicate(tx, resource, row));
  if (duplicate) return updateDuplicate(tx, resource, call, row, duplicate, ids);
  // PostgreSQL gets both at once. @source decision 737
  const [, applied] = await Promise.all([
    tx.records.insert(resource, { ...row, ...searchColumns(resource, row) }),
    recordChange(tx, resource, call, ids.change, { before: undefined, after: row }),
  ]);
  return applied;
}

/** Updates the declared fields of the row with the unique key. */
async function updateDuplicate(
  tx: WriteTransaction,
  resource: AnyResource,
  call: Actor,
  row: Row,
  before: Row,
  ids: NewIds,
): Promise<AppliedChange> {
  const names = resource.unique?.updates as readonly string[] | undefined;
  if (!names) return { before, after: before };
  const changes = { ...Object.fromEntries(names.map((name) => [name, row[name]!])), updated_at: call.now };
  await tx.records.update(resource, { account: before.account_id, id: before.id }, changes);
  return recordChange(tx, resource, call, ids.change, { before, after: { ...before, ...changes } });
}

async function findDuplicate(tx: WriteTransaction, resource: AnyResource, row: Row): Promise<Row | undefined> {
  const keys = [String(row[UNIQUE_KEY])];
  const [same] = await tx.records.getMany(resource, row.account_id, keys, { deleted: 'hidden', column: UNIQUE_KEY });
  return same as Row | undefined;
}

/** Creates and updates rows on behalf of other operations. */
export function rowFactoryWith(ids: Ids): RowFactory {
  return {
    takeIds: (resource, count) => takeNewIds(resource, { services: { ids } }, count),
    async create(tx, resource, actor, values, ids) {
      return (await storeNew(tx, resource, actor, rowOf(resource, actor, values, ids.row), ids)).after;
    },
    async update(tx, resource, { now }, before, values) {
      const after = { ...before, ...values, updated_at: now } as Row;
      const changes = { ...values, updated_at: now, ...searchColumns(resource, after, values) };
      await tx.records.update(resource, { account: before.account_id, id: before.id }, changes as Input);
      tx.invalidate(`${resource.name}:${before.id}`);
      return after;
    },
  };
}
