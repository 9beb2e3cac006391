import { secureRandom } from '../base/random.ts';

import { authenticator } from '../features/auth/oauth1/authenticate.ts';
import { knownCredentials } from '../features/auth/oauth1/known-credentials.ts';
import { leniently } from '../features/auth/oauth1/lenient.ts';
import type { Nonces } from '../features/auth/oauth1/nonces.ts';
import { tokenUses } from '../features/auth/oauth1/token-uses.ts';
import { consumerAuthenticator, requestTokenAuthenticator } from '../features/auth/oauth1/tokenless.ts';
import { basicAuthenticator } from '../features/auth/oauth2/authenticate-basic.ts';
import { bearerAlone, bearerOrUser, userOrBasic } from '../features/auth/oauth2/authenticate-bearer.ts';
import { knownBearers } from '../features/auth/oauth2/known-bearers.ts';
import type { PipelineDependencies } from '../http/exchange.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * An authenticator for each kind of credential that operations ask for.
 * @param notBefore_s Unix seconds: requests signed before are refused, because a restore has forgotten their nonces.
 */
export function authenticators(
  { settings, clock, store, services, box }: Dependencies,
  nonces: Nonces,
  notBefore_s: number,
): Pick<PipelineDependencies, 'authenticator' | 'authenticators'> {
  const shared = {
    ...{ clock, nonces, notBefore_s },
    credentials: knownCredentials(store, box),
    random: secureRandom,
    window_s: settings.timestamp_window_s,
  };
  const user = authenticator({ ...shared, uses: tokenUses(store) });
  const basic = basicAuthenticator(services);
  const bearers = knownBearers(store);
  const requestToken = requestTokenAuthenticator({ ...shared, store, box });
  return {
    authenticator: user,
    authenticators: {
      consumer: consumerAuthenticator({ ...shared, store, box }),
      'request-token': settings.lenient_access_token ? leniently(requestToken, services) : requestToken,
      basic,
      bearer: bearerAlone(bearers, user),
      'user-or-bearer': bearerOrUser(bearers, user),
      'owner-or-basic': userOrBasic(user, basic, settings.allow_basic_invalidate),
    },
  };
}
