import { Type } from '../../../base/json-schema.ts';
import { readMembers } from '../../../contract/declare/members.ts';
import type { Input, Operation } from '../../../contract/declare/operation.ts';
import { type ErrorDetail, Problem, problem } from '../../../contract/problems/problems.ts';
import type { Subscription } from '../../../storage/tables/subscriptions.ts';
import { MUTABLE_MEMBERS, webhookErrors } from './create-subscription.ts';
import { dedupKeyOf } from './dedup-keys.ts';
import { serializeSubscription, subscriptionSchema, totalSchema } from './serialize-subscription.ts';
import { findOwnSubscription, ownerOf, SUBSCRIPTION_CALL } from './subscription-owner.ts';

const IMMUTABLE = new Set(['event_type', 'filter']);

/**
 * Changes the mutable members of a subscription; null removes one. Type and filter are immutable.
 * @source activity 17.4; decision 337, 346
 */
export const updateSubscription: Operation = {
  id: 'subscriptions.update',
  method: 'PUT',
  path: '/2/activity/subscriptions/:subscription_id',
  description: 'Change or remove the tag or the webhook of a subscription.',
  ...SUBSCRIPTION_CALL,
  body: 'json',
  request: Type.Closed(
    {
      tag: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
      webhook_id: Type.Optional(Type.Union([MUTABLE_MEMBERS.webhook_id.kind.schema, Type.Null()])),
    },
    { minProperties: 1 },
  ),
  bodyMembers: MUTABLE_MEMBERS,
  reply: Type.Closed({
    data: Type.Closed({ subscription: subscriptionSchema, total_subscriptions: Type.Integer({ minimum: 0 }) }),
    meta: totalSchema,
  }),
  problems: [
    'MEMBER_NO_OBJECT',
    'MEMBER_UNKNOWN',
    'TEXT_EMPTY',
    'NOT_TEXT',
    'TEXT_TOO_LONG',
    'ILLEGAL_CHARACTERS',
    'NOT_DIGITS',
    'NOT_CHANGEABLE',
    'NOTHING_TO_CHANGE',
    'SUBSCRIPTION_NOT_FOUND',
    'WEBHOOK_ID_INVALID',
    'SUBSCRIPTION_EXISTS',
  ],
  async perform(call) {
    const changes = readBody(call.body);
    const owner = ownerOf(call);
    const { subscription, total } = await call.services.store.write(async (tx) => {
      await tx.credentials.lockApplication(owner.application);
      const before = await findOwnSubscription(tx, owner, call.path.subscription_id!);
      const errors = changes.webhook_id ? await webhookErrors(tx, owner.application, changes.webhook_id) : [];
      if (errors.length > 0) throw new Problem(errors);
      const after = { ...before, ...changes, updated_at: call.now };
      const sense = dedupKeyOf(after);
      const same = await tx.subscriptions.findDuplicate(sense);
      if (changes.webhook_id !== undefined && same && same.id !== after.id) {
        throw problem('SUBSCRIPTION_EXISTS', { parameter: 'webhook_id' });
      }
      const isNew = changes.webhook_id !== undefined;
      await tx.subscriptions.change(after.id, {
        ...changes,
        updated_at: call.now,
        ...(isNew && { sense: sense.sense }),
      });
      return { subscription: after, total: await tx.subscriptions.findCount(owner.application, owner.user) };
    });
    return {
      data: `{"data":{"subscription":${serializeSubscription(subscription)},"total_subscriptions":${total}},"meta":{"total_subscriptions":${total}}}`,
    };
  },
};

type Changes = Partial<Pick<Subscription, 'tag' | 'webhook_id'>>;

/** Validates the body. @throws Problem with all of its errors */
function readBody(body: unknown): Changes {
  const { input, errors } = readMembers(body, MUTABLE_MEMBERS);
  const found: ErrorDetail[] = errors.map((error) =>
    error.problem === 'MEMBER_UNKNOWN' && IMMUTABLE.has(error.parameter ?? '')
      ? { ...error, problem: 'NOT_CHANGEABLE' }
      : error,
  );
  if (found.length === 0 && Object.keys(input).length === 0) {
    found.push({ problem: 'NOTHING_TO_CHANGE', words: { known: Object.keys(MUTABLE_MEMBERS).join(', ') } });
  }
  if (found.length > 0) throw new Problem(found);
  return input as Input & Changes;
}
