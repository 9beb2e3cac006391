import { foldCase, termsOf } from '../base/text.ts';
import type { Field } from '../contract/declare/fields.ts';
import type { Call, FreshIds, Ids, Input, Making, Occasion, Services } from '../contract/declare/operation.ts';
import { type AnyResource, LONG_IDS_FROM, type MadeChange, type Row } from '../contract/declare/resource.ts';
import type { Writing } from '../contract/store/store.ts';
import { ONE_KEY } from './gathered.ts';
import { recordChange } from './history.ts';

/** A change that was made: what was stored before it, and after. */
export type Made = MadeChange<Row>;

/** Takes the ids of `count` rows, and of their places in the history. */
export async function idPairs(
  resource: AnyResource,
  call: { readonly services: Pick<Services, 'ids'> },
  count: number,
): Promise<FreshIds[]> {
  if (count === 0) return [];
  const { ids } = call.services;
  const { alsoNumbered, sequence = resource.name } = resource;
  const take = resource.longIds ? ids.takeLong : ids.take;
  const rows = await take(sequence, resource.idsFrom, count);
  const changes = resource.history ? await ids.take('account_change', CHANGE_IDS_FROM, count) : rows;
  const also = alsoNumbered ? await ids.takeLong(alsoNumbered.sequence, LONG_IDS_FROM, count) : [];
  return rows.map((row, index) => ({ row, change: changes[index]!, also: also[index] }));
}

const CHANGE_IDS_FROM = 36 ** 10;

/** The row that a create with these parameters begins with, before it is settled. */
export function draftOf(resource: AnyResource, call: Call, input: Input, id: string, also?: string): Row {
  const inputs = columnFields(resource).filter(([name, field]) => isInput(field) && input[name] != null);
  const row = rowOf(resource, call, Object.fromEntries(inputs.map(([name]) => [name, input[name]!])), id);
  const { alsoNumbered } = resource;
  return alsoNumbered && also ? { ...row, [alsoNumbered.column]: alsoNumbered.as(also) } : row;
}

/** The row that has these values, whoever may give them, and otherwise what it is when nothing is given. */
export function rowOf(resource: AnyResource, call: Occasion, values: Input, id: string): Row {
  const filled = columnFields(resource).map(([name, field]) => [name, values[name] ?? field.fallback ?? null] as const);
  const own = resource.scope === 'account' ? { account_id: call.account!.id } : {};
  const standard = { id, created_at: call.now, updated_at: call.now, deleted: 0 };
  const row = { ...Object.fromEntries(filled), ...own, ...standard } as Row;
  return resource.onePer ? ({ ...row, [ONE_KEY]: JSON.stringify(resource.onePer(row)) } as Row) : row;
}

/** Stores a new row. Where there may be only one of its kind and it is there already, that one takes over what it may. */
export async function storeNew(
  tx: Writing,
  resource: AnyResource,
  call: Occasion,
  row: Row,
  ids: FreshIds,
): Promise<Made> {
  const same = resource.onePer ? await findSame(tx, resource, row) : undefined;
  if (same) return resource.onePerTakes ? takeOver(tx, resource, call, row, same, ids) : { before: same, after: same };
  await tx.records.insert(resource, { ...row, ...folded(resource, row) });
  return made(tx, resource, call, ids, { before: undefined, after: row });
}

async function takeOver(
  tx: Writing,
  resource: AnyResource,
  call: Occasion,
  row: Row,
  before: Row,
  ids: FreshIds,
): Promise<Made> {
  const names = resource.onePerTakes as readonly string[];
  const changes = { ...Object.fromEntries(names.map((name) => [name, row[name]!])), updated_at: call.now };
  await tx.records.update(resource, { account: before.account_id, id: before.id }, changes);
  return made(tx, resource, call, ids, { before, after: { ...before, ...changes } });
}

/** What was changed goes into the history, and whoever remembers it is told. */
export async function made(
  tx: Writing,
  resource: AnyResource,
  call: Occasion,
  ids: FreshIds,
  change: Made,
): Promise<Made> {
  if (resource.history) await recordChange(tx, resource, call, ids.change, change);
  tx.touch(`${resource.name}:${change.after.id}`);
  return change;
}

type Changed = Readonly<Record<string, unknown>>;

/** The search columns of a row, of which these columns are new. */
export function folded(resource: AnyResource, row: Row, changes: Changed = row): Record<string, string | null> {
  return { ...foldedTerms(resource, row, changes), ...foldedName(resource, changes) };
}

function foldedTerms({ list }: AnyResource, row: Row, changes: Changed): Record<string, string | null> {
  const names = (list?.terms ?? []) as readonly string[];
  if (!names.some((name) => name in changes)) return {};
  const terms = termsOf(names.map((name) => row[name] as string | null));
  return { terms: terms.length > 0 ? ` ${terms.join(' ')} ` : null };
}

function foldedName(resource: AnyResource, changes: Changed): Record<string, string | null> {
  const name = resource.list?.search as string | undefined;
  const value = name === undefined ? undefined : changes[name];
  return value === undefined ? {} : { [`${name}_folded`]: value === null ? null : foldCase(String(value)) };
}

/** The fields that have a column. */
export function columnFields(resource: AnyResource): [string, Field][] {
  return Object.entries(resource.fields as Record<string, Field>).filter(([, field]) => field.kind.column !== 'none');
}

function isInput(field: Field): boolean {
  return field.writable === 'input' || field.writable === 'create';
}

async function findSame(tx: Writing, resource: AnyResource, row: Row): Promise<Row | undefined> {
  const keys = [String(row[ONE_KEY])];
  const [same] = await tx.records.many(resource, row.account_id, keys, { deleted: 'hidden', column: ONE_KEY });
  return same as unknown as Row | undefined;
}

/** Makes rows that no call of their own asks for. */
export function makingWith(ids: Ids): Making {
  return {
    ids: (resource, count) => idPairs(resource, { services: { ids } }, count),
    async row(tx, resource, occasion, values, ids) {
      return (await storeNew(tx, resource, occasion, rowOf(resource, occasion, values, ids.row), ids)).after;
    },
    async change(tx, resource, { now }, before, values) {
      const after = { ...before, ...values, updated_at: now } as Row;
      const changes = { ...values, updated_at: now, ...folded(resource, after, values) };
      await tx.records.update(resource, { account: before.account_id, id: before.id }, changes as Input);
      tx.touch(`${resource.name}:${before.id}`);
      return after;
    },
  };
}
