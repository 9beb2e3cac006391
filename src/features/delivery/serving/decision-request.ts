import type { PersonWord } from '../../../contract/store/directory.ts';
import type { ViewContext } from './viewer.ts';

/** A place for ads on a page of a publisher. */
export interface RequestedPlacement {
  /** The publisher's own name for it. */
  readonly id: string;
  /** A placement of line items. */
  readonly type: string;
  /** How many ads at most. */
  readonly count: number;
}

/** A request for ads. */
export interface DecisionRequest {
  readonly placements: readonly RequestedPlacement[];
  /** A user of the directory, or a person by a key of the publisher; undefined if unknown. */
  readonly user: { readonly id: string } | { readonly key: string } | undefined;
  readonly context: ViewContext;
  readonly explain: boolean;
}

/** The members of a context that are attributes of people. `country` is ISO 3166-1 alpha-2, all others are targeting values. */
export const CONTEXT_WORDS = [
  'country',
  'region',
  'metro',
  'city',
  'postal_code',
  'language',
  'gender',
  'platform',
  'platform_version',
  'device',
] as const satisfies readonly PersonWord[];

/** An ad to show. */
export interface Decision {
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly creative: Readonly<Record<string, unknown>>;
  /** To be requested when a person sees the ad. */
  readonly impression_url: string;
  /** Where a click must lead; null when it leads nowhere. */
  readonly click_url: string | null;
  /** Until when both count: UTC text. */
  readonly expires_at: string;
}

/** Why a line item was shown, or was not. */
export interface Explanation {
  readonly line_item_id: string;
  readonly outcome: string;
  /** In least bids of its currency for each impression; null when it was not ranked. */
  readonly rank: number | null;
}

/** The ads for a placement. */
export interface PlacementDecisions {
  readonly id: string;
  readonly decisions: readonly Decision[];
  readonly explanation?: readonly Explanation[];
}
