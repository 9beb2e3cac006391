import type { Migration } from './schema-builder.ts';

/** What decides the simulated delivery of an account, and the plan of its running hour. @source decision 930 */
export const simulatedDelivery: Migration = {
  name: '0044-simulated-delivery',
  olderServers: 'continue',
  statements: ({ addColumn }) => [
    addColumn('delivery_cursors', (t) => t.text('knobs').nullable()),
    addColumn('delivery_cursors', (t) => t.text('plan').nullable()),
  ],
};
