import type { UnitsPerDollar } from '../../base/exchange-rates.ts';
import type { AccountState, Environment } from '../declare/account-state.ts';

/** The sources of delivery numbers: none, because no ads are served; a simulation; or the beacons of publishers. */
const DELIVERY_MODES = ['off', 'simulated', 'served'] as const;

/** The source of delivery numbers in an environment. */
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** An account whose delivery can be settled. */
export type SettledAccount = Pick<AccountState, 'id' | 'environment' | 'timezone'>;

/** The delivery of ads; its numbers are in the delivery ledger. */
export interface Delivery {
  mode(environment: Environment): DeliveryMode;
  /** Interval of simulated settlements of an account without calls. */
  readonly step_s: number;
  /** The exchange rates for comparing bids and converting simulated prices. */
  readonly unitsPerDollar: UnitsPerDollar;
  /**
   * Brings the ledger of an account up to date. Must be called outside of units of work. Undefined if there is nothing to
   * wait for, as always while delivery is off.
   *
   * A failed simulation is logged, and the call continues with the ledger as it is; it never rejects. Where ads are served,
   * it stores the beacons that this process has counted, and rejects if that fails, so that the call is refused.
   */
  settle(account: SettledAccount): Promise<void> | undefined;
  /** Settles before a change that affects delivery, so that the change does not apply to the past. Fails as `settle` does. */
  settleBeforeChange(account: SettledAccount): Promise<void> | undefined;
}
