import { decodePageToken, encodePageToken } from '../../../base/cursor.ts';
import { Type } from '../../../base/json-schema.ts';
import { integer, text } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { serializeSubscription, subscriptionSchema } from './serialize-subscription.ts';
import { type Owner, ownerOf, SUBSCRIPTION_CALL } from './subscription-owner.ts';

const PAGE_SIZE = 100;
const PAGE_MAX = 1000;

/**
 * Lists subscriptions, oldest first: all of an application, or those that a user made.
 * @source activity 17.3
 */
export const listSubscriptions: Operation = {
  id: 'subscriptions.list',
  method: 'GET',
  path: '/2/activity/subscriptions',
  description: 'List subscriptions, oldest first.',
  ...SUBSCRIPTION_CALL,
  parameters: {
    max_results: integer({ min: 1, max: PAGE_MAX }).defaults(PAGE_SIZE).describe('Page size.'),
    pagination_token: text({ max: 400 }).describe('`next_token` of the previous page.'),
  },
  reply: Type.Closed({
    data: Type.Array(subscriptionSchema),
    meta: Type.Closed({
      result_count: Type.Integer({ minimum: 0 }),
      next_token: Type.Optional(Type.String({ pattern: '^[0-9a-v]{16,}$' })),
      total_subscriptions: Type.Integer({ minimum: 0 }),
    }),
  }),
  problems: ['PAGE_TOKEN_INVALID'],
  async perform(call) {
    const owner = ownerOf(call);
    const { max_results: limit = PAGE_SIZE, pagination_token: token } = call.input as {
      readonly max_results?: number;
      readonly pagination_token?: string;
    };
    const after = token === undefined ? '' : decodePageToken(token, listName(owner));
    if (after === undefined) {
      throw problem('PAGE_TOKEN_INVALID', { parameter: 'pagination_token', words: { raw: token! } });
    }
    const { application, user } = owner;
    const { found, total } = await call.services.store.read(async (tx) => ({
      found: await tx.subscriptions.page({ application, user, after, limit: limit + 1 }),
      total: await tx.subscriptions.findCount(application, user),
    }));
    const page = found.slice(0, limit);
    const next = found.length > limit ? `,"next_token":"${encodePageToken(page.at(-1)!.id, listName(owner))}"` : '';
    return {
      data: `{"data":[${page.map(serializeSubscription).join()}],"meta":{"result_count":${page.length}${next},"total_subscriptions":${total}}}`,
    };
  },
};

/** Identifies a list in its page tokens: a token of another application or user is invalid. @source decision 347 */
function listName({ application, user = '' }: Owner): string {
  return `subscriptions ${application} ${user}`;
}
