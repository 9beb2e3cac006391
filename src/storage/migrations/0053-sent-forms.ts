import type { Migration } from './schema-builder.ts';

/** Forms that pages have sent, so that each is processed once. @source decision 1100 */
export const sentForms: Migration = {
  name: '0053-sent-forms',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('sent_forms', (t) => t.text('id_hash').key().text('sent_at').text('answer').nullable()),
    index('sent_forms_sent', 'sent_forms', ['sent_at']),
  ],
};
