import type { Migration } from './schema-builder.ts';

/**
 * Which server delivers to a webhook, and up to where the log is settled for it. Before, one position applied to all
 * webhooks; without it, nothing had been sent. Replays become jobs.
 * @source decision 770, 775
 */
export const webhookLeases: Migration = {
  name: '0033-webhook-leases',
  olderServers: 'stop',
  statements: ({ addColumn }) => [
    addColumn('webhooks', (t) => t.text('node').nullable()),
    addColumn('webhooks', (t) => t.text('leased_until').nullable()),
    addColumn('webhooks', (t) => t.integer('fencing_number').defaultTo(0)),
    addColumn('webhooks', (t) => t.integer('settled_position').defaultTo(0)),
    `update webhooks set settled_position = coalesce(
      (select position from webhook_progress where name = 'log'),
      (select next - 1 from sequences where name = 'events'),
      0)`,
    `insert into jobs (kind, key, run_at, attempts)
      select 'webhook replay', id, created_at, 0 from replays where state = 'Running'`,
  ],
};
