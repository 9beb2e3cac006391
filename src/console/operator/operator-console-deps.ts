import type { Clock } from '../../base/clock.ts';

/** What pages of operators need beside the database. */
export interface OperatorConsoleDeps {
  readonly clock: Clock;
  /** The clock of logins and of the machine. */
  readonly wallClock: Clock;
}
