import type { Migration } from './schema-builder.ts';

/** Links that sign operators in and were not used yet. @source decision 1060 */
export const operatorLinks: Migration = {
  name: '0051-operator-links',
  olderServers: 'continue',
  statements: ({ table }) => [
    table('operator_links', (t) => t.text('id_hash').key().text('operator').text('expires_at')),
  ],
};
