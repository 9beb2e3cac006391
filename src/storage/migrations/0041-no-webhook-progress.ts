import type { Migration } from './schema-builder.ts';

/** Each webhook has a position of its own since 0033: nothing reads or writes the one of all of them any more. */
export const noWebhookProgress: Migration = {
  name: '0041-no-webhook-progress',
  olderServers: { from: '0033-webhook-leases' },
  statements: ({ dropTable }) => [dropTable('webhook_progress')],
};
