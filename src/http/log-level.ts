import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';

/** Which requests get a line in the log. */
export type AccessLog = 'all' | 'failures' | 'off';

/**
 * The log level of a reply; undefined when it is not logged. The log reports an outage of the database once, so a
 * request that failed because of it is logged only when all requests are.
 */
export function logLevelOf(status: number, failure: unknown, accessLog: AccessLog): 'error' | 'info' | undefined {
  const isUnavailable = failure instanceof StoreUnavailable;
  if (status >= 500 && !isUnavailable) return 'error';
  if (accessLog === 'all') return 'info';
  const isReported = isUnavailable && failure.isOutage;
  return accessLog === 'failures' && status >= 400 && !isReported ? 'info' : undefined;
}
