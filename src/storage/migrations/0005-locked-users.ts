import type { Migration } from './migration.ts';

/** Users who are locked, beside those who are suspended. */
export const lockedUsers: Migration = {
  name: '0005-locked-users',
  statements: ({ addColumn }) => [addColumn('users', (t) => t.integer('locked').preset(0))],
};
