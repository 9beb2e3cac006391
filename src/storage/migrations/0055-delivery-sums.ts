import type { Migration } from './schema-builder.ts';

/**
 * Sums of days that reports add up in the database instead of unpacking hours; null for days that were last changed before.
 * An older server would change the hours and not the sums.
 */
export const deliverySums: Migration = {
  name: '0055-delivery-sums',
  olderServers: 'stop',
  statements: ({ addColumn }) =>
    ['engagements', 'clicks', 'video_total_views'].map((name) =>
      addColumn('delivery_days', (t) => t.integer(name).nullable()),
    ),
};
