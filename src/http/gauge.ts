import { Gauge, type Registry } from 'prom-client';
import { within } from '../base/timers.ts';

/** What a gauge shows: a number, or a number for each value of its one label. */
export type GaugeReading = number | ReadonlyMap<string, number>;

/** A value that is read when the metrics are asked for. */
export interface GaugeSource {
  readonly help: string;
  /** The label of readings that have several values. */
  readonly label?: string;
  read(): GaugeReading | Promise<GaugeReading>;
}

/** A database that is away must not hold up the other metrics for longer. */
const READING_MS = 1000;

/** Adds a gauge to a registry. A reading that fails or takes too long is left out, and the other metrics are still served. */
export function addGauge(registry: Registry, name: string, { help, label, read }: GaugeSource): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const reading = await within(READING_MS, Promise.resolve().then(read)).catch(() => undefined);
      this.reset();
      if (typeof reading === 'number') this.set(reading);
      else if (label === undefined) this.remove();
      else for (const [key, amount] of reading ?? []) this.set({ [label]: key }, amount);
    },
  });
}
