import { hash } from 'node:crypto';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../contract/store/store.ts';
import { storeCache } from '../store-cache.ts';

/** An application, and a digest to hold secrets against. */
export interface CachedApplication {
  /** Undefined for a key that nobody has; the digest then is that of a secret that nobody has. */
  readonly application: Application | undefined;
  readonly secretDigest: Buffer;
}

/** Applications in use, by consumer key. */
export interface ApplicationCache {
  /** What is remembered of a key; nobody when that is nothing. */
  cached(consumerKey: string): CachedApplication;
  /** What the store has of a key. Costs the same whether it exists. */
  find(consumerKey: string): Promise<CachedApplication>;
}

const NOBODY = 'no application';

/** Remembers the applications that a store holds. `dummySecret` is one that nobody has, as long as a real one. */
export function applicationCache(store: Store, box: SecretBox, dummySecret: string): ApplicationCache {
  const byKey = storeCache<CachedApplication>(store, ['application']);
  const sealedDummy = box.seal(dummySecret, NOBODY);
  const nobody: CachedApplication = { application: undefined, secretDigest: digestSecret(dummySecret) };
  return {
    cached: (key) => byKey.get(key) ?? nobody,
    async find(key) {
      const known = await byKey.getOrLoad(key, async () => {
        const application = await store.read((tx) => tx.credentials.findApplicationByKey(key));
        const secret = application
          ? box.open(application.consumer_secret, secretContext.application(application.id))
          : box.open(sealedDummy, NOBODY);
        const secretDigest = digestSecret(secret);
        return application && { application, secretDigest };
      });
      return known ?? nobody;
    },
  };
}

/** Digests have one length, so that comparing them says nothing of the secrets. */
export function digestSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
