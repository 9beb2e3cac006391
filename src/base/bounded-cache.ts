import { LRUCache } from 'lru-cache';

/**
 * Creates an LRU cache of at most `max` entries. Its memory grows with its content.
 * @source decision 471
 */
export function boundedCache<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  // Limited by size: with a limit on entries, the library allocates memory for all of them at once.
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 });
}
