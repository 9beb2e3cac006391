import type { Migration } from './schema-builder.ts';

/** Jobs. */
export const jobs: Migration = {
  name: '0008-jobs',
  olderServers: 'stop',
  statements: ({ table, index }) => [
    table('jobs', (t) =>
      t
        .text('kind')
        .key()
        .text('key')
        .key()
        .text('run_at')
        .text('lease')
        .nullable()
        .text('leased_until')
        .nullable()
        .integer('attempts'),
    ),
    index('jobs_due', 'jobs', ['run_at']),
  ],
};
