import { LRUCache } from 'lru-cache';

/**
 * An LRU cache of at most `max` entries: when full, only the least recently used entry is evicted. Memory grows with
 * its content.
 * @source decision 471
 */
export function boundedCache<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  // Limited by size, because a limit on the number of entries would allocate memory for all of them at once.
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 });
}
