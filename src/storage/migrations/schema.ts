import { text } from './columns.ts';
import { accessTables } from './schema/access.ts';
import { accountTables } from './schema/accounts.ts';
import { activityTables } from './schema/activity.ts';
import { audienceTables } from './schema/audiences.ts';
import { campaignTables } from './schema/campaigns.ts';
import { creativeTables } from './schema/creatives.ts';
import { deliveryTables } from './schema/delivery.ts';
import { platformTables } from './schema/platform.ts';
import type { Migration, SchemaBuilder } from './schema-builder.ts';
import { upgradeFrom010 } from './upgrade-from-0.1.0.ts';

function statements(words: SchemaBuilder): string[] {
  return [
    // The first migration that servers must know; empty: none. @source decision 830
    words.addColumn('schema_steps', 'servers_from', text.defaultTo('')),
    ...platformTables(words),
    ...accessTables(words),
    ...accountTables(words),
    ...campaignTables(words),
    ...creativeTables(words),
    ...audienceTables(words),
    ...activityTables(words),
    ...deliveryTables(words),
  ];
}

/** All tables as of 0058. The name is that of the last migration that this one replaces. @source decision 1310 */
export const schema: Migration = {
  name: '0058-operator-sessions',
  olderServers: 'stop',
  statements,
  upgrade: { from: '0019-webhooks', statements: (words) => upgradeFrom010(words, statements) },
};
