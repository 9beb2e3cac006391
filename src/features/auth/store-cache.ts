import { boundedCache } from '../../base/bounded-cache.ts';
import type { TagKind } from '../../contract/store/cache-changes.ts';
import type { Store } from '../../contract/store/store.ts';

/** A cache of values from the store, by key. */
export interface StoreCache<Value extends {}> {
  /** The value if it is cached: the common case, without waiting. */
  get(key: string): Value | undefined;
  /** Reads a value and caches it. A missing value is not cached. */
  getOrLoad(key: string, find: () => Promise<Value | undefined>): Promise<Value | undefined>;
}

const REMEMBERED_MAX = 50_000;

/**
 * Creates a cache that a write clears, before it is acknowledged, if it invalidates a tag of one of these kinds. Such
 * writes are rare: clearing everything is simplest, and cannot miss an entry.
 */
export function storeCache<Value extends {}>(store: Store, kinds: readonly TagKind[]): StoreCache<Value> {
  const values = boundedCache<string, Value>(REMEMBERED_MAX);
  let changes = 0;
  store.onInvalidate(kinds, () => {
    values.clear();
    changes += 1;
  });
  return {
    get: (key) => values.get(key),
    async getOrLoad(key, find) {
      const changesBefore = changes;
      const value = await find();
      // A value that may have changed during the read must not be cached.
      if (value === undefined || changes !== changesBefore) return value;
      values.set(key, value);
      return value;
    },
  };
}
