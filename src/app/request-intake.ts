import { secureRandom } from '../base/random.ts';
import { addressLimiter } from '../http/address-limiter.ts';
import { type UsageRecorder, usageRecorder } from '../http/application-usage.ts';
import { auditLog } from '../http/audit-log.ts';
import { connectionLimiter } from '../http/connection-limiter.ts';
import type { PipelineDependencies } from '../http/exchange.ts';
import { memoryWindows } from '../http/memory-windows.ts';
import { rateLimiter } from '../http/rate-limiter.ts';
import { type RequestBuffers, requestBuffers } from '../http/request-buffers.ts';
import { requestObserver } from '../http/request-observer.ts';
import { addressReader, proxyMatcher } from '../http/request-origin.ts';
import { connectionSettings } from '../settings/connections.ts';
import { rateSettings } from '../settings/rates.ts';
import type { Dependencies } from './dependencies.ts';
import { keysOf, pick } from './pick.ts';
import type { SharedServer } from './shared-server.ts';

/** Receives, limits, counts and records requests for all listeners and operations. */
export type RequestIntake = RequestBuffers &
  Pick<
    PipelineDependencies,
    'addressOf' | 'addressLimiter' | 'connectionLimiter' | 'rateLimiter' | 'observer' | 'auditLog'
  > & { readonly usage: UsageRecorder };

/** Creates the request intake. With `rate_limits` off, only memory and total connections are limited. @source decision 3 */
export function createRequestIntake(
  { settings, clock, wallClock, store, log, registry, node }: Dependencies,
  sharedServer?: SharedServer,
): RequestIntake {
  const isLimited = settings.rate_limits === 'on';
  const addressOf = addressReader(settings.trusted_proxies);
  const limits = pick(settings, keysOf(connectionSettings));
  const buffers = requestBuffers(limits, addressOf);
  const localWindows = memoryWindows(node.answeringNodes);
  const windows = sharedServer?.windows(localWindows) ?? localWindows;
  const usage = usageRecorder({ store, clock: wallClock });
  return {
    ...buffers,
    addressOf,
    addressLimiter: isLimited
      ? addressLimiter({ max: settings.rate_requests_per_address_per_min, window_s: 60 }, wallClock)
      : undefined,
    connectionLimiter: connectionLimiter(
      isLimited ? limits : { ...limits, connections_per_address_max: Number.POSITIVE_INFINITY },
      proxyMatcher(settings.trusted_proxies),
      () => buffers.unauthenticatedMemory.evictOldest(),
    ),
    rateLimiter: rateLimiter({ ...pick(settings, keysOf(rateSettings)), isOn: isLimited }, wallClock, windows),
    usage,
    observer: requestObserver({ log, accessLog: settings.access_log, registry, addressOf, usage }),
    auditLog: auditLog({ log, store, clock, random: secureRandom }),
  };
}
