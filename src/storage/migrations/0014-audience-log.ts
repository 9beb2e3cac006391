import type { Migration } from './schema-builder.ts';

/**
 * What was uploaded of people: per subject how many uploads there are, each of them, and apart from them what they say, which
 * is stored before their turn has come.
 */
export const audienceLog: Migration = {
  name: '0014-audience-log',
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
