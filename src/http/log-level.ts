import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';

/** Which requests get a line in the log. */
export type AccessLog = 'all' | 'failures' | 'off';

/**
 * How severe the log line of a reply is; undefined when it gets none. The log reports an outage of the store once, so each
 * request that failed because of it gets a line only when all requests do.
 */
export function logLevelOf(status: number, failure: unknown, accessLog: AccessLog): 'error' | 'info' | undefined {
  const isUnavailable = failure instanceof StoreUnavailable;
  if (status >= 500 && !isUnavailable) return 'error';
  if (accessLog === 'all') return 'info';
  const isReported = isUnavailable && failure.isOutage;
  return accessLog === 'failures' && status >= 400 && !isReported ? 'info' : undefined;
}
