import type { Migration } from './schema-builder.ts';

/**
 * What units of work have changed of what processes cache; only used on PostgreSQL. `origin` is the process that made
 * the change, `oldest_xid` the oldest transaction that had not ended when the row was inserted.
 * @source decision 740, 741, 743
 */
export const cacheChanges: Migration = {
  name: '0028-cache-changes',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('cache_changes', (t) =>
      t.integer('xid').key().text('tag').key().text('origin').integer('oldest_xid').integer('changed_at_ms'),
    ),
  ],
};
