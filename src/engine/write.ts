import { foldCase } from '../base/text.ts';
import { type Field, refusal, type Stored } from '../contract/fields.ts';
import type { Call, Given, Parameters } from '../contract/operation.ts';
import type { Fault } from '../contract/problems.ts';
import type { AnyResource, Change, MadeChange, Row } from '../contract/resource.ts';
import type { RowKey, Writing } from '../contract/store.ts';
import { ONE_KEY } from './gathered.ts';
import { existing } from './get.ts';
import { recordChange } from './history.ts';
import { refuse } from './validate.ts';

/** A change that was made: what was stored before it, and after. */
export type Made = MadeChange<Row>;

/** The ids that a write uses up, taken before its unit of work began. */
export interface FreshIds {
  readonly row: string;
  readonly change: string;
}

/** Takes the ids of `count` writes. */
export async function freshIds(resource: AnyResource, call: Call, count: number): Promise<FreshIds[]> {
  const { ids } = call.services;
  const rows = await ids.take(resource.name, resource.idsFrom, count);
  const changes = resource.history ? await ids.take('account_change', CHANGE_IDS_FROM, count) : rows;
  return rows.map((row, index) => ({ row, change: changes[index]! }));
}

const CHANGE_IDS_FROM = 36 ** 10;

/** What may be given on create: every field that is input. */
export function createParameters(resource: AnyResource): Parameters {
  return inputs(resource, (field) => field);
}

/** What may be given on update: the same fields, none of them required. Those fixed at creation have no effect. */
export function updateParameters(resource: AnyResource): Parameters {
  return inputs(resource, (field) => ({ ...field, isRequired: field.isRequiredOnUpdate }));
}

function inputs(resource: AnyResource, as: (field: Field) => Field): Parameters {
  const all = Object.entries(resource.fields as Record<string, Field>);
  return Object.fromEntries(
    all
      .filter(([, field]) => field.writable !== 'none')
      .map(([name, field]) => [name, field.writable === 'refused' ? refusal(field) : as(field)]),
  ) as Parameters;
}

/** The row that a create with these parameters begins with, before it is settled. */
export function draftOf(resource: AnyResource, call: Call, given: Given, id: string): Row {
  const values: Record<string, Stored | null> = {};
  for (const [name, field] of columnFields(resource)) {
    values[name] = (isInput(field) ? given[name] : undefined) ?? field.fallback ?? null;
  }
  if (resource.scope === 'account') values.account_id = call.account!.id;
  const row = { ...values, id, created_at: call.now, updated_at: call.now, deleted: 0 } as Row;
  return resource.onePer ? ({ ...row, [ONE_KEY]: JSON.stringify(resource.onePer(row)) } as Row) : row;
}

/**
 * Stores a new row, or throws every fault of the first phase that has any: references, then rules. Where there may be
 * only one of its kind and it is there already, that one is the answer, and nothing changes.
 */
export async function applyCreate(
  tx: Writing,
  resource: AnyResource,
  call: Call,
  given: Given,
  ids: FreshIds,
): Promise<Made> {
  const drafted = draftOf(resource, call, given, ids.row);
  const referenced = await readReferences(tx, resource, drafted);
  const change = { verb: 'create', before: undefined, referenced, account: call.account, tx, now: call.now } as const;
  const after = { ...drafted, ...(await resource.settled?.(drafted, { ...change, given })) } as Row;
  await check(resource, { ...change, after });
  const same = resource.onePer ? await findSame(tx, resource, after) : undefined;
  if (same) return { before: same, after: same };
  await tx.records.insert(resource, { ...after, ...folded(resource, after) });
  return made(tx, resource, call, ids, { before: undefined, after });
}

/** Changes the given fields of a row; what was fixed at creation stays as it is. */
export async function applyUpdate(
  tx: Writing,
  resource: AnyResource,
  call: Call,
  given: Given,
  key: RowKey,
  ids: FreshIds,
): Promise<Made> {
  const before = await existing(resource, tx.records, key, { deleted: 'hidden', lock: true });
  const changes: Record<string, Stored | null> = {};
  for (const [name, field] of columnFields(resource)) {
    if (field.writable === 'input' && given[name] !== undefined) changes[name] = given[name];
  }
  const drafted = { ...before, ...changes, updated_at: call.now } as Row;
  const referenced = await readReferences(tx, resource, drafted, before);
  const change = { verb: 'update', before, referenced, account: call.account, tx, now: call.now } as const;
  const settled = (await resource.settled?.(drafted, { ...change, given })) ?? {};
  const after = { ...drafted, ...settled } as Row;
  await check(resource, { ...change, after });
  const stored = { ...changes, ...settled, updated_at: call.now, ...folded(resource, changes as Row) };
  await tx.records.update(resource, key, stored as Record<string, Stored | null>);
  return made(tx, resource, call, ids, { before, after });
}

/** Marks a row as deleted. */
export async function applyRemove(
  tx: Writing,
  resource: AnyResource,
  call: Call,
  key: RowKey,
  ids: FreshIds,
): Promise<Made> {
  const before = await existing(resource, tx.records, key, { deleted: 'hidden', lock: true });
  const freed: Record<string, null> = resource.onePer ? { [ONE_KEY]: null } : {};
  const changes = { ...freed, deleted: 1, updated_at: call.now };
  await tx.records.update(resource, key, changes);
  return made(tx, resource, call, ids, { before, after: { ...before, ...changes } as Row });
}

function isInput(field: Field): boolean {
  return field.writable === 'input' || field.writable === 'create';
}

async function findSame(tx: Writing, resource: AnyResource, row: Row): Promise<Row | undefined> {
  const keys = [String(row[ONE_KEY])];
  const [same] = await tx.records.many(resource, row.account_id, keys, { deleted: 'hidden', column: ONE_KEY });
  return same as unknown as Row | undefined;
}

function columnFields(resource: AnyResource): [string, Field][] {
  return Object.entries(resource.fields as Record<string, Field>).filter(([, field]) => field.kind.column !== 'none');
}

async function made(tx: Writing, resource: AnyResource, call: Call, ids: FreshIds, change: Made): Promise<Made> {
  if (resource.history) await recordChange(tx, resource, call, ids.change, change);
  tx.touch(`${resource.name}:${change.after.id}`);
  return change;
}

/** The search column that goes with a changed name. */
function folded(resource: AnyResource, changes: Row): Record<string, string | null> {
  const name = resource.list?.search as string | undefined;
  const value = name === undefined ? undefined : changes[name];
  return value === undefined ? {} : { [`${name}_folded`]: value === null ? null : foldCase(String(value)) };
}

/** The rows that new references point to; each that is absent or deleted is a fault. */
async function readReferences(tx: Writing, resource: AnyResource, after: Row, before?: Row): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const faults: Fault[] = [];
  for (const [name, field] of Object.entries(resource.fields as Record<string, Field>)) {
    const value = after[name];
    if (!field.target || typeof value !== 'string' || value === before?.[name]) continue;
    const target = field.target() as unknown as AnyResource;
    const row = await tx.records.get(
      target,
      { account: after.account_id, id: value },
      { deleted: field.deletedTarget, lock: field.locksTarget },
    );
    if (row) found.set(name, row as unknown as Row);
    else faults.push({ problem: target.notFound, parameter: name, value, words: { kind: target.label } });
  }
  refuse(faults);
  return found;
}

async function check(resource: AnyResource, change: Change<Row>): Promise<void> {
  const faults: Fault[] = [];
  for (const rule of resource.rules ?? []) {
    const found = await rule(change);
    if (found) faults.push(...[found].flat());
  }
  refuse(faults);
}
