import { type Schema, Type } from '../../../base/json-schema.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import type { Field } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { checkEnvironment } from './authenticate-publisher.ts';
import { parseDecisionRequest, REQUEST_MEMBERS, REQUEST_OBJECTS } from './parse-decision-request.ts';

const media = Type.Closed({
  type: Type.String(),
  url: Type.Nullable(Type.String()),
  poster_url: Type.Nullable(Type.String()),
  width: Type.Nullable(Type.Integer()),
  height: Type.Nullable(Type.Integer()),
  duration_ms: Type.Nullable(Type.Integer()),
});

const person = { id: Type.String(), name: Type.String(), screen_name: Type.String() };

const post = Type.Closed(
  {
    type: Type.Literal('post'),
    id: Type.String(),
    text: Type.String(),
    language: Type.Nullable(Type.String()),
    created_at: Type.String(),
    author: Type.Closed(person),
    media: Type.Array(media),
    card: Type.Nullable(
      Type.Closed({ type: Type.String(), title: Type.Nullable(Type.String()), media: Type.Array(media) }),
    ),
    preview_url: Type.String(),
  },
  { title: 'Post to show' },
);

const account = Type.Closed(
  {
    type: Type.Literal('account'),
    user: Type.Closed({ ...person, description: Type.Nullable(Type.String()) }),
  },
  { title: 'Account to show' },
);

const mediaAlone = Type.Closed({ type: Type.Enum(['banner', 'video']), media }, { title: 'Media to show' });

/** A creative: a post, an account, or media alone. */
const creativeSchema: Schema = Type.Union([post, account, mediaAlone]);

/** Schema of an object with these members, of which only required ones must be present. */
function objectOf(members: Readonly<Record<string, Field>>) {
  const properties = Object.entries(members).map(
    ([name, { kind, isRequired }]) => [name, isRequired ? kind.schema : Type.Optional(kind.schema)] as const,
  );
  return Type.Closed(Object.fromEntries(properties));
}

const { placement, user, context, explain } = REQUEST_OBJECTS;

const decision = Type.Closed(
  {
    line_item_id: Type.String(),
    creative_id: Type.String(),
    creative: creativeSchema,
    impression_url: Type.String(),
    click_url: Type.Nullable(Type.String()),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Decision' },
);

const explanation = Type.Closed({
  line_item_id: Type.String(),
  outcome: Type.String(),
  rank: Type.Nullable(Type.Number()),
});

/** The members with URLs of this service. */
const OWN_URLS: ReadonlySet<string> = new Set(['impression_url', 'click_url', 'url', 'poster_url', 'preview_url']);

/** Chooses the ads that a publisher shows. @source decision 976 and 1073 */
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
  toleratesOutages: true,
  parameters: {},
  body: 'json',
  bodyMembers: REQUEST_MEMBERS,
  request: Type.Closed({
    placements: Type.Array(objectOf(placement), { minItems: 1, maxItems: 20 }),
    user: Type.Optional(objectOf(user)),
    context: Type.Optional(objectOf(context)),
    explain: Type.Optional(explain.kind.schema),
  }),
  shape: 'bare',
  reply: Type.Closed({
    data: Type.Closed({
      delivery: Type.Enum(['off', 'simulated', 'served']),
      placements: Type.Array(
        Type.Closed({
          id: Type.String(),
          decisions: Type.Array(decision),
          explanation: Type.Optional(Type.Array(explanation)),
        }),
      ),
    }),
  }),
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
    const placements = await services.serving.decide(publisher, request);
    const data = { delivery: services.delivery.mode(environment), placements };
    const { calledUrl } = services;
    const called = (name: string, value: unknown): unknown =>
      OWN_URLS.has(name) && typeof value === 'string' ? calledUrl!(value) : value;
    return { data: JSON.stringify({ data }, calledUrl && called) };
  },
};
