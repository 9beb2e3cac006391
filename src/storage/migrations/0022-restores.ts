import type { Migration } from './schema-builder.ts';

/**
 * Restores of this database: when, from which backup, and from which timestamp on signed requests are accepted.
 * @source decision 454
 */
export const restores: Migration = {
  name: '0022-restores',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('restores', (t) => t.text('restored_at').key().text('backup_made_at').integer('requests_not_before')),
  ],
};
