import pg from 'pg';
import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { ConstraintViolated } from '../../contract/store/errors.ts';

/** Error codes of an unreachable server: class 08 are connection exceptions, 57P0 its shutdown. */
const AWAY =
  /^(08...|57P0[1235]|25P03|25006|E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|NETDOWN|AI_AGAIN))$/;

/**
 * Error codes of temporary refusals: full disk, out of memory or connections (class 53), I/O errors (58), statement
 * timeout (57014), lock not available (55P03), serialization failure and deadlock (40001, 40P01), a prepared statement
 * whose preparation has just failed (26000).
 * @source decision 412
 */
const BUSY = /^(53...|58...|57014|55P03|40001|40P01|26000)$/;

/** The state of a unit of work when it failed. */
export interface FailedUnit {
  /** Whether its connection is broken. */
  readonly isBroken: boolean;
  /** Whether the server is unreachable for all units of work. */
  readonly isOutage: boolean;
  /** Whether the commit was sent but not answered. */
  readonly isCommitting: boolean;
}

/**
 * The error that callers get for a failed unit of work. The only place that knows how PostgreSQL and its driver report
 * being unavailable; other errors are returned unchanged.
 */
export function mapPostgresFailure(error: unknown, { isBroken, isOutage, isCommitting }: FailedUnit): unknown {
  if (error instanceof Problem || error instanceof ConstraintViolated) return error;
  // The original stack leads to the socket, this one to the caller.
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error, mapPostgresFailure);
  const { code = '' } = error as { code?: string };
  if (isBroken || AWAY.test(code)) {
    return new StoreUnavailable(error as Error, { isOutage, isOutcomeUnknown: isCommitting });
  }
  return BUSY.test(code) || isOutdatedStatement(error) ? new StoreUnavailable(error as Error) : error;
}

/**
 * Whether a prepared statement failed because a migration has changed its columns since: `select *` after `add column`.
 * The error code is that of all unsupported features.
 * @source decision 834
 */
export function isOutdatedStatement(error: unknown): boolean {
  return (error as { routine?: string }).routine === 'RevalidateCachedQuery';
}
