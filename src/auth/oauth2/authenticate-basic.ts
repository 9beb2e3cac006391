import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { alphanumeric, type Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ApplicationCaller, Authenticate } from '../../contract/callers.ts';
import { type Application, secretContext } from '../../contract/credentials.ts';
import { Problem, problem } from '../../contract/problems.ts';
import type { Store } from '../../contract/store.ts';
import { type KeyAndSecret, readBasic } from './basic.ts';
import { failures } from './failures.ts';
import { knownApplications } from './known-applications.ts';

/** What checking key and secret works with. */
export interface BasicOptions {
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
export function basicAuthenticator({ store, box, clock, secrets }: BasicOptions): Authenticate {
  // Unknown keys are judged with a secret that nobody has, so that they cost the same work.
  const dummySecret = alphanumeric(secrets, 50);
  const dummySealed = box.seal(dummySecret, DUMMY);
  const wrong = failures(clock);
  const applications = knownApplications(store);

  const secretOf = (application: Application | undefined): string =>
    application
      ? box.open(application.consumer_secret, secretContext.application(application.id))
      : box.open(dummySealed, DUMMY);

  const judge = (readings: readonly KeyAndSecret[], found: readonly (Application | undefined)[]) => {
    const isRight = readings.map(({ secret }, index) => isSame(secret, secretOf(found[index])));
    return found.find((application, index) => application !== undefined && isRight[index]);
  };

  async function matching(readings: readonly KeyAndSecret[]): Promise<Application | undefined> {
    const keys = readings.map(({ key }) => key);
    // What is refused is looked up even when it is remembered: the time must not tell which keys exist.
    return judge(readings, keys.map(applications.remembered)) ?? judge(readings, await applications.find(keys));
  }

  return async ({ authorization, address }) => {
    const readings = readBasic(authorization);
    if (readings === undefined) throw problem('CLIENT_REFUSED', {}, 'no key and secret that can be read');
    // Decoded, so that other spellings of a key give no further attempts; a digest, because an invented key may be long.
    const source = `${address} ${hash('sha256', readings.at(-1)!.key)}`;
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

const DUMMY = 'no application';

/** Compares digests of one length, so that the time says nothing of the secrets. */
function isSame(given: string, kept: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', kept, 'buffer'));
}
