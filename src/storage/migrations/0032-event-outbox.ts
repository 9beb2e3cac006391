import type { Migration } from './schema-builder.ts';

/**
 * Events that have no position in the log yet; only used on PostgreSQL. All events of a unit of work have one id, and a
 * place in the order in which they were appended.
 * @source decision 757
 */
export const eventOutbox: Migration = {
  name: '0032-event-outbox',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('event_outbox', (t) =>
      t
        .integer('id')
        .key()
        .numbered()
        .integer('place')
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
  ],
};
