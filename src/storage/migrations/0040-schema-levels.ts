import type { Migration } from './schema-builder.ts';

/**
 * The first step that a server must know to serve beside each step, and the last one that each running server knows, so
 * that servers of two versions can work on one database.
 * @source decision 830
 */
export const schemaLevels: Migration = {
  name: '0040-schema-levels',
  olderServers: 'continue',
  statements: ({ addColumn }) => [
    // Empty: any server.
    addColumn('schema_steps', (t) => t.text('servers_from').defaultTo('')),
    // Empty: unknown, before this step.
    addColumn('nodes', (t) => t.text('schema_level').defaultTo('')),
  ],
};
