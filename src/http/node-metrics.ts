import { addGauge } from './gauge.ts';
import type { Registry } from './prometheus.ts';

/** Where the metrics of nodes are read from. */
export interface NodeMetricsDependencies {
  readonly heartbeats: { age_s(): number; skew_s(): number };
  readonly liveNodes: () => number;
  /** The age of the oldest event without a position in the log, in seconds; 0 when there is none. */
  readonly eventsWait_s: () => Promise<number>;
  /** The age of the oldest open transaction of the database, in seconds; 0 when there is none. */
  readonly oldestTransaction_s: () => Promise<number>;
}

/** Adds metrics of the servers that share a database. */
export function addNodeMetrics(
  registry: Registry,
  { heartbeats, liveNodes, eventsWait_s, oldestTransaction_s }: NodeMetricsDependencies,
): void {
  addGauge(registry, 'barker_nodes_alive', {
    help: 'Servers of this database with a recent heartbeat.',
    read: liveNodes,
  });
  addGauge(registry, 'barker_heartbeat_age_seconds', {
    help: 'Time since this server last stored a heartbeat.',
    read: heartbeats.age_s,
  });
  addGauge(registry, 'barker_clock_skew_seconds', {
    help: 'How far the clock of this machine is ahead of that of the database.',
    read: heartbeats.skew_s,
  });
  addGauge(registry, 'barker_events_waiting_seconds', {
    help: 'Age of the oldest event without a position in the event log.',
    read: eventsWait_s,
  });
  addGauge(registry, 'barker_database_oldest_transaction_seconds', {
    help: 'Age of the oldest open transaction of the database.',
    read: oldestTransaction_s,
  });
}
