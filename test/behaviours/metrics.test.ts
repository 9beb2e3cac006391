// On either database: what is tried here is decided before the database is asked.
// Of one node: each has metrics of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { addBacklogMetrics } from '../../src/http/backlog-metrics.ts';
import { addGauge, addNodeMetrics, addObjectStoreMetrics, addSharedServerMetrics } from '../../src/http/metrics.ts';
import { bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { openReceiver, status } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const scrape = async (): Promise<string> => (await fetch(`${world.service.url}/metrics`)).text();
/** The value of a sample, by its name and labels as they are printed. */
const sample = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe('metrics', () => {
  /** Names of metrics with their types. */
  const served = async (): Promise<Map<string, string>> => {
    const { clock, service } = world;
    const overHttps = new Registry();
    const idle = { size: () => 0, count: () => 0, waiting: () => 0, held: () => [] };
    addBacklogMetrics(overHttps, {
      ...{ clock, store: service.store, driver: service.driver, dataFolder: world.place.folder },
      ...{ nonces: idle, streams: idle, webhooks: idle, tls: { expiresAt_s: () => 5 } },
    });
    addSharedServerMetrics(overHttps, { isUp: () => true, failures: () => new Map() });
    // Where the database has no other servers, nobody waits for heartbeats.
    const withPeers = new Registry();
    addNodeMetrics(withPeers, {
      heartbeats: { age_s: () => 1, skew_s: () => 0 },
      liveNodes: () => 2,
      eventsWait_s: async () => 0,
      oldestTransaction_s: async () => 0,
    });
    addObjectStoreMetrics(withPeers, () => true);
    const text = [await scrape(), await overHttps.metrics(), await withPeers.metrics()].join('\n');
    return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  };

  test('are those that the operating guide lists', async () => {
    const guide = readFileSync('docs/operate.md', 'utf8');
    const listed = [...guide.matchAll(/^\| `((?:barker|process)_\w+)` \| (\w+) \|/gm)];
    assert.deepEqual(
      listed.map(([, name, type]) => `${name} ${type}`).sort(),
      [...(await served())].map(([name, type]) => `${name} ${type}`).sort(),
    );
  });

  for (const file of ['deploy/grafana-dashboard.json', 'deploy/alerts.yaml']) {
    test(`used in ${file} exist`, async () => {
      const types = await served();
      const exists = (name: string): boolean => {
        const base = name.replace(/_(bucket|count|sum)$/, '');
        return types.has(name) || types.get(base) === 'histogram';
      };
      const asked = new Set(readFileSync(file, 'utf8').match(/\b(?:barker|process)_[a-z_]+\b/g));
      assert.ok(asked.size > 10);
      assert.deepEqual(
        [...asked].filter((name) => !exists(name)),
        [],
      );
    });
  }

  test('say when a backup was last verified', async () => {
    const name = 'barker_backup_verified_time_seconds';
    assert.equal(sample(await scrape(), name), 0, 'never');
    for (const at of ['2026-03-01T03:00:00Z', '2026-03-02T03:00:00Z']) {
      await world.service.store.write((tx) => tx.verifiedBackup.record(at));
      assert.equal(sample(await scrape(), name), Date.parse(at) / 1000);
    }
  });

  test('count jobs by kind and outcome, and overdue ones', async () => {
    const { service, clock } = world;
    await service.jobs.runDue();
    const before = await scrape();
    const done = 'barker_job_duration_seconds_count{kind="event-expiry",outcome="done"}';
    assert.ok(sample(before, done)! >= 1);
    assert.equal(sample(before, 'barker_jobs_due{kind="event-expiry"}'), undefined);
    await service.store.write((tx) =>
      tx.jobs.plan({ kind: 'nobody does it', key: 'a', run_at: '2026-03-02T17:00:00Z' }),
    );
    await service.store.write((tx) =>
      tx.jobs.plan({ kind: 'nobody does it', key: 'b', run_at: '2026-03-02T17:04:00Z' }),
    );
    const text = await scrape();
    assert.equal(sample(text, 'barker_jobs_due{kind="nobody does it"}'), 2);
    const waited_s = (clock.now() - Date.parse('2026-03-02T17:00:00Z')) / 1000;
    assert.equal(sample(text, 'barker_jobs_oldest_due_seconds{kind="nobody does it"}'), waited_s);
  });

  test('count attempts at webhooks by outcome, and how late deliveries are', async () => {
    const keys = await register(world);
    const client = await bearerClient(world, keys);
    const receiver = await openReceiver(keys.consumer_secret);
    try {
      const made = await client.call('POST', '/2/webhooks', { url: receiver.url });
      await client.call('POST', '/2/activity/subscriptions', {
        event_type: 'profile.update.bio',
        filter: { user_id: keys.user },
        webhook_id: made.body.data.id,
      });
      receiver.answer = (arrived, response) => {
        receiver.answer = status(200);
        status(500)(arrived, response);
      };
      await changeBio(world, keys.user, ['Counts what it sends.']);
      await receiver.came(1);
      const count = 'barker_webhook_attempt_duration_seconds_count';
      await until('the failure is counted', async () => sample(await scrape(), `${count}{outcome="5xx"}`) === 1);
      await until('the retry is accepted', async () => {
        world.clock.advance(1);
        return sample(await scrape(), `${count}{outcome="2xx"}`) === 1;
      });
      await until('its delay is known', async () => {
        return sample(await scrape(), 'barker_webhook_delivery_delay_seconds_count') === 1;
      });
      assert.ok(sample(await scrape(), 'barker_webhook_delivery_delay_seconds_sum')! >= 1);
    } finally {
      await receiver.close();
    }
  });

  test('that cannot be read are left out, and the others are served', async () => {
    const registry = new Registry();
    addGauge(registry, 'broken', { help: 'Fails.', read: () => Promise.reject(new Error('away')) });
    addGauge(registry, 'sound', { help: 'Works.', read: () => 7 });
    addGauge(registry, 'by_kind', { help: 'Several.', label: 'kind', read: () => new Map([['a', 1]]) });
    const text = await registry.metrics();
    assert.equal(sample(text, 'broken'), undefined);
    assert.equal(sample(text, 'sound'), 7);
    assert.equal(sample(text, 'by_kind{kind="a"}'), 1);
  });
});
