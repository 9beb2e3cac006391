import { within } from '../base/timers.ts';
import { Gauge, type Registry } from './prometheus.ts';

/** The reading of a gauge: one number, or one for each value of its only label. */
export type GaugeReading = number | ReadonlyMap<string, number>;

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
      const reading = await within(READING_MS, Promise.resolve().then(read)).catch(() => undefined);
      this.reset();
      if (typeof reading === 'number') this.set(reading);
      else if (label === undefined) this.remove();
      else for (const [key, amount] of reading ?? []) this.set({ [label]: key }, amount);
    },
  });
}
