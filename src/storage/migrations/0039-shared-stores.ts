import type { Migration } from './schema-builder.ts';

/** Which object store belongs to the database, and which Redis each running server uses: both by ids that lie there. */
export const sharedStores: Migration = {
  name: '0039-shared-stores',
  olderServers: 'stop',
  statements: ({ table, addColumn }) => [
    table('object_stores', (t) => t.integer('row').key().text('id')),
    // Empty: unknown.
    addColumn('nodes', (t) => t.text('shared_server').defaultTo('')),
  ],
};
