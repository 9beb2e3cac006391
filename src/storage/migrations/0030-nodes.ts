import type { Migration } from './schema-builder.ts';

/** The running servers, and which of them holds a job or a stream connection. */
export const nodes: Migration = {
  name: '0030-nodes',
  olderServers: 'stop',
  statements: ({ table, addColumn }) => [
    table('nodes', (t) => t.text('id').key().text('hostname').text('version').text('started_at').text('heartbeat_at')),
    // Null: taken by a server without this column, which has ended.
    addColumn('jobs', (t) => t.text('node').nullable()),
    addColumn('stream_connections', (t) => t.text('node').nullable()),
  ],
};
