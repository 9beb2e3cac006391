import type { Migration } from './schema-builder.ts';

/** Line items of campaigns, and the app store applications that an account has named. */
export const lineItems: Migration = {
  name: '0004-line-items',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('line_items', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('campaign_id')
        .text('name')
        .nullable()
        .text('name_folded')
        .nullable()
        .text('objective')
        .text('product_type')
        .text('placements')
        .text('entity_status')
        .text('start_time')
        .nullable()
        .text('end_time')
        .nullable()
        .text('bid_strategy')
        .integer('bid_amount_local_micro')
        .nullable()
        .text('goal')
        .text('pay_by')
        .integer('daily_budget_amount_local_micro')
        .nullable()
        .integer('total_budget_amount_local_micro')
        .nullable()
        .integer('standard_delivery')
        .nullable()
        .integer('frequency_cap')
        .nullable()
        .integer('duration_in_days')
        .nullable()
        .text('audience_expansion')
        .nullable()
        .text('advertiser_domain')
        .nullable()
        .text('categories')
        .text('primary_web_event_tag')
        .nullable()
        .text('android_store_identifier')
        .nullable()
        .text('ios_store_identifier')
        .nullable()
        .text('advertiser_user_id')
        .nullable()
        .text('creative_source')
        .text('funding_instrument_id')
        .text('currency')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('line_items_created', 'line_items', ['account_id', 'created_at', 'id']),
    index('line_items_updated', 'line_items', ['account_id', 'updated_at', 'id']),
    index('line_items_name', 'line_items', ['account_id', 'name', 'id']),
    index('line_items_search', 'line_items', ['account_id', 'name_folded', 'id']),
    index('line_items_active', 'line_items', ['account_id', 'campaign_id'], { entity_status: 'ACTIVE', deleted: 0 }),
    // A covering index: everything that the servability of a campaign needs of its line items.
    index(
      'line_items_of_campaign',
      'line_items',
      [
        'account_id',
        'campaign_id',
        'id',
        'entity_status',
        'start_time',
        'end_time',
        'daily_budget_amount_local_micro',
        'total_budget_amount_local_micro',
      ],
      { deleted: 0 },
    ),
    table('account_apps', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('store_identifier')
        .text('os_type')
        .integer('conversion_tracking_enabled')
        .text('deep_link_pattern')
        .nullable()
        .text('one_key')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('account_apps_created', 'account_apps', ['account_id', 'created_at', 'id']),
    uniqueIndex('account_apps_one', 'account_apps', ['account_id', 'one_key']),
  ],
};
