import { Counter, type Registry } from 'prom-client';
import type { Connections } from './connections.ts';
import { addGauge } from './gauge.ts';
import type { StrangerBodies } from './stranger-bodies.ts';

/** Adds what connections and unauthenticated callers cost at the moment, and how many were turned away. */
export function addStrangerMetrics(
  registry: Registry,
  { connections, strangers }: { readonly connections: Connections; readonly strangers: StrangerBodies },
): void {
  addGauge(registry, 'barker_connections_open', {
    help: 'Open connections of both listeners.',
    value: () => connections.count(),
  });
  addGauge(registry, 'barker_unauthenticated_bodies', {
    help: 'Forms that are being read whose sender is not authenticated yet.',
    value: () => strangers.load().bodies,
  });
  addGauge(registry, 'barker_unauthenticated_bytes', {
    help: 'Memory counted for them, in bytes.',
    value: () => strangers.load().bytes,
  });
  addCounter(registry, 'barker_connections_refused_total', {
    help: 'Connections refused, by the limit that they exceeded: total or address.',
    read: () => connections.refused(),
  });
  addCounter(registry, 'barker_unauthenticated_bodies_ended_total', {
    help: 'Such forms that were ended before they were complete: address, memory or slow.',
    read: () => strangers.ended(),
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
