import type { Migration } from './schema-builder.ts';

/** Clicks on ads that counted, and conversions that wait until their click counts. @source decision 1123 */
export const countedClicks: Migration = {
  name: '0054-counted-clicks',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('counted_clicks', (t) => t.text('account_id').key().text('click').key().text('clicked_at')),
    index('counted_clicks_by_time', 'counted_clicks', ['clicked_at']),
    table('waiting_conversions', (t) =>
      t.text('account_id').key().text('id').key().text('conversion').text('reported_by').text('reported_at'),
    ),
    index('waiting_conversions_by_time', 'waiting_conversions', ['reported_at']),
  ],
};
