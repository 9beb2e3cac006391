import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { ObjectStore } from '../../src/contract/services/objects.ts';

/** A store whose objects are no files of this machine, and which can be away. */
export interface RemoteStore extends ObjectStore {
  isAway: boolean;
  /** How many of the next fetches fail. */
  failing: number;
  /** How many objects were fetched, and stored. */
  fetched: number;
  stored: number;
}

/** Makes a store that is elsewhere of one on this machine. */
export function remoteStore(store: ObjectStore): RemoteStore {
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    if (remote.isAway) throw new StoreUnavailable(new Error('the object store is away'));
    return work();
  };
  const remote: RemoteStore = {
    isAway: false,
    failing: 0,
    fetched: 0,
    stored: 0,
    put: (key, { bytes, sha256, open }, signal) =>
      ask(async () => {
        await store.put(key, { bytes, sha256, open }, signal);
        remote.stored += 1;
      }),
    async place(key, content, signal) {
      await remote.put(key, content, signal);
      return { synced: Promise.resolve() };
    },
    get: (key, range, signal) =>
      ask(() => {
        if (remote.failing > 0) {
          remote.failing -= 1;
          throw new StoreUnavailable(new Error('the connection broke'));
        }
        remote.fetched += 1;
        return store.get(key, range, signal);
      }),
    head: (key) => ask(() => store.head(key)),
    remove: (keys) => ask(() => store.remove(keys)),
    list: store.list,
    removeIncomplete: store.removeIncomplete,
    localPath: () => undefined,
  };
  return remote;
}
