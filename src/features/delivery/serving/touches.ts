import type { DeliveryTouch } from '../../../contract/store/conversions.ts';
import { type Beacon, segmentsOf } from './beacon.ts';

/** A beacon as what conversions are attributed to; `at` is UTC text. */
export function touchOf<Kind extends DeliveryTouch['kind']>(of: {
  readonly beacon: Beacon;
  readonly is: Kind;
  readonly at: string;
}): DeliveryTouch & { readonly kind: Kind } {
  const { beacon, is: kind, at: touched_at } = of;
  const { account: account_id, line: line_item_id, creative: creative_id, placement, person } = beacon;
  const [, platform = 'UNKNOWN'] = segmentsOf(beacon).find(([type]) => type === 'PLATFORMS') ?? [];
  return { account_id, person, touched_at, kind, line_item_id, creative_id, placement, platform };
}
