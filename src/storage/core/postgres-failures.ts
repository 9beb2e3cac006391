import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { ConstraintViolated } from '../../contract/store/store.ts';

/** Error codes of an unreachable server: class 08 are connection exceptions, 57P is its shutdown. */
const AWAY =
  /^(08...|57P0[1235]|25P03|25006|E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|NETDOWN|AI_AGAIN))$/;

/**
 * What the server refuses for now: a full disk, memory or connections that ran out (class 53), failing input and output (58),
 * a statement that took too long (57014), a lock that was not free (55P03), and conflicts that did not end (40001, 40P01).
 */
const BUSY = /^(53...|58...|57014|55P03|40001|40P01)$/;

/** The state of a unit when it failed. */
export interface FailedUnit {
  /** Its connection is broken. */
  readonly isBroken: boolean;
  /** The server is unreachable for every unit. */
  readonly isOutage: boolean;
  /** The commit was sent and not answered. */
  readonly isCommitting: boolean;
}

/**
 * What callers are told of a failed unit. This is the one place that knows how the server and its driver speak of being
 * unavailable; everything else is passed on as it is.
 */
export function mapPostgresFailure(error: unknown, { isBroken, isOutage: isAway, isCommitting }: FailedUnit): unknown {
  if (error instanceof Problem || error instanceof ConstraintViolated) return error;
  const { code = '' } = error as { code?: string };
  if (isBroken || AWAY.test(code)) {
    return new StoreUnavailable(error as Error, { isOutage: isAway, isOutcomeUnknown: isCommitting });
  }
  return BUSY.test(code) ? new StoreUnavailable(error as Error) : error;
}
