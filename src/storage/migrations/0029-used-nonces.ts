import type { Migration } from './schema-builder.ts';

/**
 * Used nonces that several processes share, in the order in which they expire, and the newest timestamp of which some
 * were removed: one row, once there is one.
 * @source decision 746, 748
 */
export const usedNonces: Migration = {
  name: '0029-used-nonces',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('used_nonces', (t) => t.integer('timestamp_s').key().text('digest').key()),
    table('forgotten_nonces', (t) => t.text('id').key().integer('until_s')),
  ],
};
