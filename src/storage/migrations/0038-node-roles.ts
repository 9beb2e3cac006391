import type { Migration } from './schema-builder.ts';

/** The roles of each running server: its share of the work depends on how many others do the same. @source decision 848 */
export const nodeRoles: Migration = {
  name: '0038-node-roles',
  olderServers: 'stop',
  statements: ({ addColumn }) => [addColumn('nodes', (t) => t.text('roles').defaultTo('api,stream,worker,search'))],
};
