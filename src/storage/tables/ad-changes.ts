import type { AnyResource } from '../../contract/declare/resource.ts';
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

/** Writes that announce the accounts whose ads they change, as `serving:ACCOUNT`. @source decision 978 */
export function announcingAdChanges(records: RecordsWriting, invalidate: (tag: string) => void): RecordsWriting {
  const note = ({ table }: AnyResource, account: string | undefined, columns?: readonly string[]): void => {
    if (account === undefined || !TABLES.has(table) || columns?.every((column) => DERIVED.has(column))) return;
    invalidate(`serving:${account}`);
  };
  return {
    ...records,
    async insert(resource, row) {
      note(resource, row.account_id);
      await records.insert(resource, row);
    },
    async insertAll(resource, rows) {
      for (const { account_id } of rows) note(resource, account_id);
      await records.insertAll(resource, rows);
    },
    async update(resource, key, changes) {
      note(resource, key.account, Object.keys(changes));
      await records.update(resource, key, changes);
    },
    async updateAll(resource, account, ids, changes) {
      note(resource, account, Object.keys(changes));
      await records.updateAll(resource, account, ids, changes);
    },
    async remove(resource, key) {
      note(resource, key.account);
      await records.remove(resource, key);
    },
  };
}
