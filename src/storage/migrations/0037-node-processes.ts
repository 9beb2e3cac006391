import type { Migration } from './schema-builder.ts';

/** The process of each running server, so that its successor on the same machine can tell that it has ended. */
export const nodeProcesses: Migration = {
  name: '0037-node-processes',
  // Empty: unknown.
  statements: ({ addColumn }) => [addColumn('nodes', (t) => t.text('process').defaultTo(''))],
};
