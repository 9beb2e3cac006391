import type { Environment } from '../declare/account-state.ts';
import type { PersonWord } from '../store/directory.ts';
import type { Publisher } from '../store/publishers.ts';
import type { SettledAccount } from './delivery.ts';

/** A request for a beacon. */
export interface BeaconRequest {
  readonly environment: Environment;
  readonly token: string;
  /** Whether it must not be counted, such as a HEAD request or a prefetch. */
  readonly isSilent: boolean;
}

/** A slot for ads on a page of a publisher. */
export interface RequestedPlacement {
  /** The publisher's name for the slot. */
  readonly id: string;
  /** The kind of placement, as line items target it. */
  readonly type: string;
  /** Maximum number of ads. */
  readonly count: number;
}

/** What a publisher knows about a viewer and the page. */
export interface ViewContext {
  readonly words: Readonly<Partial<Record<PersonWord, string>>>;
  readonly age: number | null;
  readonly interests: readonly string[];
  /** The topics of the page. */
  readonly keywords: readonly string[];
}

/** A request for ads. */
export interface DecisionRequest {
  readonly placements: readonly RequestedPlacement[];
  /** A user of the directory, or a person identified by the publisher's key for them; undefined if unknown. */
  readonly user: { readonly id: string } | { readonly key: string } | undefined;
  readonly context: ViewContext;
  readonly explain: boolean;
}

/** An ad to show. */
export interface Decision {
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly creative: Readonly<Record<string, unknown>>;
  /** To be requested when a person sees the ad. */
  readonly impression_url: string;
  /** The link target of the ad; null if it has none. */
  readonly click_url: string | null;
  /** When both URLs expire: UTC text. */
  readonly expires_at: string;
}

/** The outcome of the auction for one line item. */
export interface Explanation {
  readonly line_item_id: string;
  readonly outcome: string;
  /** Quality-weighted eCPM, in US dollars; null if it was not ranked. */
  readonly rank: number | null;
}

/** The ads for a placement. */
export interface PlacementDecisions {
  readonly id: string;
  readonly decisions: readonly Decision[];
  readonly explanation?: readonly Explanation[];
}

/** Limits the time that ad decisions wait for an unreachable database. */
export interface OutageTolerance {
  /**
   * Resolves with whether the work finished in time; if not, the decision uses data in memory.
   * @throws StoreUnavailable once the database has been unreachable for too long
   */
  wait(work: Promise<unknown>): Promise<boolean>;
}

/** Serves ads: decisions for publishers, and the beacons of the ads that they show. */
export interface AdServing {
  readonly outages: OutageTolerance;
  /** Chooses ads for a publisher; none unless delivery is `served`. */
  decide(publisher: Publisher, request: DecisionRequest): Promise<readonly PlacementDecisions[]>;
  /** Counts an impression once, if its token is valid. */
  impression(request: BeaconRequest): void;
  /** Counts a click once, and returns its target; undefined if the token is invalid. */
  click(request: BeaconRequest): string | undefined;
  /** Stores the beacons that this process has counted for an account. Must be called outside of units of work. */
  flush(account: SettledAccount): Promise<void> | undefined;
  /** Resolves once all ads have been read for the first time. */
  ready(): Promise<void>;
  /** Starts storing counted beacons every second. */
  start(): void;
  /** Stores all counted beacons, and returns the leased budgets. */
  stop(): Promise<void>;
}
