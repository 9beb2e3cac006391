import { Type } from '../../../base/json-schema.ts';
import { limitOf } from '../../../contract/declare/application-limits.ts';
import { field, quoted, type RawValue, text } from '../../../contract/declare/fields.ts';
import { readMembers } from '../../../contract/declare/members.ts';
import type { Call, Operation, Parameters } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../../contract/declare/resource.ts';
import { type ErrorDetail, Problem, problem } from '../../../contract/problems/problems.ts';
import { EVENT_TYPE_RULES, type EventType } from '../../../contract/store/events.ts';
import type { Subscription } from '../../../storage/tables/subscriptions.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { PASCAL_CASE_NAMES } from '../deprecations.ts';
import { EVENT_TYPE_NAMES, resolveType } from '../event-types.ts';
import { longIdField } from '../long-id-field.ts';
import { dedupKeyOf } from './dedup-keys.ts';
import { FILTER_MEMBERS, type Filter, filterToJson, readFilter } from './filters.ts';
import { serializeSubscription, subscriptionSchema, totalSchema } from './serialize-subscription.ts';
import { ownerOf, SUBSCRIPTION_CALL } from './subscription-owner.ts';

const SECOND_NAMES = Object.fromEntries(
  EVENT_TYPE_NAMES.filter(([name, { type }]) => name !== type).map(([name, { type }]) => [name, type]),
);

const TYPES_LISTED = EVENT_TYPE_NAMES.filter(([, { isDeprecated }]) => !isDeprecated)
  .map(([name]) => name)
  .sort()
  .join(', ');

/** An event type by any of its names. */
const eventType = field<string>({
  name: 'enum',
  column: 'text',
  schema: Type.Union(EVENT_TYPE_NAMES.map(([name]) => Type.Literal(name))),
  problems: ['NOT_IN_ENUM'],
  toJson: (stored) => `"${stored}"`,
  read(raw, parameter) {
    if (typeof raw === 'string' && resolveType(raw)) return raw;
    return { problem: 'NOT_IN_ENUM', parameter, words: { list: TYPES_LISTED, raw: quoted(raw) } };
  },
});

/** The filter; validated separately because its members depend on the type. */
const filterObject = field<string>({
  name: 'filter',
  column: 'none',
  schema: Type.Closed(
    Object.fromEntries(Object.entries(FILTER_MEMBERS).map(([name, { kind }]) => [name, Type.Optional(kind.schema)])),
    { minProperties: 1 },
  ),
  problems: [],
  toJson: (stored) => stored,
  read: (raw) => JSON.stringify(raw),
});

/** The mutable members of a subscription. */
export const MUTABLE_MEMBERS = {
  tag: text({ max: 200 }).describe('Your label; repeated in each event.'),
  webhook_id: longIdField().describe('Also deliver events to this webhook.'),
} as const satisfies Parameters;

const MEMBERS = {
  event_type: eventType.required().describe('The event type. PascalCase names are deprecated.'),
  filter: filterObject.required().describe('Which events of the type; all members must match.'),
  ...MUTABLE_MEMBERS,
} as const satisfies Parameters;

/** The validated body. */
interface SubscriptionInput extends Filter {
  readonly event_type: EventType;
  readonly tag: string | null;
  readonly webhook_id: string | null;
}

/**
 * Subscribes to events. Events of messages require a token of their user with access to direct messages.
 * @source activity 17.1, 17.2; decision 344
 */
