import { Type } from '../../../base/json-schema.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import type { Field } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { AdServing } from '../../../contract/services/serving.ts';
import { checkEnvironment } from './authenticate-publisher.ts';
import { creativeSchema } from './creative-schema.ts';
import type { DecisionRequest, PlacementDecisions } from './decision-request.ts';
import { parseDecisionRequest, REQUEST_MEMBERS, REQUEST_OBJECTS } from './parse-decision-request.ts';

const closed = { additionalProperties: false };
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

/** The schema of an object with these members, where all that are not required may be absent. */
function objectOf(members: Readonly<Record<string, Field>>) {
  const properties = Object.entries(members).map(([name, { kind, isRequired }]) => {
    return [name, isRequired ? kind.schema : Type.Optional(kind.schema)] as const;
  });
  return Type.Object(Object.fromEntries(properties), closed);
}

const { placement, user, context, explain } = REQUEST_OBJECTS;

const decision = Type.Object(
  {
    line_item_id: Type.String(),
    creative_id: Type.String(),
    creative: creativeSchema,
    impression_url: Type.String(),
    click_url: orNull(Type.String()),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'Decision' },
);

const explanation = Type.Object(
  { line_item_id: Type.String(), outcome: Type.String(), rank: orNull(Type.Number()) },
  closed,
);

/** The members that are addresses of this service. */
const OWN_URLS: ReadonlySet<string> = new Set(['impression_url', 'click_url', 'url', 'poster_url', 'preview_url']);

/**
 * Decides on the ads that a publisher shows. @source decision 976 and 1073
 */
export const decideOnAds: Operation = {
  id: 'delivery.decisions',
  method: 'POST',
  path: '/delivery/decisions',
  description:
    'Decide which ads a publisher shows in its placements. Request `impression_url` when a person sees an ad, and let clicks lead to `click_url`; each counts once, within two hours. There are no decisions where nothing fits, and where `delivery` is not `served`.',
  group: 'delivery',
  groupDescription: 'Serving: publishers ask for ads, and report what people saw and clicked.',
  family: 'problem',
  credential: 'publisher',
  rate: 'decisions',
  isTokenStep: true,
  bearsOutages: true,
  parameters: {},
  body: 'json',
  bodyMembers: REQUEST_MEMBERS,
  request: Type.Object(
    {
      placements: Type.Array(objectOf(placement), { minItems: 1, maxItems: 20 }),
      user: Type.Optional(objectOf(user)),
      context: Type.Optional(objectOf(context)),
      explain: Type.Optional(explain.kind.schema),
    },
    closed,
  ),
  shape: 'bare',
  reply: Type.Object(
    {
      data: Type.Object(
        {
          delivery: Type.Enum(['off', 'simulated', 'served']),
          placements: Type.Array(
            Type.Object(
              {
                id: Type.String(),
                decisions: Type.Array(decision),
                explanation: Type.Optional(Type.Array(explanation)),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    },
    closed,
  ),
  problems: [
    'MEMBER_NO_OBJECT',
    'MEMBER_NO_LIST',
    'MEMBER_MISSING',
    'MEMBER_UNKNOWN',
    'TEXT_EMPTY',
    'NOT_TEXT',
    'TEXT_TOO_LONG',
    'ILLEGAL_CHARACTERS',
    'NOT_IN_ENUM',
    'NOT_LONG',
    'OUT_OF_RANGE',
    'NOT_BOOLEAN',
    'TOO_FEW_ITEMS',
    'TOO_MANY_ITEMS',
    'COUNTRY_CODE_INVALID',
    'USER_NOT_ONE',
    'EXPLAIN_NOT_ALLOWED',
    'USER_ID_NOT_ALLOWED',
  ],
  async perform({ caller, environment, services, body }) {
    const { publisher } = callerOf(caller, 'publisher');
    checkEnvironment(publisher, environment);
    const request = parseDecisionRequest(body);
    if (request.explain && publisher.may_explain === 0) throw problem('EXPLAIN_NOT_ALLOWED', { parameter: 'explain' });
    if (request.user && 'id' in request.user && publisher.owner_user_id !== null) {
      throw problem('USER_ID_NOT_ALLOWED', { parameter: 'user.id' });
    }
    const serving = services.serving as AdServing<DecisionRequest, readonly PlacementDecisions[]>;
    const placements = await serving.decide(publisher, request);
    const data = { delivery: services.delivery.mode(environment), placements };
    const { calledUrl } = services;
    const called = (name: string, value: unknown): unknown =>
      OWN_URLS.has(name) && typeof value === 'string' ? calledUrl!(value) : value;
    return { data: JSON.stringify({ data }, calledUrl && called) };
  },
};
