import type { WriteTransaction } from '../../../contract/store/store.ts';
import type { DedupKey, Subscription } from '../../../contract/store/subscriptions.ts';
import { directionOf } from '../matching.ts';

/** What makes two subscriptions of an application the same: all but the tag. @source activity gaps 17.2 */
export function senseOf(
  subscription: Pick<
    Subscription,
    'application_id' | 'event_type' | 'filter_user_id' | 'filter_keyword' | 'filter_direction' | 'webhook_id'
  >,
): DedupKey {
  const { application_id, event_type, filter_user_id, filter_keyword, filter_direction, webhook_id } = subscription;
  const direction = directionOf(event_type, filter_direction);
  return {
    application_id,
    sense: JSON.stringify([event_type, filter_user_id, filter_keyword, direction, webhook_id]),
  };
}

/** Subscriptions that are changed in one go. */
const CHANGED_AT_ONCE = 200;

/**
 * Lets every subscription that points to a webhook point to none, before the webhook is removed. Where there is another
 * one to the same without a webhook, both stay: what was there is not taken away.
 * @source activity gaps 19.1
 */
export async function forgetWebhook(tx: WriteTransaction, webhook: string, now: string): Promise<void> {
  for (;;) {
    const found = await tx.subscriptions.listOfWebhook(webhook, CHANGED_AT_ONCE);
    for (const each of found) {
      const sense = senseOf({ ...each, webhook_id: null });
      const isTaken = (await tx.subscriptions.findDuplicate(sense)) !== undefined;
      const changes = { webhook_id: null, updated_at: now };
      await tx.subscriptions.change(each.id, isTaken ? changes : { ...changes, sense: sense.sense });
    }
    if (found.length < CHANGED_AT_ONCE) return;
  }
}
