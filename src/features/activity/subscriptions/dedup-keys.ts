import type { DedupKey, Subscription } from '../../../storage/tables/subscriptions.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { effectiveDirection } from '../matching.ts';

/**
 * The key that duplicate subscriptions of an application share: everything but the tag.
 * @source activity 17.2; decision 334
 */
export function dedupKeyOf(
  subscription: Pick<
    Subscription,
    'application_id' | 'event_type' | 'filter_user_id' | 'filter_keyword' | 'filter_direction' | 'webhook_id'
  >,
): DedupKey {
  const { application_id, event_type, filter_user_id, filter_keyword, filter_direction, webhook_id } = subscription;
  const direction = effectiveDirection(event_type, filter_direction);
  return {
    application_id,
    sense: JSON.stringify([event_type, filter_user_id, filter_keyword, direction, webhook_id]),
  };
}

/** Subscriptions in one read. */
const PAGE = 200;

/**
 * Detaches all subscriptions from a webhook before it is removed. Where that makes a duplicate of another subscription,
 * both stay: nothing that existed is deleted.
 * @source activity 19.1; decision 346
 */
export async function detachWebhook(tx: WriteTransaction, webhook: string, now: string): Promise<void> {
  for (;;) {
    const found = await tx.subscriptions.listOfWebhook(webhook, PAGE);
    for (const each of found) {
      const sense = dedupKeyOf({ ...each, webhook_id: null });
      const isTaken = (await tx.subscriptions.findDuplicate(sense)) !== undefined;
      const changes = { webhook_id: null, updated_at: now };
      await tx.subscriptions.change(each.id, isTaken ? changes : { ...changes, sense: sense.sense });
    }
    if (found.length < PAGE) return;
  }
}
