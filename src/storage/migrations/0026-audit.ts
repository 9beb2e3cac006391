import type { Migration } from './schema-builder.ts';

/** Audit records, ordered by time. @source decision 590 */
export const audit: Migration = {
  name: '0026-audit',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('audit_events', (t) =>
      t
        .text('at')
        .key()
        .text('id')
        .key()
        .text('event')
        .text('outcome')
        .text('actor')
        .nullable()
        .text('sudo_user')
        .nullable()
        .text('origin')
        .text('transaction_id')
        .nullable()
        .text('command')
        .nullable()
        .text('targets'),
    ),
  ],
};
