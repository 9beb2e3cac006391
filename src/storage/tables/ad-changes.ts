import type { AnyResource, Row } from '../../contract/declare/resource.ts';
import { SPENT } from '../../contract/store/delivery-ledger.ts';
import { LINE_ITEMS_SUMMARY } from '../../contract/store/line-items-summary.ts';
import type { RecordsWriting } from '../../contract/store/store.ts';

/** The tables whose rows decide which ads an account has, and to whom they are shown. */
const TABLES: ReadonlySet<string> = new Set([
  'campaigns',
  'funding_instruments',
  'line_items',
  'media_creatives',
  'promoted_accounts',
  'promoted_posts',
  'targeting_criteria',
]);

/** Columns that change while ads are shown, without changing them. */
const DERIVED: ReadonlySet<string> = new Set([SPENT, LINE_ITEMS_SUMMARY]);

/** More changes of an account in one call are announced as one of the whole account. */
const NAMED_MAX = 50;

/**
 * Writes that announce what ads depend on: `serving:ACCOUNT/ID` for a line item, or for something of line items;
 * `serving:ACCOUNT` for many. New creatives and targeting criteria name their line item. @source decision 978
 */
export function announcingAdChanges(records: RecordsWriting, invalidate: (tag: string) => void): RecordsWriting {
  const note = (
    { table }: AnyResource,
    changed: readonly (readonly [account: string | undefined, id: string])[],
    columns?: readonly string[],
  ): void => {
    if (!TABLES.has(table) || columns?.every((column) => DERIVED.has(column))) return;
    const tags = new Set(
      changed.flatMap(([account, id]) => (account === undefined ? [] : [`serving:${account}/${id}`])),
    );
    if (tags.size <= NAMED_MAX) for (const tag of tags) invalidate(tag);
    else for (const account of new Set(changed.map(([each]) => each))) invalidate(`serving:${account}`);
  };
  const named = (row: Row) => {
    const { id, account_id, line_item_id } = row as Row & { readonly line_item_id?: unknown };
    return [account_id, typeof line_item_id === 'string' ? line_item_id : id] as const;
  };
  return {
    ...records,
    async insert(resource, row) {
      note(resource, [named(row)]);
      await records.insert(resource, row);
    },
    async insertAll(resource, rows) {
      note(resource, rows.map(named));
      await records.insertAll(resource, rows);
    },
    async update(resource, key, changes) {
      note(resource, [[key.account, key.id]], Object.keys(changes));
      await records.update(resource, key, changes);
    },
    async updateAll(resource, account, ids, changes) {
      note(
        resource,
        ids.map((id) => [account, id]),
        Object.keys(changes),
      );
      await records.updateAll(resource, account, ids, changes);
    },
    async remove(resource, key) {
      note(resource, [[key.account, key.id]]);
      await records.remove(resource, key);
    },
  };
}
