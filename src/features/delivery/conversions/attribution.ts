import { instantMs } from '../../../base/instants.ts';
import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';

/** When a conversion happened, and how long before it touches count. Windows are in days. */
interface AttributionRules {
  /** UTC text. */
  readonly converted_at: string;
  readonly click_window: number;
  readonly view_through_window: number;
}

/**
 * The touch that a conversion is attributed to: the last click within the click window, otherwise the last view within
 * the view-through window; undefined when there is none. Touches after the conversion do not count.
 * @source decision 994
 */
export function attribute<Touch extends Pick<DeliveryTouch, 'kind' | 'touched_at'>>(
  touches: readonly Touch[],
  { converted_at, click_window, view_through_window }: AttributionRules,
): Touch | undefined {
  return (
    lastWithin(touches, 'click', converted_at, click_window) ??
    lastWithin(touches, 'view', converted_at, view_through_window)
  );
}

/** The last touch of a kind in the days before a time, both ends included; of two at once the first one given. */
function lastWithin<Touch extends Pick<DeliveryTouch, 'kind' | 'touched_at'>>(
  touches: readonly Touch[],
  kind: DeliveryTouch['kind'],
  until: string,
  days: number,
): Touch | undefined {
  if (days === 0) return undefined;
  const until_ms = instantMs(until);
  const from_ms = until_ms - days * 86_400_000;
  let last: Touch | undefined;
  for (const touch of touches) {
    const at_ms = instantMs(touch.touched_at);
    if (touch.kind !== kind || at_ms < from_ms || at_ms > until_ms) continue;
    if (last === undefined || at_ms > instantMs(last.touched_at)) last = touch;
  }
  return last;
}
