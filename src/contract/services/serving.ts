import type { Environment } from '../declare/account-state.ts';
import type { Publisher } from '../store/publishers.ts';
import type { SettledAccount } from './delivery.ts';

/** What a request for a beacon is about. */
export interface BeaconRequest {
  readonly environment: Environment;
  readonly token: string;
  /** Whether it must not count: it is HEAD, or a browser only fetches ahead. */
  readonly isSilent: boolean;
}

/** Waits for the database as long as decisions may. */
export interface BorneOutages {
  /**
   * Resolves with whether the work was done in time; if not, memory has to do.
   * @throws StoreUnavailable once the database has been away for too long
   */
  wait(work: Promise<unknown>): Promise<boolean>;
}

/** Serving for real: decisions for publishers, and the beacons of what they show. */
export interface AdServing<Request = unknown, Reply = unknown> {
  /** What decisions do while the database is away. */
  readonly outages: BorneOutages;
  /** Decides on ads for a publisher; no ads where none are served. */
  decide(publisher: Publisher, request: Request): Promise<Reply>;
  /** Counts an impression, if the token is good and was not used before. */
  view(request: BeaconRequest): void;
  /** Counts a click, and returns where it leads; undefined when the token is not good. */
  click(request: BeaconRequest): string | undefined;
  /** Stores what this process has counted for an account. Never call it inside a unit of work. */
  flush(account: SettledAccount): Promise<void> | undefined;
  /** Resolves once all ads have been read for the first time. */
  ready(): Promise<void>;
  /** Begins to store what is counted every second. */
  start(): void;
  /** Stores everything, and gives budgets back. */
  stop(): Promise<void>;
}
