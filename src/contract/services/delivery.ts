import type { UnitsPerDollar } from '../../base/exchange-rates.ts';
import type { AccountState, Environment } from '../declare/account-state.ts';

/**
 * Where the numbers of delivery come from: nowhere, because nothing is served; a simulation; or ads that publishers have
 * shown.
 */
export type DeliveryMode = 'off' | 'simulated' | 'served';

/** Every mode. */
export const DELIVERY_MODES = ['off', 'simulated', 'served'] as const satisfies readonly DeliveryMode[];

/** An account whose delivery can be settled. */
export type SettledAccount = Pick<AccountState, 'id' | 'environment' | 'timezone'>;

/** The delivery of ads, as other features see it. Its numbers are in the delivery ledger. */
export interface Delivery {
  mode(environment: Environment): DeliveryMode;
  /** How often the delivery of an account is settled while nobody asks for it. */
  readonly step_s: number;
  /** The exchange rates by which bids compare, and by which simulated prices differ between currencies. */
  readonly unitsPerDollar: UnitsPerDollar;
  /**
   * Brings the ledger of an account up to the present, so that it shows what has been delivered until now. Never call it
   * inside a unit of work. Undefined when there is nothing to wait for, as always while delivery is off.
   */
  settle(account: SettledAccount): Promise<void> | undefined;
  /**
   * The same before something is changed on which delivery depends: what has been delivered until now is as it was
   * configured until now.
   */
  settleBeforeChange(account: SettledAccount): Promise<void> | undefined;
}
