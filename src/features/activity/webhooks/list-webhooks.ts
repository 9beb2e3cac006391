import { Type } from '../../../base/json-schema.ts';
import { applicationOf } from '../../../contract/declare/callers.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { WEBHOOK_CALL } from './find-webhook.ts';
import { serializeWebhook, webhookSchema } from './serialize-webhook.ts';

/** Lists the webhooks of the application, oldest first. @source activity 19.1 */
export const listWebhooks: Operation = {
  id: 'webhooks.list',
  method: 'GET',
  path: '/2/webhooks',
  description: 'List the webhooks of the application, oldest first.',
  ...WEBHOOK_CALL,
  reply: Type.Closed({
    data: Type.Array(webhookSchema),
    meta: Type.Closed({ result_count: Type.Integer({ minimum: 0 }) }),
  }),
  problems: [],
  async perform({ caller, services }) {
    const found = await services.store.read((tx) => tx.webhooks.list(applicationOf(caller)));
    return { data: `{"data":[${found.map(serializeWebhook)}],"meta":{"result_count":${found.length}}}` };
  },
};
