import type { Migration } from './schema-builder.ts';

/** Finds what an account delivered on some days without reading all that it ever delivered. */
export const deliveryDaysByDay: Migration = {
  name: '0050-delivery-days-by-day',
  olderServers: 'continue',
  statements: ({ index }) => [
    index('delivery_days_by_day', 'delivery_days', ['account_id', 'day', 'line_item_id', 'creative_id', 'placement']),
  ],
};
