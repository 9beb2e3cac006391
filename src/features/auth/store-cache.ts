import { boundedCache } from '../../base/bounded-cache.ts';
import type { Store } from '../../contract/store/store.ts';

/** Values that a store holds, kept in memory by key. */
export interface StoreCache<Value extends {}> {
  /** The value if it is remembered: the common case, answered at once. */
  get(key: string): Value | undefined;
  /** Reads a value and remembers it. What does not exist is not remembered. */
  getOrLoad(key: string, find: () => Promise<Value | undefined>): Promise<Value | undefined>;
}

const REMEMBERED_MAX = 50_000;

/**
 * Remembers values until a write touches something whose tag begins with one of these kinds; they are forgotten
 * before that write is acknowledged. They change seldom: forgetting all is simplest, and cannot forget too few.
 */
export function storeCache<Value extends {}>(store: Store, kinds: readonly string[]): StoreCache<Value> {
  const values = boundedCache<string, Value>(REMEMBERED_MAX);
  let changes = 0;
  const isMeant = (tag: string): boolean => kinds.includes(tag.slice(0, tag.indexOf(':')));
  store.onInvalidate((tags) => {
    if (tags !== 'everything' && ![...tags].some(isMeant)) return;
    values.clear();
    changes += 1;
  });
  return {
    get: (key) => values.get(key),
    async getOrLoad(key, find) {
      const changesBefore = changes;
      const value = await find();
      // What changed while it was read must not be remembered as it was.
      if (value === undefined || changes !== changesBefore) return value;
      values.set(key, value);
      return value;
    },
  };
}
