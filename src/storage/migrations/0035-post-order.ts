import type { Migration } from './schema-builder.ts';

/**
 * The order in which posts were stored, which that of their ids is not: on PostgreSQL the transaction, on SQLite a
 * number. Posts that exist already come first.
 * @source decision 790
 */
export const postOrder: Migration = {
  name: '0035-post-order',
  olderServers: 'stop',
  statements: ({ addColumn, index }) => [
    addColumn('posts', (t) => t.integer('stored_in').defaultTo(0)),
    index('posts_stored', 'posts', ['environment', 'stored_in', 'id']),
  ],
};
