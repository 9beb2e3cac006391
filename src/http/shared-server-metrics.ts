import { addGauge } from './gauge.ts';
import { Counter, type Registry } from './prometheus.ts';

/** The state of the connection to Redis. */
export interface SharedServerState {
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
