import { Type } from '../../../base/json-schema.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { findOwnWebhook, WEBHOOK_CALL, webhookNotFound } from './find-webhook.ts';
import { challengeWebhook, requireSuccess } from './validity.ts';

/** Challenges a webhook now, which makes it valid or invalid. @source activity 19.1 and 19.3 */
export const validateWebhook: Operation = {
  id: 'webhooks.validate',
  method: 'PUT',
  path: '/2/webhooks/:webhook_id',
  description: 'Challenge a webhook now; a correct answer makes it valid again.',
  ...WEBHOOK_CALL,
  reply: Type.Closed({ data: Type.Closed({ valid: Type.Literal(true) }) }),
  problems: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_URL_INVALID', 'WEBHOOK_CRC_FAILED'],
  async perform(call) {
    const webhook = await call.services.store.read((tx) => findOwnWebhook(tx, call));
    const verdict = await challengeWebhook(call.services, webhook);
    if (!verdict) throw webhookNotFound(webhook.id);
    requireSuccess(verdict, { parameter: 'webhook_id', raw: webhook.id });
    return { data: '{"data":{"valid":true}}' };
  },
};
