import type { Migration } from './schema-builder.ts';

/** Targeting criteria and the other parts of line items. */
export const targeting: Migration = {
  name: '0005-targeting',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('targeting_criteria', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('line_item_id')
        .text('targeting_type')
        .text('targeting_value')
        .text('operator_type')
        .text('one_key')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('targeting_criteria_created', 'targeting_criteria', ['account_id', 'line_item_id', 'created_at', 'id']),
    index(
      'targeting_criteria_types',
      'targeting_criteria',
      ['account_id', 'line_item_id', 'targeting_type', 'operator_type'],
      { deleted: 0 },
    ),
    uniqueIndex('targeting_criteria_one', 'targeting_criteria', ['account_id', 'one_key']),
    table('promoted_accounts', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('line_item_id')
        .text('user_id')
        .text('entity_status')
        .text('approval_status')
        .text('one_key')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('promoted_accounts_created', 'promoted_accounts', ['account_id', 'created_at', 'id']),
    index('promoted_accounts_line_item', 'promoted_accounts', ['account_id', 'line_item_id', 'id', 'approval_status'], {
      deleted: 0,
    }),
    uniqueIndex('promoted_accounts_one', 'promoted_accounts', ['account_id', 'one_key']),
    table('tracking_tags', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('line_item_id')
        .text('tracking_tag_type')
        .text('tracking_tag_url')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('tracking_tags_created', 'tracking_tags', ['account_id', 'created_at', 'id']),
    index('tracking_tags_line_item', 'tracking_tags', ['account_id', 'line_item_id', 'id'], { deleted: 0 }),
    table('line_item_curated_categories', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('line_item_id')
        .text('curated_category_id')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('line_item_curated_categories_created', 'line_item_curated_categories', ['account_id', 'created_at', 'id']),
    index(
      'line_item_curated_categories_line_item',
      'line_item_curated_categories',
      ['account_id', 'line_item_id', 'id'],
      { deleted: 0 },
    ),
  ],
};
