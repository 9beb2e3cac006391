import { addSeconds } from '../../../base/instants.ts';
import { VIEW_THROUGH_WINDOWS } from '../../ads/web-event-tags.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../../platform/expiry-job.ts';
import { CLICK_ID_TTL_S } from './click-id.ts';

const DAY_S = 86_400;
const CLICK_DAYS = CLICK_ID_TTL_S / DAY_S;
const VIEW_DAYS = Math.max(...VIEW_THROUGH_WINDOWS);

/**
 * Retention of touches, counted conversions, and conversions that wait for their click. A conversion may be reported as
 * long after it happened as the longest click window, and then still looks for touches within its windows.
 * @source decision 996
 */
export const CONVERSION_DAYS = {
  clicks: 2 * CLICK_DAYS,
  views: CLICK_DAYS + VIEW_DAYS,
  counted: CLICK_DAYS + 1,
  waiting: 1,
} as const;

/** Removes touches and counted conversions that no report can need. @source decision 996 */
export const conversionExpiry = expiryJob<void>({
  name: 'conversion-expiry',
  key: 'all',
  period_s: 3600,
  settingOf: () => {},
  async remove({ conversions }, _, now) {
    const before = (what: keyof typeof CONVERSION_DAYS): string => addSeconds(now, -CONVERSION_DAYS[what] * DAY_S);
    const counted = before('counted');
    return [
      await conversions.removeTouchesBefore('click', before('clicks'), REMOVED_AT_ONCE),
      await conversions.removeTouchesBefore('view', before('views'), REMOVED_AT_ONCE),
      await conversions.removeCountedBefore(counted, REMOVED_AT_ONCE),
      // Its click id is no longer valid.
      await conversions.removeOfClicksBefore(counted, REMOVED_AT_ONCE),
      await conversions.removeCountedClicksBefore(counted, REMOVED_AT_ONCE),
      await conversions.removeWaitingBefore(before('waiting'), REMOVED_AT_ONCE),
    ];
  },
});
