import type { Application } from '../../contract/credentials.ts';
import type { Store } from '../../contract/store.ts';
import { remembered } from '../remembered.ts';

/** Applications in use, by consumer key. */
export interface KnownApplications {
  /** The application if it is remembered: the common case, answered at once. */
  remembered(consumerKey: string): Application | undefined;
  /** Those of some keys, in their order. */
  find(consumerKeys: readonly string[]): Promise<(Application | undefined)[]>;
}

/** Remembers the applications that a store holds. */
export function knownApplications(store: Store): KnownApplications {
  const byKey = remembered<Application>(store, ['application']);
  const read = (key: string): Promise<Application | undefined> =>
    store.read((tx) => tx.credentials.findApplicationByKey(key));
  return {
    remembered: (key) => byKey.get(key),
    find: (keys) => Promise.all(keys.map((key) => byKey.read(key, () => read(key)))),
  };
}
