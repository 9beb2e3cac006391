import { formatInstant } from '../../../base/instants.ts';
import type { SendResult } from '../../../contract/services/sending.ts';
import type { DeliveryTry, WebhookDelivery } from '../../../contract/store/webhooks.ts';

/** The longest `Retry-After` that is honored. @source activity 19.4 */
const RETRY_AFTER_MAX_S = 3600;
const GONE = 410;

/** Whether a receiver answered that it does not exist any more. @source activity 19.4 */
export function isGone(result: SendResult): boolean {
  return result.outcome === 'answered' && result.status === GONE;
}

/** Whether a receiver accepted a message. @source activity 19.4 */
export function isAccepted(result: SendResult): boolean {
  return result.outcome === 'answered' && result.status >= 200 && result.status < 300;
}

/**
 * A delivery after one more attempt. The next one is due at a whole second, never earlier than the schedule, counted
 * from the end of this one.
 * @source activity 19.4; decision 391, 392
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  result: SendResult,
  times: {
    readonly now_ms: number;
    /** The current time, for the timestamp of the attempt. */
    readonly wallNow_ms: number;
    readonly retries_s: readonly number[];
  },
): WebhookDelivery {
  const { now_ms, wallNow_ms, retries_s } = times;
  const now = formatInstant(now_ms);
  const { duration_ms } = result;
  const done: DeliveryTry =
    result.outcome === 'answered'
      ? { at: now, status: result.status, duration_ms }
      : { at: now, reason: result.reason, duration_ms };
  const tries = [...delivery.tries, done];
  if (isAccepted(result)) {
    return { ...delivery, tries, state: 'delivered', next_at: null };
  }
  const wait_s = retries_s[tries.length - delivery.tries_before - 1];
  if (wait_s === undefined || isGone(result)) return { ...delivery, tries, state: 'failed', next_at: null };
  const asked_s = result.outcome === 'answered' ? retryAfter(result, wallNow_ms) : 0;
  return {
    ...delivery,
    tries,
    state: 'pending',
    next_at: formatInstant(Math.ceil(now_ms / 1000 + Math.max(wait_s, asked_s)) * 1000),
  };
}

/** Seconds of `Retry-After` in a 429 or 503 response; 0 without. */
function retryAfter({ status, headers }: Extract<SendResult, { outcome: 'answered' }>, wallNow_ms: number): number {
  const retryAfter = headers['retry-after'];
  if (retryAfter === undefined || (status !== 429 && status !== 503)) return 0;
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - wallNow_ms) / 1000;
  return Number.isFinite(seconds) ? Math.min(RETRY_AFTER_MAX_S, Math.max(0, Math.ceil(seconds))) : 0;
}
