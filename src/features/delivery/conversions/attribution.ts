import { instantMs } from '../../../base/instants.ts';
import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';

/** The time of a conversion, and the attribution windows in days. */
interface AttributionRules {
  /** UTC text. */
  readonly converted_at: string;
  readonly click_window: number;
  readonly view_through_window: number;
}

/**
 * Returns the touchpoint to which a conversion is attributed: the last click within the click window, otherwise the
 * last view within the view-through window. Touchpoints after the conversion do not count.
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

/** Returns the last touchpoint of a kind in the days before a time, both ends inclusive; the first of simultaneous ones. */
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
