import type { Migration } from './schema-builder.ts';

/**
 * The log of people uploads: the number of uploads per subject, each upload, and separately the payloads, which are
 * stored before an upload gets its number.
 */
export const audienceLog: Migration = {
  name: '0014-audience-log',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('audience_logs', (t) => t.text('subject').key().integer('uploads').integer('accepted_at')),
    table('audience_uploads', (t) =>
      t
        .text('subject')
        .key()
        .integer('number')
        .key()
        .integer('accepted_at')
        .integer('records')
        .integer('bytes')
        .text('payload_key'),
    ),
    table('audience_payloads', (t) => t.text('subject').key().text('payload_key').key().bytes('payload')),
  ],
};
