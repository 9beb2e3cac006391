import type { Migration } from './schema-builder.ts';

/** Which server serves a PostgreSQL database, and whether it has released it. */
export const serverClaim: Migration = {
  name: '0020-server-claim',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('server_claim', (t) => t.integer('id').key().text('token').text('process').integer('released')),
  ],
};
