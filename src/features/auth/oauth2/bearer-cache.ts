import type { Application } from '../../../contract/store/credentials.ts';
import type { ReadTransaction, Store } from '../../../contract/store/store.ts';
import { storeCache } from '../store-cache.ts';
import { bearerHash, headerSpellings } from './bearer-value.ts';

/** A bearer token that was issued, with its application and whether it is revoked. */
export interface CachedBearer {
  readonly id: string;
  readonly application: Application;
  readonly isRevoked: boolean;
}

/** A cache of bearer tokens. */
export interface BearerCache {
  /** The token if it is cached: the common case, without waiting. */
  cached(value: string): CachedBearer | undefined;
  find(value: string): Promise<CachedBearer | undefined>;
}

/** Caches the bearer tokens of a store by the value as presented. */
export function bearerCache(store: Store): BearerCache {
  // Keyed by hash, so that the values themselves are not kept in memory.
  const known = storeCache<CachedBearer>(store, ['bearer', 'application', 'user']);
  return {
    cached: (value) => known.get(bearerHash(value)),
    find: (value) => known.getOrLoad(bearerHash(value), () => store.read((tx) => readBearer(tx, value))),
  };
}

/** Looks up every spelling, even after a match: an unknown token takes as long as a known one. @source decision 93 */
async function readBearer(tx: ReadTransaction, value: string): Promise<CachedBearer | undefined> {
  const rows = [];
  for (const form of headerSpellings(value)) rows.push(await tx.bearerTokens.findByHash(bearerHash(form)));
  const row = rows.find((each) => each !== undefined);
  const application = row && (await tx.credentials.findApplication(row.application_id));
  return application && { id: row!.id, application, isRevoked: row!.outstanding === null };
}
