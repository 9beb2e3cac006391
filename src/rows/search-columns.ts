import { foldCase, searchTerms } from '../base/text.ts';
import type { AnyResource, Row } from '../contract/declare/resource.ts';

/**
 * A name as stored in search columns: case-folded here, because `lower()` differs between databases. Null stays null.
 * @source decision 44
 */
export function foldedName(name: string | null): string | null {
  return name === null ? null : foldCase(name);
}

type Changed = Readonly<Record<string, unknown>>;

/** The search columns of a row that depend on these changed columns. */
export function searchColumns(resource: AnyResource, row: Row, changes: Changed = row): Record<string, string | null> {
  return { ...foldedTerms(resource, row, changes), ...foldedSearch(resource, changes) };
}

function foldedTerms({ list }: AnyResource, row: Row, changes: Changed): Record<string, string | null> {
  const names = (list?.terms ?? []) as readonly string[];
  if (!names.some((name) => name in changes)) return {};
  const terms = searchTerms(names.map((name) => row[name] as string | null));
  return { terms: terms.length > 0 ? ` ${terms.join(' ')} ` : null };
}

function foldedSearch(resource: AnyResource, changes: Changed): Record<string, string | null> {
  const name = resource.list?.search as string | undefined;
  const value = name === undefined ? undefined : changes[name];
  return value === undefined ? {} : { [`${name}_folded`]: foldedName(value === null ? null : String(value)) };
}
