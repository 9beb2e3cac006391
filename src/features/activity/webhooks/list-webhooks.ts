import { Type } from '../../../base/json-schema.ts';
import { applicationOf } from '../../../contract/declare/callers.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { serializeWebhook, webhookSchema } from './serialize-webhook.ts';

/** Lists the webhooks of the application, oldest first. @source activity 19.1 */
export const listWebhooks: Operation = {
  id: 'webhooks.list',
  method: 'GET',
  path: '/2/webhooks',
  description: 'List the webhooks of the application, oldest first.',
  group: 'webhooks',
  family: 'problem',
  credential: 'bearer',
  rate: 'webhooks',
  parameters: {},
  body: 'form',
  shape: 'bare',
  reply: Type.Object(
    {
      data: Type.Array(webhookSchema),
      meta: Type.Object({ result_count: Type.Integer({ minimum: 0 }) }, { additionalProperties: false }),
    },
    { additionalProperties: false },
  ),
  problems: [],
  async perform({ caller, services }) {
    const found = await services.store.read((tx) => tx.webhooks.list(applicationOf(caller)));
    return { data: `{"data":[${found.map(serializeWebhook)}],"meta":{"result_count":${found.length}}}` };
  },
};
