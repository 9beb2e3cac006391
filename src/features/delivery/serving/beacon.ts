import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';
import { SEGMENTATIONS } from '../audiences/shares.ts';
import type { Payers } from './budget-keys.ts';

/** The metric of a click on a creative, besides clicks and engagements. Follows are not reported. */
export type ClickMetric = 'url_clicks' | 'app_clicks' | 'none';

/** An ad that was decided on: the content of its tokens, and everything to store for its view or click. */
export interface Beacon extends Payers {
  /** Unique for each decision; its two tokens share it. */
  readonly nonce: string;
  readonly account: string;
  readonly timezone: string;
  readonly creative: string;
  /** `ALL_ON_SERVICE` or `PUBLISHER_NETWORK`, as the ledger counts. */
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
  /** Whether conversions on the landing page count for the line item: the page gets the id of the click. */
  readonly isMeasured: boolean;
  readonly expires_ms: number;
}

/** A beacon as received. */
export interface BeaconEvent {
  readonly beacon: Beacon;
  readonly at_ms: number;
}

/** The segments of a beacon by segmentation type. */
export function segmentsOf({ segments }: Beacon): readonly (readonly [type: string, value: string])[] {
  return SEGMENTATIONS.map((type, place) => [type, segments[place] ?? 'UNKNOWN']);
}

/** A beacon as a touch for the attribution of conversions; `at` is UTC text. */
export function touchOf<Kind extends DeliveryTouch['kind']>({
  beacon,
  kind,
  at: touched_at,
}: {
  readonly beacon: Beacon;
  readonly kind: Kind;
  readonly at: string;
}): DeliveryTouch & { readonly kind: Kind } {
  const { account: account_id, line: line_item_id, creative: creative_id, placement, person } = beacon;
  const [, platform = 'UNKNOWN'] = segmentsOf(beacon).find(([type]) => type === 'PLATFORMS') ?? [];
  return { account_id, person, touched_at, kind, line_item_id, creative_id, placement, platform };
}