export const createSubscription: Operation = {
  id: 'subscriptions.create',
  method: 'POST',
  path: '/2/activity/subscriptions',
  description: 'Subscribe to events of a type, for a user or with a keyword.',
  ...SUBSCRIPTION_CALL,
  groupDescription: 'Which events an application receives over streams and webhooks.',
  deprecatedInput: PASCAL_CASE_NAMES,
  spellings: { event_type: SECOND_NAMES },
  body: 'json',
  request: Type.Closed({
    event_type: eventType.kind.schema,
    filter: filterObject.kind.schema,
    tag: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
    webhook_id: Type.Optional(Type.Union([MUTABLE_MEMBERS.webhook_id.kind.schema, Type.Null()])),
  }),
  bodyMembers: {
    event_type: MEMBERS.event_type,
    filter: MEMBERS.filter,
    ...Object.fromEntries(Object.entries(FILTER_MEMBERS).map(([name, member]) => [`filter.${name}`, member])),
    ...MUTABLE_MEMBERS,
  },
  reply: Type.Closed({
    data: Type.Closed({ subscription: subscriptionSchema }),
    meta: totalSchema,
  }),
  problems: [
    'MEMBER_NO_OBJECT',
    'MEMBER_MISSING',
    'MEMBER_UNKNOWN',
    'TEXT_EMPTY',
    'NOT_TEXT',
    'TEXT_TOO_LONG',
    'ILLEGAL_CHARACTERS',
    'NOT_DIGITS',
    'NOT_IN_ENUM',
    'FILTER_EMPTY',
    'FILTER_UNFIT',
    'BEARER_NOT_ALLOWED',
    'MESSAGES_NOT_ALLOWED',
    'NOT_THE_USER',
    'FILTER_USER_UNKNOWN',
    'WEBHOOK_ID_INVALID',
    'SUBSCRIPTION_EXISTS',
    'TOO_MANY_SUBSCRIPTIONS',
  ],
  async perform(call) {
    const {
      store,
      ids,
      activity: { applicationLimits },
    } = call.services;
    const { draft, isDeprecated } = readBody(call.body);
    const owner = ownerOf(call);
    const [id] = await ids.takeLong('subscription', LONG_IDS_FROM, 1);
    const { subscription, total } = await store.write(async (tx) => {
      await tx.credentials.lockApplication(owner.application);
      const { isPrivate } = EVENT_TYPE_RULES[draft.event_type];
      if (isPrivate) await checkMessageAccess(tx, call, draft.filter_user_id!);
      await checkReferences(tx, owner.application, draft);
      const made = newSubscription(call, { id: id!, ...draft });
      const sense = dedupKeyOf(made);
      if (await tx.subscriptions.findDuplicate(sense)) throw problem('SUBSCRIPTION_EXISTS', { parameter: 'filter' });
      const max = await limitOf(tx, applicationLimits, owner.application, 'subscriptions');
      if ((await tx.subscriptions.findCount(owner.application, undefined)) >= max) {
        throw problem('TOO_MANY_SUBSCRIPTIONS', { words: { max } });
      }
      const subscription = { ...made, since_position: await tx.events.assignPositions() };
      await tx.subscriptions.add({ ...subscription, ...sense });
      return { subscription, total: await tx.subscriptions.findCount(owner.application, owner.user) };
    });
    return {
      data: `{"data":{"subscription":${serializeSubscription(subscription)}},"meta":{"total_subscriptions":${total}}}`,
      usesDeprecated: isDeprecated,
    };
  },
};

/**
 * Validates the body.
 * @throws Problem with all of its errors
 * @source decision 342
 */
function readBody(body: unknown): { draft: SubscriptionInput; isDeprecated: boolean } {
  const { input, errors } = readMembers(body, MEMBERS);
  const named = input.event_type === undefined ? undefined : resolveType(input.event_type as string)!;
  const found: ErrorDetail[] = [...errors];
  let filter: Filter = { filter_user_id: null, filter_keyword: null, filter_direction: null };
  if (input.filter !== undefined) {
    const readOne = readFilter((body as { filter: RawValue }).filter, named?.type);
    filter = readOne.filter;
    found.push(...readOne.errors);
  }
  if (found.length > 0) throw new Problem(found);
  const { type, isDeprecated } = named!;
  const { tag = null, webhook_id = null } = input as Readonly<Record<string, string | null | undefined>>;
  return { draft: { event_type: type, ...filter, tag, webhook_id }, isDeprecated };
}

/** Checks that the caller may receive the message events of a user. @source activity 17.1; decision 343 */
async function checkMessageAccess(tx: ReadTransaction, { caller, services }: Call, user: string): Promise<void> {
  const forbidden = (): Problem => problem('NOT_THE_USER', { parameter: 'filter.user_id', value: user });
  if (caller.kind === 'user') {
    if (caller.level !== 'read-write-directmessages') throw problem('MESSAGES_NOT_ALLOWED');
    if (caller.user !== user) throw forbidden();
    return;
  }
  if (!services.activity.rules.bearerSeesPrivate) throw problem('BEARER_NOT_ALLOWED');
  const tokens = await tx.credentials.findLiveTokens(user, ownerOf({ caller }).application);
  if (!tokens.some(({ access_level: level }) => level === 'read-write-directmessages')) throw forbidden();
}

/** Checks that the user and the webhook exist; both errors are reported together. */
async function checkReferences(tx: ReadTransaction, application: string, draft: SubscriptionInput): Promise<void> {
  const { filter_user_id: user, webhook_id: webhook } = draft;
  const errors: ErrorDetail[] = [];
  if (user !== null && !(await tx.credentials.findUser(user))) {
    errors.push({ problem: 'FILTER_USER_UNKNOWN', parameter: 'filter.user_id', words: { raw: user } });
  }
  if (webhook !== null) errors.push(...(await webhookErrors(tx, application, webhook)));
  if (errors.length > 0) throw new Problem(errors);
}

/** Errors of the `webhook_id` of a body. */
export async function webhookErrors(tx: ReadTransaction, application: string, webhook: string): Promise<ErrorDetail[]> {
  if ((await tx.webhooks.find(webhook))?.application_id === application) return [];
  return [{ problem: 'WEBHOOK_ID_INVALID', parameter: 'webhook_id', words: { raw: webhook } }];
}

/** The row of a new subscription, except the position in the log from which on it receives events. */
function newSubscription(
  call: Call,
  of: SubscriptionInput & { readonly id: string },
): Omit<Subscription, 'since_position'> {
  const { application, user = null } = ownerOf(call);
  return {
    ...of,
    application_id: application,
    user_id: user,
    filter: filterToJson(of),
    created_at: call.now,
    updated_at: call.now,
  };
}
