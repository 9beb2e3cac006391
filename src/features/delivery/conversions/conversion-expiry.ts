import { formatInstant, instantMs } from '../../../base/instants.ts';
import { VIEW_THROUGH_WINDOWS } from '../../ads/web-event-tags.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../../platform/expiry-job.ts';
import { CLICK_ID_TTL_S } from './click-id.ts';

const DAY_S = 86_400;
const CLICK_DAYS = CLICK_ID_TTL_S / DAY_S;
const VIEW_DAYS = Math.max(...VIEW_THROUGH_WINDOWS);

/**
 * Until when touches and counted conversions can be removed: UTC texts. A conversion may be reported as long after it
 * happened as the longest click window, and then still looks for touches within its windows.
 * @source decision 996
 */
function expiryOf(now: string): {
  readonly clicks: string;
  readonly views: string;
  readonly conversions: string;
  readonly waiting: string;
} {
  const before = (days: number): string => formatInstant(instantMs(now) - days * DAY_S * 1000);
  return {
    clicks: before(2 * CLICK_DAYS),
    views: before(CLICK_DAYS + VIEW_DAYS),
    conversions: before(CLICK_DAYS + 1),
    waiting: before(1),
  };
}

/** Removes touches and counted conversions that no report needs any more. @source decision 996 */
export const conversionExpiry = expiryJob<void>({
  name: 'conversion-expiry',
  key: 'all',
  period_s: 3600,
  settingOf: () => {},
  async remove({ conversions }, _, now) {
    const before = expiryOf(now);
    return [
      await conversions.removeTouchesBefore('click', before.clicks, REMOVED_AT_ONCE),
      await conversions.removeTouchesBefore('view', before.views, REMOVED_AT_ONCE),
      await conversions.removeCountedBefore(before.conversions, REMOVED_AT_ONCE),
      // Its click id is no longer valid.
      await conversions.removeOfClicksBefore(before.conversions, REMOVED_AT_ONCE),
      await conversions.removeCountedClicksBefore(before.conversions, REMOVED_AT_ONCE),
      await conversions.removeWaitingBefore(before.waiting, REMOVED_AT_ONCE),
    ];
  },
});
