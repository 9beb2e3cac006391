import type { Migration } from './schema-builder.ts';

/** When this database was restored from which backup, and since when signed requests count. */
export const restores: Migration = {
  name: '0022-restores',
  statements: ({ table }) => [
    table('restores', (t) => t.text('restored_at').key().text('backup_made_at').integer('requests_not_before')),
  ],
};
