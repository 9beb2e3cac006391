import { Counter, type Registry } from 'prom-client';
import type { Connections } from './connections.ts';
import { addGauge } from './gauge.ts';
import type { RequestMemory } from './request-memory.ts';

/** Adds what connections and unauthenticated callers cost at the moment, and how many were turned away. */
export function addStrangerMetrics(
  registry: Registry,
  { connections, memory }: { readonly connections: Connections; readonly memory: RequestMemory },
): void {
  addGauge(registry, 'barker_connections_open', {
    help: 'Open connections of both listeners.',
    value: () => connections.count(),
  });
  addGauge(registry, 'barker_unauthenticated_bodies', {
    help: 'Forms that are being read whose sender is not authenticated yet.',
    value: () => memory.load().bodies,
  });
  addGauge(registry, 'barker_unauthenticated_bytes', {
    help: 'Memory counted for them and for unfinished heads, in bytes.',
    value: () => memory.load().bytes,
  });
  addCounter(registry, 'barker_connections_refused_total', {
    help: 'Connections refused, by the limit that they exceeded: total or address.',
    read: () => connections.refused(),
  });
  addCounter(registry, 'barker_connections_closed_total', {
    help: 'Idle connections closed so that others had room; nobody had authenticated on them.',
    read: () => new Map([['idle', connections.closed()]]),
  });
  addCounter(registry, 'barker_unauthenticated_bodies_ended_total', {
    help: 'Unauthenticated requests ended before they were complete: address, memory or slow.',
    read: () => memory.ended(),
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
