import type { Migration } from './schema-builder.ts';

/** Users, applications, tokens, accounts with roles and features, funding instruments, campaigns and their history. */
export const foundation: Migration = {
  name: '0001-foundation',
  olderServers: 'stop',
  statements: ({ table, index }) => [
    table('sequences', (t) => t.text('name').key().integer('next')),
    table('users', (t) =>
      t
        .text('id')
        .key()
        .text('screen_name')
        .text('screen_name_folded')
        .unique()
        .text('name')
        .text('password_hash')
        .integer('suspended')
        .text('created_at'),
    ),
    table('applications', (t) =>
      t
        .text('id')
        .key()
        .text('owner_user_id')
        .text('name')
        .unique()
        .text('access_level')
        .text('consumer_key')
        .unique()
        .text('consumer_secret')
        .text('callbacks')
        .integer('sign_in')
        .integer('suspended')
        .integer('demo')
        .text('created_at'),
    ),
    table('access_tokens', (t) =>
      t
        .text('id')
        .key()
        .text('token')
        .unique()
        .text('token_secret')
        .text('application_id')
        .text('user_id')
        .text('access_level')
        .text('created_at')
        .text('revoked_at')
        .nullable(),
    ),
    index('access_tokens_user', 'access_tokens', ['user_id', 'application_id']),
    table('accounts', (t) =>
      t
        .text('id')
        .key()
        .text('environment')
        .text('name')
        .text('name_folded')
        .text('business_name')
        .nullable()
        .text('business_id')
        .nullable()
        .text('timezone')
        .text('timezone_switch_at')
        .nullable()
        .text('industry_type')
        .nullable()
        .text('approval_status')
        .text('limits')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    table('account_users', (t) =>
      t.text('account_id').key().text('user_id').key().text('role').integer('post_composer'),
    ),
    index('account_users_user', 'account_users', ['user_id', 'account_id']),
    table('account_features', (t) => t.text('account_id').key().text('feature_key').key()),
    table('account_changes', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('entity')
        .text('entity_id')
        .text('change_type')
        .text('change_time')
        .text('user_id')
        .text('platform')
        .text('changes')
        .text('entity_data'),
    ),
    index('account_changes_entity', 'account_changes', ['account_id', 'entity', 'entity_id', 'change_time', 'id']),
    table('funding_instruments', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('type')
        .text('description')
        .text('currency')
        .text('start_time')
        .text('end_time')
        .nullable()
        .integer('credit_limit_local_micro')
        .nullable()
        .integer('funded_amount_local_micro')
        .nullable()
        .text('io_header')
        .nullable()
        .text('entity_status')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('funding_instruments_created', 'funding_instruments', ['account_id', 'created_at', 'id']),
    table('campaigns', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('name')
        .text('name_folded')
        .text('funding_instrument_id')
        .text('budget_optimization')
        .integer('daily_budget_amount_local_micro')
        .nullable()
        .integer('total_budget_amount_local_micro')
        .nullable()
        .text('entity_status')
        .integer('standard_delivery')
        .nullable()
        .text('purchase_order_number')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('campaigns_created', 'campaigns', ['account_id', 'created_at', 'id']),
    index('campaigns_updated', 'campaigns', ['account_id', 'updated_at', 'id']),
    index('campaigns_name', 'campaigns', ['account_id', 'name', 'id']),
    index('campaigns_search', 'campaigns', ['account_id', 'name_folded', 'id']),
    index('campaigns_active', 'campaigns', ['account_id'], { entity_status: 'ACTIVE', deleted: 0 }),
  ],
};
