import { instantMs } from '../../../base/instants.ts';

/** How long a tag counts as active after an event, in seconds. @source decision 991 */
export const TRACKED_WITHIN_S = 14 * 86_400;

/** Whether a website reports events of a tag. Times are UTC texts; null when there was no event yet. */
export function trackingStatus(last_tracked_at: string | null, now: string): 'ACTIVE' | 'INACTIVE' | 'UNVERIFIED' {
  if (last_tracked_at === null) return 'UNVERIFIED';
  return instantMs(now) - instantMs(last_tracked_at) <= TRACKED_WITHIN_S * 1000 ? 'ACTIVE' : 'INACTIVE';
}
