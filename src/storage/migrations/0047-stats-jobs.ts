import type { Migration } from './schema-builder.ts';

/** Jobs whose results are files with statistics. @source decision 966 */
export const statsJobs: Migration = {
  name: '0047-stats-jobs',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('stats_jobs', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('status')
        .text('entity')
        .text('entity_ids')
        .text('start_time')
        .text('end_time')
        .text('granularity')
        .text('placement')
        .text('metric_groups')
        .text('segmentation_type')
        .nullable()
        .text('country')
        .nullable()
        .text('platform')
        .nullable()
        .text('file_name')
        .nullable()
        .text('object_key')
        .nullable()
        .text('expires_at')
        .nullable()
        .text('created_at')
        .text('updated_at'),
    ),
    index('stats_jobs_by_account', 'stats_jobs', ['account_id', 'created_at', 'id']),
    index('stats_jobs_by_file', 'stats_jobs', ['file_name']),
    index('stats_jobs_by_object', 'stats_jobs', ['object_key']),
    index('stats_jobs_by_time', 'stats_jobs', ['created_at', 'id']),
  ],
};
