import type { Migration } from './schema-builder.ts';

/** What visitors of websites have reported for each click on an ad. @source decision 1071 */
export const clickConversions: Migration = {
  name: '0049-click-conversions',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('click_conversions', (t) =>
      t
        .text('account_id')
        .key()
        .text('web_event_tag_id')
        .key()
        .text('click')
        .key()
        .integer('events')
        .integer('value_micro')
        .text('clicked_at'),
    ),
    index('click_conversions_by_time', 'click_conversions', ['clicked_at']),
  ],
};
