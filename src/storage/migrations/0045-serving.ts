import type { Migration } from './schema-builder.ts';

/** Publishers that show ads, the beacons of what they have shown, and the budgets that nodes hold. @source decision 975, 980, 982 */
export const serving: Migration = {
  name: '0045-serving',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('publishers', (t) =>
      t
        .text('id')
        .key()
        .text('environment')
        .text('name')
        .text('owner_user_id')
        .nullable()
        .text('secret_digest')
        .unique()
        .integer('may_explain')
        .text('created_at')
        .text('rotated_at')
        .nullable()
        .text('disabled_at')
        .nullable(),
    ),
    index('publishers_by_owner', 'publishers', ['owner_user_id', 'id']),
    table('delivery_beacons', (t) =>
      t
        .text('account_id')
        .key()
        .text('nonce')
        .key()
        .integer('viewed_ms')
        .integer('clicked_ms')
        .nullable()
        .integer('expires_ms'),
    ),
    index('delivery_beacons_by_expiry', 'delivery_beacons', ['expires_ms']),
    table('delivery_leases', (t) =>
      t.text('account_id').key().text('budget').key().text('node').key().integer('amount_local_micro'),
    ),
    index('delivery_leases_by_node', 'delivery_leases', ['node']),
  ],
};
