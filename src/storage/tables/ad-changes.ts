import { SPENT } from '../../contract/store/delivery-ledger.ts';
import { LINE_ITEMS_SUMMARY } from '../../contract/store/line-items-summary.ts';
import type { NoteWrite } from './records.ts';

/** The tables whose rows decide the ads of an account and their audience. */
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
 * Announces writes of what ads depend on: `serving:ACCOUNT/ID` for a line item, or for something of line items;
 * `serving:ACCOUNT` for many. New creatives and targeting criteria name their line item.
 * @source decision 978
 */
export function noteAdChanges(invalidate: (tag: string) => void): NoteWrite {
  return ({ table }, rows, columns) => {
    if (!TABLES.has(table) || columns?.every((column) => DERIVED.has(column))) return;
    const tags = new Set<string>();
    for (const { account_id, id, line_item_id } of rows) {
      if (account_id !== undefined)
        tags.add(`serving:${account_id}/${typeof line_item_id === 'string' ? line_item_id : id}`);
    }
    if (tags.size <= NAMED_MAX) for (const tag of tags) invalidate(tag);
    else for (const account of new Set(rows.map(({ account_id }) => account_id))) invalidate(`serving:${account}`);
  };
}
