import { secureRandom } from '../base/random.ts';
import { lenientAuthenticator } from '../features/auth/oauth1/authenticate-leniently.ts';
import { consumerAuthenticator, requestTokenAuthenticator } from '../features/auth/oauth1/authenticate-login-steps.ts';
import { userAuthenticator } from '../features/auth/oauth1/authenticate-user.ts';
import { credentialCache } from '../features/auth/oauth1/credential-cache.ts';
import { lastUseRecorder } from '../features/auth/oauth1/last-use-recorder.ts';
import type { Nonces } from '../features/auth/oauth1/nonces.ts';
import { basicAuthenticator } from '../features/auth/oauth2/authenticate-basic.ts';
import { bearerOnly, bearerOrUser, userOnly, userOrBasic } from '../features/auth/oauth2/authenticate-bearer.ts';
import { bearerCache } from '../features/auth/oauth2/bearer-cache.ts';
import { publisherAuthenticator } from '../features/delivery/serving/authenticate-publisher.ts';
import type { PipelineDependencies } from '../http/exchange.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * An authenticator for each kind of credential that operations require.
 * @param notBefore_s Unix seconds: requests signed earlier are refused, because a restore has lost their nonces.
 * @source decision 454
 */
export function authenticators(
  { settings, clock, wallClock, store, services, box }: Dependencies,
  nonces: Nonces,
  notBefore_s: number,
): Pick<PipelineDependencies, 'userAuthenticator' | 'otherAuthenticators'> {
  const shared = {
    ...{ clock, nonces, notBefore_s },
    wallClock: wallClock === clock ? undefined : wallClock,
    credentials: credentialCache(store, box),
    random: secureRandom,
    window_s: settings.timestamp_window_s,
  };
  const basic = basicAuthenticator(services);
  const bearers = bearerCache(store);
  const user = userOnly(bearers, userAuthenticator({ ...shared, uses: lastUseRecorder(store) }));
  const requestToken = requestTokenAuthenticator({ ...shared, store, box });
  return {
    userAuthenticator: user,
    otherAuthenticators: {
      consumer: consumerAuthenticator({ ...shared, store, box }),
      'request-token': settings.lenient_access_token ? lenientAuthenticator(requestToken, services) : requestToken,
      basic,
      bearer: bearerOnly(bearers, user),
      publisher: publisherAuthenticator(store, services.serving.outages),
      'user-or-bearer': bearerOrUser(bearers, user),
      'owner-or-basic': userOrBasic(user, basic, settings.allow_basic_invalidate),
    },
  };
}
