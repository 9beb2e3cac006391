import type { Application } from '../../../contract/store/credentials.ts';
import type { ReadTransaction, Store } from '../../../contract/store/store.ts';
import { storeCache } from '../store-cache.ts';
import { bearerHash, headerSpellings } from './bearer-value.ts';

/** An application-only token that was issued, and how it stands. */
export interface CachedBearer {
  readonly id: string;
  readonly application: Application;
  readonly isRevoked: boolean;
}

/** Application-only tokens in use. */
export interface BearerCache {
  /** The token if it is remembered: the common case, answered at once. */
  cached(value: string): CachedBearer | undefined;
  find(value: string): Promise<CachedBearer | undefined>;
}

/** Remembers the application-only tokens that a store holds, by what was presented. */
export function bearerCache(store: Store): BearerCache {
  // By the hash, so that the values themselves are nowhere in memory.
  const known = storeCache<CachedBearer>(store, ['bearer', 'application', 'user']);
  return {
    cached: (value) => known.get(bearerHash(value)),
    find: (value) => known.getOrLoad(bearerHash(value), () => store.read((tx) => readBearer(tx, value))),
  };
}

/** Every form is looked up, whatever the first one came to: what is unknown costs as much as what is known. */
async function readBearer(tx: ReadTransaction, value: string): Promise<CachedBearer | undefined> {
  const rows = [];
  for (const form of headerSpellings(value)) rows.push(await tx.bearerTokens.findByHash(bearerHash(form)));
  const row = rows.find((each) => each !== undefined);
  const application = row && (await tx.credentials.findApplication(row.application_id));
  return application && { id: row!.id, application, isRevoked: row!.outstanding === null };
}
