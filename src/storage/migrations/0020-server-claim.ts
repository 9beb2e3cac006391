import type { Migration } from './schema-builder.ts';

/** Which server serves the database of a PostgreSQL server, and whether it has ended in good order. */
export const serverClaim: Migration = {
  name: '0020-server-claim',
  statements: ({ table }) => [
    table('server_claim', (t) => t.integer('id').key().text('token').text('process').integer('released')),
  ],
};
