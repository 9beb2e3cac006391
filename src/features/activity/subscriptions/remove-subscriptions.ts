import { Type } from '../../../base/json-schema.ts';
import { itemsOf, listOf } from '../../../contract/declare/fields.ts';
import { LONG_ID } from '../../../contract/declare/long-ids.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { longIdField } from '../long-id-field.ts';
import { totalSchema } from './serialize-subscription.ts';
import { findOwnSubscription, isOwnedBy, ownerOf, SUBSCRIPTION_CALL } from './subscription-owner.ts';

const id = Type.String({ pattern: LONG_ID.source });
const deleted = Type.Literal(true);

/**
 * Deletes a subscription.
 * @source activity 17.5
 */
export const removeSubscription: Operation = {
  id: 'subscriptions.remove',
  method: 'DELETE',
  path: '/2/activity/subscriptions/:subscription_id',
  description: 'Delete a subscription.',
  ...SUBSCRIPTION_CALL,
  reply: Type.Closed({ data: Type.Closed({ deleted }), meta: totalSchema }),
  problems: ['SUBSCRIPTION_NOT_FOUND'],
  async perform(call) {
    const owner = ownerOf(call);
    const total = await call.services.store.write(async (tx) => {
      await tx.credentials.lockApplication(owner.application);
      const { id } = await findOwnSubscription(tx, owner, call.path.subscription_id!);
      await tx.subscriptions.remove([id]);
      return tx.subscriptions.findCount(owner.application, owner.user);
    });
    return { data: `{"data":{"deleted":true},"meta":{"total_subscriptions":${total}}}` };
  },
};

/**
 * Deletes several subscriptions; ids that do not exist are listed under `errors`.
 * @source activity 17.5; decision 348
 */
export const removeSubscriptions: Operation = {
  id: 'subscriptions.remove_many',
  method: 'DELETE',
  path: '/2/activity/subscriptions',
  description: 'Delete several subscriptions; ids that do not exist are listed under `errors`.',
  ...SUBSCRIPTION_CALL,
  parameters: { ids: listOf(longIdField(), { max: 100 }).required().describe('Subscription ids.') },
  reply: Type.Closed({
    data: Type.Array(Type.Closed({ subscription_id: id, deleted })),
    errors: Type.Optional(
      Type.Array(Type.Closed({ subscription_id: id, reason: Type.Literal('NotFound'), message: Type.String() })),
    ),
    meta: totalSchema,
  }),
  problems: [],
  async perform(call) {
    const owner = ownerOf(call);
    const ids = itemsOf(call.input.ids as string);
    const { own, total } = await call.services.store.write(async (tx) => {
      await tx.credentials.lockApplication(owner.application);
      const found = await tx.subscriptions.list(ids);
      const own = new Set(found.filter((each) => isOwnedBy(each, owner)).map((each) => each.id));
      await tx.subscriptions.remove([...own]);
      return { own, total: await tx.subscriptions.findCount(owner.application, owner.user) };
    });
    const missing = ids.filter((each) => !own.has(each));
    const errors = missing.map((each) => ({
      subscription_id: each,
      reason: 'NotFound',
      message: `Could not find subscription with subscription_id: [${each}].`,
    }));
    const data = ids.filter((each) => own.has(each)).map((each) => ({ subscription_id: each, deleted: true }));
    return {
      data: JSON.stringify({
        data,
        ...(errors.length > 0 && { errors }),
        meta: { total_subscriptions: total },
      }),
    };
  },
};
