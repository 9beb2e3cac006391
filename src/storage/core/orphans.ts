import { type RawBuilder, sql } from 'kysely';

/**
 * Whether what a row of a table stands for is held by no node that exists. A node has its row before it holds anything.
 * Without a name it was a server of a release without nodes, which has ended.
 */
export function isOrphaned(table: 'delivery_leases' | 'jobs' | 'stream_connections' | 'webhooks'): RawBuilder<boolean> {
  const node = sql.ref(`${table}.node`);
  return sql<boolean>`(${node} is null or not exists (select 1 from nodes where nodes.id = ${node}))`;
}
