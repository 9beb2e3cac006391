import { type Schema, Type } from '../../../base/json-schema.ts';
import { jsonText } from '../../../base/text.ts';
import { EVENT_TYPES } from '../../../contract/store/events.ts';
import type { Subscription } from '../../../storage/tables/subscriptions.ts';
import { idSchema, serializeTime, timeSchema } from '../wire-format.ts';

/** JSON Schema of a subscription. @source activity 17.2 */
export const subscriptionSchema: Schema = Type.Closed({
  subscription_id: idSchema,
  event_type: Type.Union(EVENT_TYPES.map((type) => Type.Literal(type))),
  filter: Type.Closed(
    {
      user_id: Type.Optional(idSchema),
      keyword: Type.Optional(Type.String({ minLength: 1, maxLength: 150 })),
      direction: Type.Optional(Type.Union([Type.Literal('sent'), Type.Literal('received'), Type.Literal('both')])),
    },
    { minProperties: 1 },
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  webhook_id: Type.Optional(idSchema),
  created_at: timeSchema,
  updated_at: timeSchema,
});

/** JSON Schema of `meta`: the number of subscriptions. */
export const totalSchema: Schema = Type.Closed({ total_subscriptions: Type.Integer({ minimum: 0 }) });

/** A subscription as JSON text. */
export function serializeSubscription(subscription: Subscription): string {
  const { id, event_type, filter, tag, webhook_id, created_at, updated_at } = subscription;
  const tagMember = tag === null ? '' : `,"tag":${jsonText(tag)}`;
  const webhook = webhook_id === null ? '' : `,"webhook_id":"${webhook_id}"`;
  return `{"subscription_id":"${id}","event_type":"${event_type}","filter":${filter}${tagMember}${webhook},"created_at":"${serializeTime(created_at)}","updated_at":"${serializeTime(updated_at)}"}`;
}
