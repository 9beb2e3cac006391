import { Type } from '../../../base/json-schema.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { WEBHOOK_JOBS } from '../../../contract/store/webhooks.ts';
import { detachWebhook } from '../subscriptions/dedup-keys.ts';
import { findOwnWebhook, WEBHOOK_CALL } from './find-webhook.ts';

/** Removes a webhook. Its subscriptions stay, for streams only. @source activity 19.1 */
export const removeWebhook: Operation = {
  id: 'webhooks.remove',
  method: 'DELETE',
  path: '/2/webhooks/:webhook_id',
  description: 'Remove a webhook. Its subscriptions stay, for streams only.',
  ...WEBHOOK_CALL,
  reply: Type.Closed({ data: Type.Closed({ deleted: Type.Literal(true) }) }),
  problems: ['WEBHOOK_NOT_FOUND'],
  async perform(call) {
    const { services, now } = call;
    const removed = await services.store.write(async (tx) => {
      const { id, application_id } = await findOwnWebhook(tx, call);
      await tx.credentials.lockApplication(application_id);
      // Before its deliveries and jobs, as the node that delivers to it does.
      await tx.webhooks.lock(id);
      await detachWebhook(tx, id, now);
      for (const kind of [WEBHOOK_JOBS.check, WEBHOOK_JOBS.retry]) await tx.jobs.cancel(kind, id);
      await tx.webhookDeliveries.giveUp(id);
      await tx.webhooks.remove(id);
      const event = { event: 'webhook_removed', application_id, webhook_id: id } as const;
      await call.recordAudit(tx, event);
      return event;
    });
    call.audit(removed);
    return { data: '{"data":{"deleted":true}}' };
  },
};
