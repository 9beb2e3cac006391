import { addGauge } from './gauge.ts';
import type { Registry } from './prometheus.ts';

/** Adds the metric of an object store, where it is a bucket. */
export function addObjectStoreMetrics(registry: Registry, isUp: () => boolean): void {
  addGauge(registry, 'barker_object_store_up', {
    help: '1 if the object store answered the last call, else 0.',
    read: () => (isUp() ? 1 : 0),
  });
}
