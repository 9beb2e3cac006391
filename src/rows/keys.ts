import { isErrorDetail, isId } from '../contract/declare/fields.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import { problem } from '../contract/problems/problems.ts';
import type { RowKey } from '../contract/store/store.ts';

/**
 * The key of a row of this resource on an account, from the id in a path or in an item of a batch.
 * @throws ID_ILLEGAL for an id that no row can have.
 */
export function keyFrom(resource: AnyResource, account: string | undefined, id: string): RowKey {
  const { field } = resource.key ?? {};
  const isPossible = field && ((value: string) => !isErrorDetail(field.kind.read(value, resource.idParameter)));
  checkId(id, resource.idParameter, resource.label, isPossible);
  const key = { account: resource.scope === 'account' ? account : undefined, id };
  return resource.sharing ? { ...key, includesGranted: true } : key;
}

/**
 * Checks the shape of an id that a path names; `kind` is what it would be the id of.
 * @throws ID_ILLEGAL
 */
export function checkId(value: string, parameter: string, kind: string, isPossible = isId): void {
  if (!isPossible(value)) throw problem('ID_ILLEGAL', { parameter, value, words: { kind } });
}
