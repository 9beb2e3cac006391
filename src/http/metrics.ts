import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as prometheus from 'prom-client';
import { withTimeout } from '../base/timers.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import type { RequestMemory } from './request-memory.ts';

/** The reading of a gauge: one number, or one for each value of its only label. */
type GaugeReading = number | ReadonlyMap<string, number>;

/** A value that is read when metrics are scraped. */
export interface GaugeSource {
  readonly help: string;
  /** The label of readings with several values. */
  readonly label?: string;
  read(): GaugeReading | Promise<GaugeReading>;
}

/** An unreachable database must not delay the other metrics for longer. */
const READING_MS = 1000;

/**
 * Adds a gauge to a registry. A reading that fails or takes too long is omitted; the other metrics are still served.
 */
export function addGauge(registry: Registry, name: string, { help, label, read }: GaugeSource): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const reading = await withTimeout(READING_MS, Promise.resolve().then(read)).catch(() => undefined);
      this.reset();
      if (typeof reading === 'number') this.set(reading);
      else if (label === undefined) this.remove();
      else for (const [key, amount] of reading ?? []) this.set({ [label]: key }, amount);
    },
  });
}

/** Where the metrics of nodes are read from. */
interface NodeMetricsDependencies {
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
  const gauges: readonly (readonly [name: string, help: string, read: GaugeSource['read']])[] = [
    ['barker_nodes_alive', 'Servers of this database with a recent heartbeat.', liveNodes],
    ['barker_heartbeat_age_seconds', 'Time since this server last stored a heartbeat.', heartbeats.age_s],
    [
      'barker_clock_skew_seconds',
      'How far the clock of this machine is ahead of that of the database.',
      heartbeats.skew_s,
    ],
    ['barker_events_waiting_seconds', 'Age of the oldest event without a position in the event log.', eventsWait_s],
    [
      'barker_database_oldest_transaction_seconds',
      'Age of the oldest open transaction of the database.',
      oldestTransaction_s,
    ],
  ];
  for (const [name, help, read] of gauges) addGauge(registry, name, { help, read });
}

/**
 * Adds the resource usage of this process under the usual Prometheus names. Read when scraped; nothing runs in between.
 */
export function addProcessMetrics(registry: Registry, version: string): void {
  const gauge = (name: string, help: string, value: () => number) => addGauge(registry, name, { help, read: value });
  let usedBefore_s = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system time of this process.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      const used_s = (user + system) / 1e6;
      this.inc(used_s - usedBefore_s);
      usedBefore_s = used_s;
    },
  });
  gauge('process_start_time_seconds', 'Start of this process, Unix seconds.', () => performance.timeOrigin / 1000);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_heap_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed);
  gauge('process_open_fds', 'Open file descriptors; 0 where the system does not report them.', openFiles);
  let busyBefore = performance.eventLoopUtilization();
  gauge('barker_event_loop_utilization', 'Event loop utilization since the last scrape, 0 to 1.', () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, busyBefore);
    busyBefore = now;
    return utilization;
  });
  new Gauge({ name: 'barker_build_info', help: 'Always 1.', labelNames: ['version', 'node'], registers: [registry] })
    .labels(version, process.version)
    .set(1);
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

/** Adds gauges of open connections and of memory for unauthenticated callers, and counters of refusals. */
export function addConnectionMetrics(
  registry: Registry,
  { connectionLimiter, memory }: { readonly connectionLimiter: ConnectionLimiter; readonly memory: RequestMemory },
): void {
  addGauge(registry, 'barker_connections_open', {
    help: 'Open connections of both listeners.',
    read: () => connectionLimiter.openCount(),
  });
  addGauge(registry, 'barker_unauthenticated_bodies', {
    help: 'Unauthenticated form bodies being read.',
    read: () => memory.usage().bodies,
  });
  addGauge(registry, 'barker_unauthenticated_bytes', {
    help: 'Memory of incomplete unauthenticated requests, in bytes.',
    read: () => memory.usage().bytes,
  });
  addCounter(registry, 'barker_connections_refused_total', {
    help: 'Refused connections, by exceeded limit: total or address.',
    read: () => connectionLimiter.refusedCounts(),
  });
  addCounter(registry, 'barker_connections_closed_total', {
    help: 'Idle unauthenticated connections closed to make room.',
    read: () => new Map([['idle', connectionLimiter.closedIdleCount()]]),
  });
  addCounter(registry, 'barker_unauthenticated_bodies_ended_total', {
    help: 'Unauthenticated requests refused while incomplete, by reason: address, memory or slow.',
    read: () => memory.evictedCounts(),
  });
}

function addCounter(
  registry: Registry,
  name: string,
  { help, read }: { readonly help: string; readonly read: () => ReadonlyMap<string, number> },
): void {
  new Counter({
    name,
    help,
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of read()) this.inc({ reason }, count);
    },
  });
}

/** Adds the metric of an object store, where it is a bucket. */
export function addObjectStoreMetrics(registry: Registry, isUp: () => boolean): void {
  addGauge(registry, 'barker_object_store_up', {
    help: '1 if the object store answered the last call, else 0.',
    read: () => (isUp() ? 1 : 0),
  });
}

/** The state of the connection to Redis. */
interface SharedServerState {
  isUp(): boolean;
  /** The number of failures by what Redis was used for. */
  failures(): ReadonlyMap<string, number>;
}

/** Adds metrics of Redis, where it is used. */
export function addSharedServerMetrics(registry: Registry, { isUp, failures }: SharedServerState): void {
  addGauge(registry, 'barker_redis_up', {
    help: '1 while Redis answers, else 0.',
    read: () => (isUp() ? 1 : 0),
  });
  new Counter({
    name: 'barker_redis_failures_total',
    help: 'Uses of Redis that went without it, because it was away, slow or full, by use.',
    labelNames: ['use'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [use, count] of failures()) this.inc({ use }, count);
    },
  });
}

// The parts of `prom-client` that are used. The whole of it loads an API for tracing, its own metrics of the process and a
// client of gateways: twice as many modules.
// @source decision 906
const load = createRequire(import.meta.url);

/** A count that only grows. */
export const Counter: typeof prometheus.Counter = load('prom-client/lib/counter.js');
/** A count that only grows, with these labels. */
export type Counter<Label extends string = string> = prometheus.Counter<Label>;
/** A value that changes. */
const Gauge: typeof prometheus.Gauge = load('prom-client/lib/gauge.js');
/** How often values were in which range. */
export const Histogram: typeof prometheus.Histogram = load('prom-client/lib/histogram.js');
/** How often values with these labels were in which range. */
export type Histogram<Label extends string = string> = prometheus.Histogram<Label>;
/** The metrics that are served together. */
export const Registry: typeof prometheus.Registry = load('prom-client/lib/registry.js');
/** Metrics that are served together. */
export type Registry = prometheus.Registry;
