import type { Migration } from './schema-builder.ts';

/**
 * Every unique index of an account's tables contains `account_id`, so that these tables can be distributed by account.
 * Ids are unique without an index: they come from one sequence.
 */
export const accountIndexes: Migration = {
  name: '0031-account-indexes',
  olderServers: 'stop',
  statements: ({ index, dropIndex }) => [
    dropIndex('custom_audiences_id'),
    index('custom_audiences_id', 'custom_audiences', ['id']),
    dropIndex('do_not_reach_lists_id'),
    index('do_not_reach_lists_id', 'do_not_reach_lists', ['id']),
  ],
};
