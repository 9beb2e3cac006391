import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `max` entries: when it is full, the one used longest ago is dropped, and only that one. Its memory
 * grows with what is in it.
 */
export function boundedCache<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  // Counted by size, because a bound on the number would take the memory for all of them at once.
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 });
}
