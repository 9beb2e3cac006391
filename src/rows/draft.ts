import type { Field } from '../contract/declare/fields.ts';
import type { Actor, Input } from '../contract/declare/operation.ts';
import type { AnyResource, Row } from '../contract/declare/resource.ts';

/** The column with the unique key of live rows, for resources that declare one. Null once a row is deleted. */
export const UNIQUE_KEY = 'one_key';

/** The initial row of a create with these parameters, before derived values are added. */
export function draftOf(
  resource: AnyResource,
  call: Pick<Actor, 'account' | 'now'>,
  input: Input,
  id: string,
  secondary?: string,
): Row {
  const inputs = columnFields(resource).filter(([name, field]) => isInput(field) && input[name] != null);
  const row = rowOf(resource, call, Object.fromEntries(inputs.map(([name]) => [name, input[name]!])), id);
  const second = resource.ids.secondary;
  return second && secondary ? { ...row, [second.column]: second.as(secondary) } : row;
}

/** A row with these values, and defaults in all other columns. */
export function rowOf(resource: AnyResource, call: Pick<Actor, 'account' | 'now'>, values: Input, id: string): Row {
  const filled = columnFields(resource).map(
    ([name, field]) => [name, values[name] ?? field.defaultValue ?? null] as const,
  );
  const own = resource.scope === 'account' ? { account_id: call.account.id } : {};
  const standard = { id, created_at: call.now, updated_at: call.now, deleted: 0 };
  const row = { ...Object.fromEntries(filled), ...own, ...standard } as Row;
  return resource.unique ? ({ ...row, [UNIQUE_KEY]: JSON.stringify(resource.unique.key(row)) } as Row) : row;
}

/** The fields with a column. */
export function columnFields(resource: AnyResource): [string, Field][] {
  return Object.entries(resource.fields as Record<string, Field>).filter(([, field]) => field.kind.column !== 'none');
}

function isInput(field: Field): boolean {
  return field.writable === 'input' || field.writable === 'create';
}
