import type { Registry } from 'prom-client';
import { addGauge } from './gauge.ts';

/** Where the metrics of nodes are read from. */
export interface NodeMetricsDependencies {
  readonly heartbeats: { age_s(): number; skew_s(): number };
  /** The number of live nodes. */
  readonly count: () => Promise<number>;
}

/** Adds metrics of the servers that share a database. */
export function addNodeMetrics(registry: Registry, { heartbeats, count }: NodeMetricsDependencies): void {
  addGauge(registry, 'barker_nodes_alive', { help: 'Servers of this database with a recent heartbeat.', read: count });
  addGauge(registry, 'barker_heartbeat_age_seconds', {
    help: 'Time since this server last stored a heartbeat.',
    read: heartbeats.age_s,
  });
  addGauge(registry, 'barker_clock_skew_seconds', {
    help: 'How far the clock of this machine is ahead of that of the database.',
    read: heartbeats.skew_s,
  });
}
