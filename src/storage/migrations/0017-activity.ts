import type { Migration } from './schema-builder.ts';

/** Activity: the event log, subscriptions, limits of single applications, profile texts, messages. */
export const activity: Migration = {
  name: '0017-activity',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex, addColumn }) => [
    table('events', (t) =>
      t
        .integer('position')
        .key()
        .text('event_type')
        .text('user_id')
        .text('direction')
        .nullable()
        .text('text')
        .nullable()
        .text('payload')
        .text('created_at'),
    ),
    index('events_created', 'events', ['created_at', 'position']),
    table('subscriptions', (t) =>
      t
        .text('id')
        .key()
        .text('application_id')
        .text('user_id')
        .nullable()
        .text('event_type')
        .text('filter')
        .text('filter_user_id')
        .nullable()
        .text('filter_keyword')
        .nullable()
        .text('filter_direction')
        .nullable()
        .text('tag')
        .nullable()
        .text('webhook_id')
        .nullable()
        .text('sense')
        .integer('since_position')
        .text('created_at')
        .text('updated_at'),
    ),
    uniqueIndex('subscriptions_sense', 'subscriptions', ['application_id', 'sense']),
    index('subscriptions_page', 'subscriptions', ['application_id', 'user_id', 'id']),
    index('subscriptions_webhook', 'subscriptions', ['webhook_id']),
    table('application_limits', (t) => t.text('application_id').key().text('name').key().integer('value')),
    table('messages', (t) =>
      t
        .text('id')
        .key()
        .text('conversation_id')
        .text('sender_id')
        .text('recipient_id')
        .text('text')
        .text('created_at')
        .integer('created_ms'),
    ),
    index('messages_conversation', 'messages', ['conversation_id', 'id']),
    table('message_reads', (t) => t.text('conversation_id').key().text('user_id').key().text('last_read_id')),
    addColumn('users', (t) => t.text('description').defaultTo('')),
    addColumn('users', (t) => t.text('location').defaultTo('')),
    addColumn('users', (t) => t.text('url').nullable()),
    addColumn('users', (t) => t.text('verified_type').defaultTo('none')),
    addColumn('users', (t) => t.text('affiliate_id').nullable()),
  ],
};
