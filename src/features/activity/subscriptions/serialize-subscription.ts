import Type, { type TSchema } from 'typebox';
import { jsonText } from '../../../base/text.ts';
import { LONG_ID } from '../../../contract/declare/long-ids.ts';
import { EVENT_TYPES } from '../../../contract/store/events.ts';
import type { Subscription } from '../../../contract/store/subscriptions.ts';

const id = Type.String({ pattern: LONG_ID.source });
const time = Type.String({ format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z$' });

/** JSON Schema of a subscription. @source activity gaps 17.2 */
export const subscriptionSchema: TSchema = Type.Object(
  {
    subscription_id: id,
    event_type: Type.Union(EVENT_TYPES.map((type) => Type.Literal(type))),
    filter: Type.Object(
      {
        user_id: Type.Optional(id),
        keyword: Type.Optional(Type.String({ minLength: 1, maxLength: 150 })),
        direction: Type.Optional(Type.Union([Type.Literal('sent'), Type.Literal('received'), Type.Literal('both')])),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    webhook_id: Type.Optional(id),
    created_at: time,
    updated_at: time,
  },
  { additionalProperties: false },
);

/** JSON Schema of `meta`: the number of subscriptions. */
export const totalSchema: TSchema = Type.Object(
  { total_subscriptions: Type.Integer({ minimum: 0 }) },
  { additionalProperties: false },
);

/** A subscription as JSON text. */
export function serializeSubscription(subscription: Subscription): string {
  const { id, event_type, filter, tag, webhook_id, created_at, updated_at } = subscription;
  const shownTag = tag === null ? '' : `,"tag":${jsonText(tag)}`;
  const webhook = webhook_id === null ? '' : `,"webhook_id":"${webhook_id}"`;
  return `{"subscription_id":"${id}","event_type":"${event_type}","filter":${filter}${shownTag}${webhook},"created_at":"${serializeTime(created_at)}","updated_at":"${serializeTime(updated_at)}"}`;
}

/** A time in the format of version 2, with milliseconds. */
function serializeTime(time: string): string {
  return time.replace('Z', '.000Z');
}
