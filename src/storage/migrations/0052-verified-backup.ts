import type { Migration } from './schema-builder.ts';

/** When a backup was last verified. @source decision 1061 */
export const verifiedBackup: Migration = {
  name: '0052-verified-backup',
  olderServers: 'continue',
  statements: ({ table }) => [table('verified_backup', (t) => t.integer('row').key().text('verified_at'))],
};
