import { hash, timingSafeEqual } from 'node:crypto';
import { addressBlock } from '../../../base/address-block.ts';
import type { Clock } from '../../../base/clock.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { ApplicationCaller, Authenticate } from '../../../contract/declare/callers.ts';
import { Problem, problem } from '../../../contract/problems/problems.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import type { Store } from '../../../contract/store/store.ts';
import { applicationCache, type CachedApplication, digestSecret } from './application-cache.ts';
import { type KeyAndSecret, parseBasicHeader } from './basic-header.ts';
import { failureLimit } from './failure-limit.ts';

/** The dependencies of checking key and secret. */
export interface BasicDeps {
  readonly store: Store;
  readonly box: SecretBox;
  readonly wallClock: Clock;
  readonly secrets: Random;
}

/**
 * Authenticates an application by its key and secret. All failures have the same message. After too many wrong secrets
 * for a key from one address, every secret is refused for a while, even the right one.
 * @source authentication gaps 10.1 and 13; decision 81; decision 93
 */
export function basicAuthenticator({ store, box, wallClock, secrets }: BasicDeps): Authenticate {
  // Secrets of unknown keys are compared with a dummy secret, so that they take as long.
  const applications = applicationCache(store, box, alphanumeric(secrets, 50));
  const wrong = failureLimit(wallClock);

  async function matching(readings: readonly KeyAndSecret[]): Promise<Application | undefined> {
    const right = judge(
      readings,
      readings.map(({ key }) => applications.cached(key)),
    );
    // A refused key is read again even if it is cached: response times must not tell which keys exist.
    return right ?? judge(readings, await Promise.all(readings.map(({ key }) => applications.find(key))));
  }

  return async ({ authorization, address }) => {
    const readings = parseBasicHeader(authorization);
    if (readings === undefined) throw problem('CLIENT_REFUSED', {}, 'no key and secret that can be read');
    // Decoded, so that other spellings of a key give no further attempts; hashed, because an invented key may be long.
    const source = `${addressBlock(address)} ${hash('sha256', readings.at(-1)!.key)}`;
    const wait_s = wrong.wait_s(source);
    if (wait_s > 0) {
      throw new Problem([{ problem: 'CLIENT_REFUSED' }], { because: 'too many wrong secrets', retryAfter_s: wait_s });
    }
    const application = await matching(readings);
    if (!application) {
      wrong.add(source);
      throw problem('CLIENT_REFUSED', {}, 'unknown key or wrong secret');
    }
    if (application.suspended) throw problem('CLIENT_REFUSED', {}, 'suspended application');
    const caller: ApplicationCaller = { kind: 'application', application };
    return { caller, bodyHash: undefined };
  };
}

/** The application whose secret matches. All are compared, even after a match, for constant time. */
function judge(readings: readonly KeyAndSecret[], known: readonly CachedApplication[]): Application | undefined {
  const isRight = readings.map(({ secret }, index) =>
    timingSafeEqual(digestSecret(secret), known[index]!.secretDigest),
  );
  return known.find(({ application }, index) => application !== undefined && isRight[index])?.application;
}
