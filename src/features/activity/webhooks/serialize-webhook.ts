import Type, { type TSchema } from 'typebox';
import { jsonText } from '../../../base/text.ts';
import { LONG_ID } from '../../../contract/declare/long-ids.ts';
import type { Webhook } from '../../../contract/store/webhooks.ts';

/** JSON Schema of an id. */
export const idSchema: TSchema = Type.String({ pattern: LONG_ID.source });

/** JSON Schema of a time with milliseconds. */
export const timeSchema: TSchema = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z$',
});

/** JSON Schema of a webhook. @source activity gaps 19.1 */
export const webhookSchema: TSchema = Type.Object(
  { id: idSchema, url: Type.String(), valid: Type.Boolean(), created_at: timeSchema },
  { additionalProperties: false },
);

/** A webhook as JSON text. */
export function serializeWebhook({ id, url, valid, created_at }: Webhook): string {
  return `{"id":"${id}","url":${jsonText(url)},"valid":${valid === 1},"created_at":"${serializeTime(created_at)}"}`;
}

/** A time in the format of version 2, with milliseconds. */
export function serializeTime(time: string): string {
  return time.replace('Z', '.000Z');
}
