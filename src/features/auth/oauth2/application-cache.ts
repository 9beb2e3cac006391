import { hash } from 'node:crypto';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../contract/store/store.ts';
import { storeCache } from '../store-cache.ts';

/** An application, and the digest that secrets are compared with. */
export interface CachedApplication {
  /** Undefined for an unknown key; the digest is then that of a dummy secret. */
  readonly application: Application | undefined;
  readonly secretDigest: Buffer;
}

/** A cache of applications by consumer key. */
export interface ApplicationCache {
  /** The cached entry of a key; that of an unknown key when it is not cached. */
  cached(consumerKey: string): CachedApplication;
  /** Reads a key from the store. Takes as long whether or not it exists. */
  find(consumerKey: string): Promise<CachedApplication>;
}

const NOBODY = 'no application';

/**
 * Caches the applications of a store.
 * @param dummySecret what secrets of unknown keys are compared with; as long as a real one.
 */
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

/** The digest of a secret. All digests have one length, so that comparing them reveals nothing about the secrets. */
export function digestSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
