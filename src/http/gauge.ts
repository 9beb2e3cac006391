import { Gauge, type Registry } from 'prom-client';

/** Adds a value that is looked at when the metrics are asked for. */
export function addGauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}
