import { Problem } from './problems.ts';

/** Delay before a retry, in seconds. */
const RETRY_S = 1;

/** Details of a unit of work that the store could not finish. */
export interface UnavailableDetails {
  /** Whether the store is unavailable for everybody: the log reports that once, not for each request. */
  readonly isOutage?: boolean;
  /**
   * Whether the unit may have been committed without an acknowledgement, as when the connection breaks during the
   * commit. It must not be run again.
   */
  readonly isOutcomeUnknown?: boolean;
}

/**
 * The store is unavailable at the moment: unreachable, too slow, or full. Every driver throws this for all such causes,
 * so that callers get a 503 with `retry-after` and background work knows that a retry will help.
 * @source decision 62
 */
export class StoreUnavailable extends Problem {
  readonly isOutage: boolean;
  readonly isOutcomeUnknown: boolean;

  constructor(cause: Error, { isOutage = false, isOutcomeUnknown = false }: UnavailableDetails = {}) {
    super([{ problem: 'UNAVAILABLE' }], { because: cause.message, retryAfter_s: RETRY_S });
    this.cause = cause;
    this.isOutage = isOutage;
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}
