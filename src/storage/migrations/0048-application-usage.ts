import type { Migration } from './schema-builder.ts';

/** The calls of applications by hour, and how they ended. @source decision 1017 */
export const applicationUsage: Migration = {
  name: '0048-application-usage',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('application_usage', (t) =>
      t
        .text('application_id')
        .key()
        .text('hour')
        .key()
        .text('operation')
        .key()
        .integer('status')
        .key()
        .text('problem')
        .key()
        .integer('calls'),
    ),
    index('application_usage_by_hour', 'application_usage', ['hour']),
  ],
};
