import type { Migration } from './schema-builder.ts';

/** The ledger of delivery, and what campaigns and funding instruments have spent by it. @source decision 920 */
export const delivery: Migration = {
  name: '0043-delivery',
  olderServers: 'continue',
  statements: ({ table, index, addColumn }) => [
    table('delivery_days', (t) =>
      t
        .text('account_id')
        .key()
        .text('line_item_id')
        .key()
        .text('day')
        .key()
        .text('creative_id')
        .key()
        .text('placement')
        .key()
        .bytes('hours')
        .integer('impressions')
        .integer('billed')
        .integer('spend_local_micro')
        .text('settled_until')
        .text('changed_at'),
    ),
    table('delivery_segments', (t) =>
      t
        .text('account_id')
        .key()
        .text('line_item_id')
        .key()
        .text('day')
        .key()
        .text('creative_id')
        .key()
        .text('placement')
        .key()
        .text('segmentation')
        .key()
        .text('value')
        .key()
        .bytes('hours'),
    ),
    table('delivery_views', (t) =>
      t
        .text('account_id')
        .key()
        .text('person')
        .key()
        .text('line_item_id')
        .key()
        .text('day')
        .key()
        .integer('impressions'),
    ),
    index('delivery_views_by_line_item', 'delivery_views', ['account_id', 'line_item_id', 'day']),
    index('delivery_views_by_day', 'delivery_views', ['day']),
    table('delivery_audiences', (t) =>
      t
        .text('account_id')
        .key()
        .text('subject')
        .key()
        .text('applies_from')
        .key()
        .integer('people')
        .text('shares')
        .text('question_hash')
        .text('directory_mark'),
    ),
    table('delivery_cursors', (t) => t.text('account_id').key().text('settled_until').text('seed')),
    table('delivery_changes', (t) =>
      t
        .text('account_id')
        .key()
        .text('recorded_hour')
        .key()
        .text('line_item_id')
        .key()
        .text('creative_id')
        .key()
        .text('placement')
        .key()
        .text('applies_from')
        .text('applies_until'),
    ),
    index('delivery_changes_by_hour', 'delivery_changes', ['recorded_hour']),
    addColumn('campaigns', (t) => t.integer('spent_local_micro').defaultTo(0)),
    addColumn('funding_instruments', (t) => t.integer('spent_local_micro').defaultTo(0)),
  ],
};
