import { secretBoxOf } from '../../src/app/database.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openEventFeed } from '../../src/features/activity/event-feed.ts';
import type { Settings } from '../../src/settings.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { delivererOf } from '../rig/deliverers.ts';

/** What a node of a process of its own is given. */
export interface WebhookNodeOptions {
  readonly databaseUrl: string;
  readonly keys: Pick<Settings, 'master_key' | 'master_key_id' | 'master_keys_old'>;
  readonly id: string;
  readonly lease_s: number;
}

/** A node that only delivers to webhooks, until the parent process sends a message. The parent is told what happens. */
const { databaseUrl, keys, id, lease_s }: WebhookNodeOptions = JSON.parse(process.argv[2]!);
const tell = (what: string): void => void process.send!(what);
const driver = openPostgres({ url: databaseUrl, connectionsMax: 5 });
const store = storeOn(driver);
const feed = openEventFeed({ store, withSubscriptionId: false, onError: () => {} });
const box = secretBoxOf(keys as Settings);
const deliverer = delivererOf(id, { store, box, feed, lease_s, clock: systemClock }, () => tell('lost'));
await feed.start();
await deliverer.start();
tell(`holds ${deliverer.held().length}`);
await new Promise((resolve) => void process.once('message', resolve));
await deliverer.stop();
await feed.stop();
await driver.close();
process.disconnect();
