import { statfs } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { formatInstant, instantMs } from '../base/instants.ts';
import { withTimeout } from '../base/timers.ts';
import type { Backlog } from '../contract/store/jobs.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { addGauge, type GaugeSource, type Registry } from './metrics.ts';

/** Where the state of a service is read from. */
interface BacklogMetricsDependencies {
  readonly clock: Clock;
  readonly store: Store;
  readonly driver: { load(): { readonly waiting: number; readonly busy: number } };
  readonly nonces: { size(): number };
  readonly streams: { count(): number };
  readonly webhooks: { waiting(): number; held(): readonly string[] };
  readonly dataFolder: string;
  readonly tls: { expiresAt_s(): number } | undefined;
}

/** A database that takes longer to answer counts as unreachable. */
const PING_MS = 500;

/** Adds metrics of pending work and remaining capacity, read when they are scraped. */
export function addBacklogMetrics(registry: Registry, deps: BacklogMetricsDependencies): void {
  const { clock, store, driver, nonces, streams, webhooks, dataFolder, tls } = deps;
  let reading: Promise<Backlog[]> | undefined;
  /** Two gauges use it; one scrape queries the database once. */
  const backlogs = (): Promise<Backlog[]> => {
    reading ??= store
      .read((tx) => tx.jobs.listBacklogs(formatInstant(clock.now())))
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauges: Readonly<Record<string, GaugeSource>> = {
    barker_database_up: {
      help: '1 while the database answers, else 0.',
      read: () =>
        withTimeout(PING_MS, store.ping()).then(
          () => 1,
          () => 0,
        ),
    },
    barker_database_units_waiting: {
      help: 'Transactions waiting for the writer or a connection.',
      read: () => driver.load().waiting,
    },
    barker_database_connections_busy: { help: 'Database connections in use.', read: () => driver.load().busy },
    barker_disk_free_bytes: {
      help: 'Free bytes on the file system of the data folder.',
      read: async () => {
        const { bavail, bsize } = await statfs(dataFolder);
        return bavail * bsize;
      },
    },
    barker_backup_verified_time_seconds: {
      help: 'When a backup was last verified, Unix seconds; 0: never.',
      read: async () => {
        const verified_at = await store.read((tx) => tx.verifiedBackup.find());
        return verified_at === undefined ? 0 : instantMs(verified_at) / 1000;
      },
    },
    barker_jobs_due: {
      help: 'Jobs due and not done, by kind.',
      label: 'kind',
      read: async () => new Map((await backlogs()).map(({ kind, count }) => [kind, count])),
    },
    barker_jobs_oldest_due_seconds: {
      help: 'Age of the oldest due job, by kind.',
      label: 'kind',
      read: async () => {
        const age_s = (since: string): number => Math.max(0, (clock.now() - instantMs(since)) / 1000);
        return new Map((await backlogs()).map(({ kind, since }) => [kind, age_s(since)]));
      },
    },
    barker_webhook_deliveries_waiting: {
      help: 'Webhook deliveries queued or in progress.',
      read: () => webhooks.waiting(),
    },
    barker_webhooks_held: { help: 'Webhooks to which this server delivers.', read: () => webhooks.held().length },
    barker_webhooks_free: {
      help: 'Webhooks to which no server delivers.',
      read: async () => (await store.read((tx) => tx.webhookLeases.findShares({ silence_s: 0, free_s: 0 }))).free,
    },
    barker_streams_open: { help: 'Open streams of events.', read: () => streams.count() },
    barker_nonces_remembered: { help: 'Nonces in memory.', read: () => nonces.size() },
  };
  for (const [name, source] of Object.entries(gauges)) addGauge(registry, name, source);
  if (!tls) return;
  addGauge(registry, 'barker_tls_certificate_end_time_seconds', {
    help: 'When the certificate of the listeners expires, Unix seconds.',
    read: () => tls.expiresAt_s(),
  });
}
