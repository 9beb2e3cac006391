import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';
import { SEGMENTATIONS } from '../audiences/shares.ts';
import type { Payers } from './budget-keys.ts';

/** The metric of a click on a creative, in addition to clicks and engagements. Follows are not reported. */
export type ClickMetric = 'url_clicks' | 'app_clicks' | 'none';

/** A chosen ad: the content of its tokens, and everything to store for its impression and click. */
export interface ServedAd extends Payers {
  /** Unique for each decision; shared by its two tokens. */
  readonly nonce: string;
  readonly account: string;
  readonly timezone: string;
  readonly creative: string;
  /** The placement in the ledger: `ALL_ON_SERVICE` or `PUBLISHER_NETWORK`. */
  readonly placement: string;
  readonly publisher: string;
  /** Pseudonym of the viewer; empty if unknown. */
  readonly person: string;
  /** Micro units for one billed action. */
  readonly price: number;
  readonly billed: 'impression' | 'click';
  readonly click: ClickMetric;
  /** Values in the order of `SEGMENTATIONS`. */
  readonly segments: readonly string[];
  /** Whether conversions on the landing page count for the line item; its URL then gets a click id. */
  readonly isMeasured: boolean;
  readonly expires_ms: number;
}

/** A beacon as received. */
export interface ReceivedBeacon {
  readonly beacon: ServedAd;
  readonly at_ms: number;
}

/** Returns the segment of each segmentation type. */
export function segmentsOf({ segments }: ServedAd): readonly (readonly [type: string, value: string])[] {
  return SEGMENTATIONS.map((type, place) => [type, segments[place] ?? 'UNKNOWN']);
}

/** Converts a beacon into a touchpoint for the attribution of conversions; the time is UTC text. */
export function touchOf(beacon: ServedAd, kind: DeliveryTouch['kind'], touched_at: string): DeliveryTouch {
  const { account: account_id, line: line_item_id, creative: creative_id, placement, person } = beacon;
  const [, platform = 'UNKNOWN'] = segmentsOf(beacon).find(([type]) => type === 'PLATFORMS') ?? [];
  return { account_id, person, touched_at, kind, line_item_id, creative_id, placement, platform };
}
