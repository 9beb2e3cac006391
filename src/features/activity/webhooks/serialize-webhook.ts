import { type Schema, Type } from '../../../base/json-schema.ts';
import { jsonText } from '../../../base/text.ts';
import type { Webhook } from '../../../contract/store/webhooks.ts';
import { idSchema, serializeTime, timeSchema } from '../wire-format.ts';

/** JSON Schema of a webhook. @source activity 19.1 */
export const webhookSchema: Schema = Type.Closed({
  id: idSchema,
  url: Type.String(),
  valid: Type.Boolean(),
  created_at: timeSchema,
});

/** A webhook as JSON text. */
export function serializeWebhook({ id, url, valid, created_at }: Webhook): string {
  return `{"id":"${id}","url":${jsonText(url)},"valid":${valid === 1},"created_at":"${serializeTime(created_at)}"}`;
}
