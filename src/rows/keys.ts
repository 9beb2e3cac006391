import { isErrorDetail, isId } from '../contract/declare/fields.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import { problem } from '../contract/problems/problems.ts';
import type { RowKey } from '../contract/store/records.ts';

/** The row key for an id in a path or a batch item. @throws ID_ILLEGAL for an id that no row can have. */
export function keyFrom(resource: AnyResource, account: string | undefined, id: string): RowKey {
  const { field } = resource.key ?? {};
  const isPossible = field && ((value: string) => !isErrorDetail(field.kind.read(value, resource.idParameter)));
  checkId(id, resource.idParameter, resource.label, isPossible);
  const key = { account: resource.scope === 'account' ? account : undefined, id };
  return resource.sharing ? { ...key, includesGranted: true } : key;
}

/**
 * Checks the form of an id; `kind` is the label of what it identifies.
 * @throws ID_ILLEGAL
 * @source decision 25
 */
export function checkId(value: string, parameter: string, kind: string, isPossible = isId): void {
  if (!isPossible(value)) throw problem('ID_ILLEGAL', { parameter, value, words: { kind } });
}
