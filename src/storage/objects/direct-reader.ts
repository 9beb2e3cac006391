import type { ObjectReader, ObjectStore } from '../../contract/services/objects.ts';

/** Reads objects directly from their store. */
export function directReader(store: ObjectStore): ObjectReader {
  return {
    async open(key) {
      const found = await store.head(key);
      return found && { key, bytes: found.bytes, read: async (range) => (await store.get(key, range)).content };
    },
  };
}
