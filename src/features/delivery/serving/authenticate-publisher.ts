import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Authenticate } from '../../../contract/declare/callers.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type { OutageTolerance } from '../../../contract/services/serving.ts';
import { EVERYTHING } from '../../../contract/store/cache-changes.ts';
import type { Publisher } from '../../../contract/store/publishers.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { credentialDigest } from './publisher-credentials.ts';

const BEARER = /^[ \t]*bearer[ \t]+([A-Za-z0-9_]{1,128})[ \t]*$/i;
const PUBLISHERS_MAX = 10_000;

/**
 * Authenticates publishers of either environment by their credential. While the database is unreachable, cached ones
 * suffice.
 * @source decision 975, 1226
 */
export function publisherAuthenticator(store: Store, outages: OutageTolerance): Authenticate {
  // Keyed by digest, so that credentials do not stay in memory.
  const known = boundedCache<string, { readonly publisher: Publisher; readonly changes: number }>(PUBLISHERS_MAX);
  let changes = 0;
  store.onInvalidate(['publisher'], (tags) => {
    if (tags !== EVERYTHING) known.clear();
    changes += 1;
  });
  return async ({ authorization }) => {
    const credential = BEARER.exec(authorization ?? '')?.[1];
    if (credential === undefined) throw problem('CREDENTIAL_UNUSABLE', {}, 'no credential of a publisher');
    const digest = credentialDigest(credential);
    const last = known.get(digest);
    let publisher = last?.publisher;
    if (last?.changes !== changes) {
      const before = changes;
      const reading = store.read((tx) => tx.publishers.findByDigest(digest));
      if (await outages.wait(reading)) {
        publisher = await reading;
        if (publisher && changes === before) known.set(digest, { publisher, changes });
        else known.delete(digest);
      } else if (!publisher) throw new StoreUnavailable(new Error('the publisher is not known'));
    }
    if (!publisher) throw problem('BEARER_INVALID', {}, 'unknown credential of a publisher');
    if (publisher.disabled_at !== null) throw problem('BEARER_INVALID', {}, 'a disabled publisher');
    return { caller: { kind: 'publisher', publisher }, bodyHash: undefined };
  };
}

/** @throws BEARER_INVALID if a publisher calls the listener of the other environment */
export function checkEnvironment({ environment }: Publisher, listener: Environment): void {
  if (environment !== listener) throw problem('BEARER_INVALID', {}, 'a publisher of the other environment');
}
