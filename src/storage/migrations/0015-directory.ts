import type { Migration } from './schema-builder.ts';

/** The people of the platform, shared by both environments. */
export const directory: Migration = {
  name: '0015-directory',
  olderServers: 'stop',
  statements: ({ table, uniqueIndex }) => [
    table('directory_users', (t) =>
      t
        .integer('number')
        .key()
        .text('user_id')
        .text('country')
        .nullable()
        .text('region')
        .nullable()
        .text('metro')
        .nullable()
        .text('city')
        .nullable()
        .text('postal_code')
        .nullable()
        .text('language')
        .nullable()
        .text('gender')
        .nullable()
        .text('platform')
        .nullable()
        .text('platform_version')
        .nullable()
        .text('device')
        .nullable()
        .text('network_operator')
        .nullable()
        .text('wifi')
        .nullable()
        .integer('age')
        .nullable()
        .integer('activated_at')
        .nullable()
        .text('interests')
        .text('follows')
        .text('store_categories')
        .text('engagements')
        .integer('last_active_at')
        .bytes('identifiers'),
    ),
    uniqueIndex('directory_users_id', 'directory_users', ['user_id']),
    table('directory_state', (t) =>
      t.text('name').key().integer('version').text('mark').integer('people').integer('next_number'),
    ),
    table('directory_imports', (t) => t.text('source').key().integer('done')),
  ],
};
