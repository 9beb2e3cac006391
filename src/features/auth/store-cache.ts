import { boundedCache } from '../../base/bounded-cache.ts';
import type { TagKind } from '../../contract/store/cache-changes.ts';
import type { Store } from '../../storage/unit-of-work.ts';

const ENTRIES_MAX = 50_000;

/**
 * A cache of values from the store. A write that invalidates a tag of one of these kinds clears it before it is
 * acknowledged. Such writes are rare: clearing everything is simplest, and cannot miss an entry.
 */
export class StoreCache<Value extends {}> {
  readonly #values = boundedCache<string, Value>(ENTRIES_MAX);
  #changes = 0;

  constructor(store: Store, kinds: readonly TagKind[]) {
    store.onInvalidate(kinds, () => {
      this.#values.clear();
      this.#changes += 1;
    });
  }

  /** The value if it is cached. */
  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Reads a value, even if it is cached, and caches it. A missing value is not cached. */
  async load(key: string, find: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const changesBefore = this.#changes;
    const value = await find();
    // A value that may have changed during the read must not be cached.
    if (value !== undefined && this.#changes === changesBefore) this.#values.set(key, value);
    return value;
  }
}
