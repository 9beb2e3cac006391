import type { Migration } from './schema-builder.ts';

/** Web event tags, who has seen or clicked which ads, and the conversions that were counted. @source decision 990 */
export const webEventTags: Migration = {
  name: '0046-web-event-tags',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('web_event_tags', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('name')
        .text('type')
        .integer('click_window')
        .integer('view_through_window')
        .integer('retargeting_enabled')
        .text('last_tracked_at')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('web_event_tags_created', 'web_event_tags', ['account_id', 'created_at', 'id']),
    table('delivery_touches', (t) =>
      t
        .text('account_id')
        .key()
        .text('person')
        .key()
        .text('touched_at')
        .key()
        .text('kind')
        .key()
        .text('line_item_id')
        .key()
        .text('creative_id')
        .key()
        .text('placement')
        .key()
        .text('platform'),
    ),
    index('delivery_touches_by_time', 'delivery_touches', ['kind', 'touched_at']),
    table('counted_conversions', (t) =>
      t.text('account_id').key().text('web_event_tag_id').key().text('conversion_id').key().text('converted_at'),
    ),
    index('counted_conversions_by_time', 'counted_conversions', ['converted_at']),
  ],
};
