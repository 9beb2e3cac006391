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

/** What checking key and secret works with. */
export interface BasicDeps {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly secrets: Random;
}

/**
 * Lets an application in by its key and secret. Whatever is wrong with them is said in the same words; too many wrong
 * secrets for a key from one address are refused for a while, the right one too.
 * @source authentication gaps 10.1 and 13
 */
export function basicAuthenticator({ store, box, clock, secrets }: BasicDeps): Authenticate {
  // Unknown keys are judged with a secret that nobody has, so that they cost the same work.
  const applications = applicationCache(store, box, alphanumeric(secrets, 50));
  const wrong = failureLimit(clock);

  async function matching(readings: readonly KeyAndSecret[]): Promise<Application | undefined> {
    const right = judge(
      readings,
      readings.map(({ key }) => applications.cached(key)),
    );
    // What is refused is looked up even when it is remembered: the time must not tell which keys exist.
    return right ?? judge(readings, await Promise.all(readings.map(({ key }) => applications.find(key))));
  }

  return async ({ authorization, address }) => {
    const readings = parseBasicHeader(authorization);
    if (readings === undefined) throw problem('CLIENT_REFUSED', {}, 'no key and secret that can be read');
    // Decoded, so that other spellings of a key give no further attempts; a digest, because an invented key may be long.
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

/** The application whose secret was given. All are compared, whatever the first came to. */
function judge(readings: readonly KeyAndSecret[], known: readonly CachedApplication[]): Application | undefined {
  const isRight = readings.map(({ secret }, index) =>
    timingSafeEqual(digestSecret(secret), known[index]!.secretDigest),
  );
  return known.find(({ application }, index) => application !== undefined && isRight[index])?.application;
}
