import type { Environment } from '../declare/account-state.ts';
import type { SettledAccount } from '../services/delivery.ts';

/** An ad that was seen: what makes each of its beacons count once. Times are milliseconds since 1970. */
export interface StoredBeacon {
  readonly account_id: string;
  /** That of the decision; its two tokens share it. */
  readonly nonce: string;
  readonly viewed_ms: number;
  readonly clicked_ms: number | null;
  /** When neither token counts any more. */
  readonly expires_ms: number;
}

/** The beacons that have counted. Writers hold the delivery cursor of the account. */
export interface DeliveryBeacons {
  /** Those of these nonces that are known. */
  list(account: string, nonces: readonly string[]): Promise<StoredBeacon[]>;
  /** @throws ConstraintViolated when one of them is known */
  add(beacons: readonly StoredBeacon[]): Promise<void>;
  /** Stores when a seen ad was clicked. */
  click(account: string, nonce: string, clicked_ms: number): Promise<void>;
  removeExpired(now_ms: number, max: number): Promise<number>;
}

/** An account that has something to show. */
export interface Advertisers {
  /** The accounts of an environment with active line items, by id; or those of them with these ids. */
  list(environment: Environment, ids?: readonly string[]): Promise<SettledAccount[]>;
}

/** A part of a budget that a node may spend. */
export interface BudgetLease {
  readonly account_id: string;
  /** `line_item/ID/total`, `line_item/ID/DATE`, `campaign/…` or `funding_instrument/ID/total`. */
  readonly budget: string;
  readonly node: string;
  readonly amount_local_micro: number;
}

/** The parts of budgets that nodes hold. Readers and writers hold the delivery cursor of the account. */
export interface BudgetLeases {
  list(account: string): Promise<BudgetLease[]>;
  /** Stores leases; those of the same budget and node are replaced. */
  save(leases: readonly BudgetLease[]): Promise<void>;
  /** Gives back everything that a node holds. */
  removeOf(node: string): Promise<number>;
  /** Gives back the leases of days before a date, which nobody can spend. */
  removeOfDaysBefore(account: string, date: string): Promise<number>;
  /** Gives back what nodes hold that are no more. */
  releaseOrphaned(): Promise<number>;
}
