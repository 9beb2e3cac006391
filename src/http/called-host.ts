import { boundedCache } from '../base/bounded-cache.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { Services } from '../contract/declare/operation.ts';

/** Maximum number of cached hosts. */
const HOSTS_MAX = 100;

const known = new WeakMap<Services, ReturnType<typeof boundedCache<string, Services>>>();

/**
 * Returns the services of a call, whose URLs of this listener use the host that was called.
 * @param origin the origin of the call, if the settings accept it.
 * @source decision 1241
 */
export function withCalledOrigin(services: Services, environment: Environment, origin: string | undefined): Services {
  const own = services.pageUrl(environment, '');
  if (origin === undefined || origin === own) return services;
  const cache = known.get(services) ?? boundedCache<string, Services>(HOSTS_MAX);
  known.set(services, cache);
  const key = `${environment} ${origin}`;
  const found = cache.get(key) ?? under(services, own, origin);
  cache.set(key, found);
  return found;
}

function under(services: Services, own: string, origin: string): Services {
  const calledUrl = (url: string): string =>
    url === own || url.startsWith(`${own}/`) ? origin + url.slice(own.length) : url;
  const { addresses } = services.media;
  return {
    ...services,
    calledUrl,
    pageUrl: (environment, path) => calledUrl(services.pageUrl(environment, path)),
    media: {
      ...services.media,
      addresses: { ...addresses, url: (environment, path) => calledUrl(addresses.url(environment, path)) },
    },
  };
}
