import { SEGMENTATIONS } from '../audiences/shares.ts';
import type { Payers } from './budget-keys.ts';

/** What a click on a creative counts as, beside a click and an engagement. Follows are not reported. */
export type ClickMetric = 'url_clicks' | 'app_clicks' | 'none';

/** An ad that was decided on: what its tokens contain, and all that is stored when it is seen or clicked. */
export interface Beacon extends Payers {
  /** Unique for each decision; its two tokens share it. */
  readonly nonce: string;
  readonly account: string;
  /** That of the account. */
  readonly timezone: string;
  readonly creative: string;
  /** `ALL_ON_SERVICE` or `PUBLISHER_NETWORK`, as the ledger counts. */
  readonly placement: string;
  readonly publisher: string;
  /** Whom it was for, not readable; empty when that is not known. */
  readonly person: string;
  /** Micro units for one billed action. */
  readonly price: number;
  readonly billed: 'impression' | 'click';
  readonly click: ClickMetric;
  /** Values in the order of `SEGMENTATIONS`. */
  readonly segments: readonly string[];
  /** Whether conversions on the landing page count for the line item: the page gets the id of the click. */
  readonly isMeasured: boolean;
  readonly expires_ms: number;
}

/** A beacon that arrived. */
export interface BeaconEvent {
  readonly beacon: Beacon;
  readonly at_ms: number;
}

/** The segments of a beacon by segmentation type. */
export function segmentsOf({ segments }: Beacon): readonly (readonly [type: string, value: string])[] {
  return SEGMENTATIONS.map((type, place) => [type, segments[place] ?? 'UNKNOWN']);
}
