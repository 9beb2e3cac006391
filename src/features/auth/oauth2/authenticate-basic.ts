import { hash, timingSafeEqual } from 'node:crypto';
import { addressBlock } from '../../../base/address-block.ts';
import type { Clock } from '../../../base/clock.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { fixedWindows } from '../../../base/windows.ts';
import type { Authenticate } from '../../../contract/declare/callers.ts';
import { Problem, problem } from '../../../contract/problems/problems.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { StoreCache } from '../store-cache.ts';
import { type KeyAndSecret, parseBasicHeader } from './basic-header.ts';

/** The dependencies of checking key and secret. */
export interface BasicDeps {
  readonly store: Store;
  readonly box: SecretBox;
  readonly wallClock: Clock;
  readonly secrets: Random;
}

const NOBODY = 'no application';
/** Wrong secrets that a source may send in a window. @source authentication 13; decision 81 */
const FAILURES_MAX = 20;
const WINDOW_S = 900;
/** Sources that are counted at a time. */
const SOURCES_MAX = 100_000;

/** The digest of the secret of an application; of a dummy secret if the key is unknown. */
interface KnownSecret {
  readonly application: Application | undefined;
  readonly digest: Buffer;
}

/**
 * Authenticates an application by its key and secret. All failures have the same message. After too many wrong secrets
 * for a key from one address, every secret is refused for a while, even the right one.
 * @source authentication 10.1 and 13; decision 81; decision 93
 */
export function basicAuthenticator({ store, box, wallClock, secrets }: BasicDeps): Authenticate {
  const known = new StoreCache<KnownSecret>(store, ['application']);
  // Secrets of unknown keys are compared with a dummy secret, so that they take as long.
  const dummy = alphanumeric(secrets, 50);
  const sealedDummy = box.seal(dummy, NOBODY);
  const unknown: KnownSecret = { application: undefined, digest: digestOf(dummy) };
  const failures = fixedWindows(SOURCES_MAX);

  /** Reads a key from the store. Takes as long whether or not it exists. */
  async function load(key: string): Promise<KnownSecret> {
    const found = await known.load(key, async () => {
      const application = await store.read((tx) => tx.credentials.findApplicationByKey(key));
      const secret = application
        ? box.open(application.consumer_secret, secretContext.application(application.id))
        : box.open(sealedDummy, NOBODY);
      const digest = digestOf(secret);
      return application && { application, digest };
    });
    return found ?? unknown;
  }

  return async ({ authorization, address }) => {
    const readings = parseBasicHeader(authorization);
    if (readings === undefined) throw problem('CLIENT_REFUSED', {}, 'no key and secret that can be read');
    // Decoded, so that other spellings of a key give no further attempts; hashed, because an invented key may be long.
    const source = `${addressBlock(address)} ${hash('sha256', readings.at(-1)!.key)}`;
    const now_s = Math.floor(wallClock.now() / 1000);
    const window = failures.find(source, WINDOW_S, now_s);
    if (window && window.used >= FAILURES_MAX) {
      const retryAfter_s = window.reset_s - now_s;
      throw new Problem([{ problem: 'CLIENT_REFUSED' }], { because: 'too many wrong secrets', retryAfter_s });
    }
    const cached = readings.map(({ key }) => known.get(key) ?? unknown);
    // A refused key is read again even if it is cached: response times must not tell which keys exist.
    const application =
      matching(readings, cached) ?? matching(readings, await Promise.all(readings.map(({ key }) => load(key))));
    if (!application) {
      failures.open(source, WINDOW_S, now_s).used += 1;
      throw problem('CLIENT_REFUSED', {}, 'unknown key or wrong secret');
    }
    if (application.suspended) throw problem('CLIENT_REFUSED', {}, 'suspended application');
    return { caller: { kind: 'application', application }, bodyHash: undefined };
  };
}

/** The application whose secret matches. All are compared, even after a match, for constant time. */
function matching(readings: readonly KeyAndSecret[], known: readonly KnownSecret[]): Application | undefined {
  const isRight = readings.map(({ secret }, index) => timingSafeEqual(digestOf(secret), known[index]!.digest));
  return known.find(({ application }, index) => application && isRight[index])?.application;
}

/** All digests have one length, so that comparing them reveals nothing about the secrets. */
function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
