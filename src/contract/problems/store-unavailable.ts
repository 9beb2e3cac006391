import { Problem } from './problems.ts';

/** Seconds after which a caller may try again. */
const RETRY_S = 1;

/** What is known of a unit of work that the store could not finish. */
export interface UnavailableDetails {
  /** Whether the store is away for everybody: the log says so once, and not again for each request. */
  readonly isOutage?: boolean;
  /**
   * Whether the unit may have been committed although nobody could be told, as when the connection breaks during the
   * commit. It must not be run again.
   */
  readonly isOutcomeUnknown?: boolean;
}

/**
 * The store cannot be used at the moment: it is away, it is too slow, or it has no room. Every driver throws this for
 * everything of the kind, so that callers get a 503 with `retry-after` and background work knows that trying again will help.
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
