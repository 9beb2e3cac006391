import { secureRandom } from '../base/random.ts';
import {
  consumerAuthenticator,
  lenientAuthenticator,
  requestTokenAuthenticator,
} from '../features/auth/oauth1/authenticate-login-steps.ts';
import { userAuthenticator } from '../features/auth/oauth1/authenticate-user.ts';
import { CredentialCache, LastUseRecorder } from '../features/auth/oauth1/credential-cache.ts';
import type { Nonces } from '../features/auth/oauth1/nonces.ts';
import { basicAuthenticator } from '../features/auth/oauth2/authenticate-basic.ts';
import {
  bearerAuthenticator,
  bearerOnly,
  bearerOrUser,
  userOnly,
  userOrBasic,
} from '../features/auth/oauth2/authenticate-bearer.ts';
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
    credentials: new CredentialCache(store, box),
    random: secureRandom,
    window_s: settings.timestamp_window_s,
  };
  const basic = basicAuthenticator(services);
  const bearer = bearerAuthenticator(store);
  const user = userOnly(bearer, userAuthenticator({ ...shared, uses: new LastUseRecorder(store) }));
  const requestToken = requestTokenAuthenticator({ ...shared, store, box });
  return {
    userAuthenticator: user,
    otherAuthenticators: {
      consumer: consumerAuthenticator({ ...shared, store, box }),
      'request-token': settings.lenient_access_token ? lenientAuthenticator(requestToken, services) : requestToken,
      basic,
      bearer: bearerOnly(bearer, user),
      publisher: publisherAuthenticator(store, services.serving.outages),
      'user-or-bearer': bearerOrUser(bearer, user),
      'owner-or-basic': userOrBasic(user, basic, settings.allow_basic_invalidate),
    },
  };
}
