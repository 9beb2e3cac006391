import type { AnyResource, Row } from '../../contract/declare/resource.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';

const ROWS_MAX = 1_000_000;

/** Lists the live rows of an account with these column values, in order of id. */
export function rowsOf(
  tx: ReadTransaction,
  resource: AnyResource,
  account: string,
  within: Readonly<Record<string, readonly string[]>>,
): Promise<Row[]> {
  return tx.records.page(resource, {
    account,
    member: undefined,
    deleted: 'hidden',
    within,
    without: undefined,
    prefix: undefined,
    sort: [{ column: 'id', direction: 'asc', nullable: false }],
    after: undefined,
    limit: ROWS_MAX,
  });
}

/** Reads rows of an account by id, including deleted ones, unordered. */
export function rowsById(
  tx: ReadTransaction,
  resource: AnyResource,
  account: string,
  ids: readonly string[],
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<Row[]> {
  return tx.records.getMany(resource, account, ids, { deleted: 'shown', lock });
}
