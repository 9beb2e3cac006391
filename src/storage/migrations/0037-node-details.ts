import type { Migration } from './schema-builder.ts';

/**
 * The process of each running server, so that its successor on the same machine can tell that it has ended, and its
 * master keys, so that servers with other ones are not started beside it.
 */
export const nodeDetails: Migration = {
  name: '0037-node-details',
  olderServers: 'stop',
  // Empty: unknown.
  statements: ({ addColumn }) => [
    addColumn('nodes', (t) => t.text('process').defaultTo('')),
    addColumn('nodes', (t) => t.text('master_keys').defaultTo('')),
  ],
};
