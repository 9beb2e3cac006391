import type { Migration } from './schema-builder.ts';

/** Webhooks, their sent and pending deliveries, and replays. */
export const webhooks: Migration = {
  name: '0019-webhooks',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('webhooks', (t) =>
      t
        .text('id')
        .key()
        .text('application_id')
        .text('url')
        .text('url_form')
        .integer('valid')
        .text('created_at')
        .text('validated_at')
        .text('failing_since')
        .nullable()
        .text('failure')
        .nullable()
        .text('secret')
        .text('former_secret')
        .nullable()
        .text('former_until')
        .nullable(),
    ),
    uniqueIndex('webhooks_url', 'webhooks', ['application_id', 'url_form']),
    table('webhook_deliveries', (t) =>
      t
        .text('webhook_id')
        .key()
        .integer('position')
        .key()
        .text('message_id')
        .key()
        .text('subscription_id')
        .text('event_type')
        .text('body')
        .text('state')
        .text('tries')
        .integer('tries_before')
        .text('next_at')
        .nullable()
        .text('created_at'),
    ),
    index('webhook_deliveries_due', 'webhook_deliveries', ['webhook_id', 'next_at'], { state: 'pending' }),
    index('webhook_deliveries_position', 'webhook_deliveries', ['position']),
    table('webhook_progress', (t) => t.text('name').key().integer('position')),
    table('replays', (t) =>
      t
        .text('id')
        .key()
        .text('webhook_id')
        .text('application_id')
        .text('state')
        .integer('position')
        .integer('last_position')
        .integer('delivered')
        .integer('failed')
        .text('created_at')
        .text('ended_at')
        .nullable(),
    ),
    uniqueIndex('replays_running', 'replays', ['webhook_id'], { state: 'Running' }),
  ],
};
