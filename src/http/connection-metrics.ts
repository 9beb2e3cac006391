import type { ConnectionLimiter } from './connection-limiter.ts';
import { addGauge } from './gauge.ts';
import { Counter, type Registry } from './prometheus.ts';
import type { RequestMemory } from './request-memory.ts';

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
