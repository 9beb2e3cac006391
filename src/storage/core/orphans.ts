import { type RawBuilder, sql } from 'kysely';

/**
 * Whether the node in a column no longer exists. A node is registered before it takes a lease. Null means a server of a
 * release without nodes, which has ended.
 */
export function isOrphaned(table: 'delivery_leases' | 'jobs' | 'stream_connections' | 'webhooks'): RawBuilder<boolean> {
  const node = sql.ref(`${table}.node`);
  return sql<boolean>`(${node} is null or not exists (select 1 from nodes where nodes.id = ${node}))`;
}
