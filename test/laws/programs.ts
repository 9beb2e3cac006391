import { fc } from '../rig/laws.ts';
import {
  LOOKUPS,
  lookupList,
  promotableList,
  settled,
  suggestionList,
  taxFields,
  userFields,
} from './account-values.ts';
import {
  happening,
  messageBody,
  pagination_token,
  participant,
  profileFields,
  signalFields,
  subscription,
  subscriptionBody,
  subscriptionChange,
  subscriptionIds,
  subscriptionList,
  webhook,
  webhookBody,
} from './activity-values.ts';
import {
  audience,
  audienceBatch,
  audienceFields,
  audienceList,
  granted,
  people,
  permissionFields,
  permissionList,
} from './audience-values.ts';
import type { Who } from './callers.ts';
import {
  CARD_FORMATS,
  CONVERSATION_REQUIRED,
  card,
  cardBody,
  cardList,
  conversationCard,
  conversationFields,
  pollFields,
} from './card-values.ts';
import { LINE_ITEM_REQUIRED, lineItemBatch, lineItemFields, lineItemList } from './line-item-values.ts';
import {
  accountMedia,
  accountMediaList,
  addedMedia,
  callToAction,
  creativeList,
  mediaCreative,
  mediaFields,
  mediaKey,
  mediaList,
} from './media-values.ts';
import { anyPost, postFields, postLists } from './post-values.ts';
import { callOf, get, type Kind, type Path, post, put, remove, type Step } from './steps.ts';
import {
  child,
  childList,
  children,
  criterion,
  criterionBatch,
  criterionFields,
  criterionList,
} from './targeting-values.ts';
import {
  account,
  accountFields,
  accountList,
  batch,
  campaign,
  campaignFields,
  campaignList,
  count,
  cursor,
  features,
  type Input,
  instrument,
  instrumentFields,
  instrumentList,
  line,
  mostly,
  type Ref,
  ref,
  some,
  time,
  truth,
} from './values.ts';

/** Programs of calls, good and bad, that refer to what earlier calls made: of every kind, or about activity alone. */
export function programs(options: {
  readonly stepsMax: number;
  readonly about: 'everything' | 'activity';
}): fc.Arbitrary<readonly Step[]> {
  const isAll = options.about === 'everything';
  const kinds = isAll ? [...ADVERTISING, ...ACTIVITY] : ACTIVITY;
  const calls = kinds.map(([weight, kind]) => ({ weight, arbitrary: callOf(kind) }));
  const step = fc.oneof(
    ...(calls as { weight: number; arbitrary: fc.Arbitrary<Step> }[]),
    { weight: isAll ? 7 : 0, arbitrary: walk },
    { weight: 4, arbitrary: stream },
    { weight: 5, arbitrary: fc.constantFrom(1, 1, 1, 60, 900, 3600).map((wait_s): Step => ({ wait_s })) },
  );
  return fc.array(step, { minLength: 1, maxLength: options.stepsMax, size: 'max' });
}

const oneAccount: Path = account.map((one) => ['/12/accounts/', one]);
const under = (rest: string): Path => oneAccount.map((path) => [...path, rest]);
const oneOf = (collection: string, one: fc.Arbitrary<Ref>): Path =>
  fc.tuple(oneAccount, one).map(([path, id]) => [...path, `/${collection}/`, id]);

const history: Input = {
  entity_type: fc.constantFrom('CAMPAIGN', 'CAMPAIGN', 'LINE_ITEM', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT', 'x'),
  entity_id: fc.oneof(campaign, campaign, line, criterion, child),
  start_time: time,
  end_time: time,
  count,
  user_id: fc.constantFrom('1', '900000001', 'x!'),
};
const oddPaths: Path = fc.constantFrom(
  ['/12/nothing'],
  ['/11/accounts'],
  ['/12/accounts/%00'],
  ['/12/accounts/a%20b/campaigns'],
);

const media: Path = fc.tuple(oneAccount, mediaKey).map(([path, key]) => [...path, `/media_library/${key}`]);
const permissions: Path = oneOf('custom_audiences', audience).map((path) => [...path, '/permissions']);
const subscriptions: Path = fc.constant(['/2/activity/subscriptions']);
const oneSubscription: Path = subscription.map((id) => ['/2/activity/subscriptions/', id]);
const webhooks: Path = fc.constant(['/2/webhooks']);
const oneWebhook: Path = webhook.map((id) => ['/2/webhooks/', id]);
const messages: Path = participant.map((user) => ['/2/dm_conversations/with/', user, '/messages']);
/** Users whose tokens reach messages or do not, and the application by itself. */
const subscriber = fc.constantFrom<Who>('cleo', 'cleo', 'friend', 'application', 'application', 'ada', 'production');
const writer = fc.constantFrom<Who>('cleo', 'cleo', 'friend', 'friend', 'friend', 'ada');
const someUser = fc.constantFrom<Who>('ada', 'ben', 'cleo', 'friend', 'production');
const application = mostly(fc.constant<Who>('application'), 'cleo', 'operator');
const operator = mostly(fc.constant<Who>('operator'), 'application');
const tailored: Path = fc
  .tuple(account, audience)
  .map(([one, id]) => ['/5/accounts/', one, '/tailored_audiences/', id]);
const settings: Path = fc.tuple(oneAccount, settled).map(([path, user]) => [...path, `/user_settings/${user}`]);

/** Calls about accounts and what is in them, with how often each is made. */
const ADVERTISING: readonly (readonly [weight: number, kind: Kind])[] = [
  [14, post(under('/campaigns'), campaignFields, ['name', 'funding_instrument_id'])],
  [12, put(oneOf('campaigns', campaign), campaignFields)],
  [4, remove(oneOf('campaigns', campaign))],
  [14, { method: 'POST', path: account.map((one) => ['/12/batch/accounts/', one, '/campaigns']), json: batch }],
  [14, get(under('/campaigns'), { ...campaignList, with_total_count: truth })],
  [3, get(under('/campaigns'), { ...campaignList, cursor })],
  [1, get(under('/campaigns'), { ...campaignList, cursor, with_total_count: truth })],
  [5, get(oneOf('campaigns', campaign), { with_deleted: truth })],
  [14, post(under('/line_items'), lineItemFields, LINE_ITEM_REQUIRED)],
  [10, put(oneOf('line_items', line), lineItemFields)],
  [2, { ...put(oneOf('line_items', line).map((path) => [...path, '/activate'])) }],
  [2, { ...put(oneOf('campaigns', campaign).map((path) => [...path, '/activate'])) }],
  [3, remove(oneOf('line_items', line))],
  [6, { method: 'POST', path: account.map((one) => ['/12/batch/accounts/', one, '/line_items']), json: lineItemBatch }],
  [8, get(under('/line_items'), { ...lineItemList, with_total_count: truth })],
  [2, get(under('/line_items'), { ...lineItemList, cursor })],
  [4, get(oneOf('line_items', line), { with_deleted: truth })],
  [3, get(under('/account_apps'), { count, with_deleted: truth })],
  [6, get(under('/account_history'), history, ['entity_type', 'entity_id'])],
  [1, get(under('/account_history'), { ...history, cursor }, ['entity_type', 'entity_id'])],
  [3, post(under('/funding_instruments'), instrumentFields, ['currency', 'start_time', 'type'])],
  [4, get(under('/funding_instruments'), { ...instrumentList, with_total_count: truth })],
  [1, get(under('/funding_instruments'), { ...instrumentList, cursor })],
  [2, get(oneOf('funding_instruments', instrument), { with_deleted: truth })],
  [1, remove(oneOf('funding_instruments', instrument))],
  [1, post(fc.constant(['/12/accounts']))],
  [4, get(fc.constant(['/12/accounts']), { ...accountList, with_total_count: truth })],
  [1, get(fc.constant(['/12/accounts']), { ...accountList, cursor })],
  [2, get(oneAccount, { with_deleted: truth })],
  [3, put(oneAccount, accountFields)],
  [1, remove(ref('account', fc.constantFrom(1, 2, 3)).map((one) => ['/12/accounts/', one]))],
  [2, get(under('/features'), { feature_keys: features })],
  [2, post(under('/features'), { feature_keys: features })],
  [2, remove(under('/features'), { feature_keys: features })],
  [2, get(under('/authenticated_user_access'))],
  [1, get(under('/campaigns?count=1&count=2'))],
  [1, put(under('/campaigns'))],
  [1, get(oddPaths)],
  [10, { ...post(under('/targeting_criteria')), params: criterionFields }],
  [
    10,
    {
      method: 'POST',
      path: account.map((one) => ['/12/batch/accounts/', one, '/targeting_criteria']),
      json: criterionBatch,
    },
  ],
  [5, get(under('/targeting_criteria'), { ...criterionList, with_total_count: truth }, ['line_item_ids'])],
  [1, get(under('/targeting_criteria'), { ...criterionList, cursor })],
  [2, get(oneOf('targeting_criteria', criterion), { with_deleted: truth })],
  [3, remove(oneOf('targeting_criteria', criterion))],
  [1, get(under('/promotable_users'), promotableList)],
  [1, get(under('/tax_settings'))],
  [2, put(under('/tax_settings'), taxFields)],
  [1, get(settings)],
  [2, put(settings, userFields)],
  [3, get(under('/targeting_suggestions'), suggestionList, ['suggestion_type', 'targeting_values'])],
  [1, get(under('/curated_categories'), lookupList, ['country_codes'])],
  [
    2,
    get(
      fc.constantFrom(...LOOKUPS).map((name) => [`/12/targeting_criteria/${name}`]),
      lookupList,
    ),
  ],
  [8, post(under('/media_library'), addedMedia, ['media_key'])],
  [4, put(media, mediaFields)],
  [1, remove(media)],
  [1, get(media)],
  [4, get(under('/media_library'), mediaList)],
  [1, get(under('/media_library'), { ...mediaList, cursor })],
  [2, get(under('/account_media'), accountMediaList)],
  [1, get(oneOf('account_media', accountMedia), { with_deleted: truth })],
  [1, remove(oneOf('account_media', accountMedia))],
  [6, post(under('/media_creatives'), mediaCreative, ['line_item_id', 'account_media_id'])],
  [2, get(under('/media_creatives'), creativeList)],
  [1, remove(oneOf('media_creatives', child))],
  [4, post(under('/preroll_call_to_actions'), callToAction, Object.keys(callToAction))],
  [2, put(oneOf('preroll_call_to_actions', child), callToAction)],
  [1, get(under('/preroll_call_to_actions'), creativeList)],
  [1, remove(oneOf('preroll_call_to_actions', child))],
  [3, post(under('/draft_posts'), postFields.draft)],
  [2, put(oneOf('draft_posts', anyPost), postFields.draft)],
  [1, get(oneOf('draft_posts', anyPost))],
  [1, remove(oneOf('draft_posts', anyPost))],
  [1, get(under('/draft_posts'), postLists.drafts)],
  [1, post(oneOf('draft_posts/preview', anyPost))],
  [3, post(under('/scheduled_posts'), postFields.scheduled, ['scheduled_at', 'text'])],
  [2, put(oneOf('scheduled_posts', anyPost), postFields.scheduled)],
  [1, remove(oneOf('scheduled_posts', anyPost))],
  [1, get(under('/scheduled_posts'), postLists.drafts)],
  [4, post(under('/post'), postFields.published, ['text'])],
  [3, get(under('/posts'), postLists.posts, ['post_type'])],
  [
    1,
    put(
      oneOf('posts', anyPost).map((path) => [...path, '/name']),
      postFields.named,
    ),
  ],
  [3, post(under('/promoted_posts'), postFields.promoted, ['line_item_id', 'post_ids'])],
  [1, get(under('/promoted_posts'), childList)],
  [1, remove(oneOf('promoted_posts', anyPost))],
  [2, post(under('/scheduled_promoted_posts'), postFields.scheduledPromoted, ['line_item_id', 'scheduled_post_id'])],
  [1, get(under('/scheduled_promoted_posts'), childList)],
  [1, remove(oneOf('scheduled_promoted_posts', anyPost))],
  [6, { method: 'POST', path: under('/cards'), json: cardBody }],
  [4, { method: 'PUT', path: oneOf('cards', card), json: cardBody }],
  [3, get(under('/cards'), cardList)],
  [1, get(under('/cards'), { ...cardList, cursor })],
  [2, get(oneOf('cards', card), { with_deleted: truth })],
  [1, remove(oneOf('cards', card))],
  [3, post(under('/cards/poll'), pollFields, ['name', 'first_choice', 'second_choice', 'duration_in_minutes'])],
  [1, get(oneOf('cards/all', conversationCard))],
  ...CARD_FORMATS.flatMap((family): (readonly [number, Kind])[] => [
    [family === 'poll' ? 1 : 3, post(under(`/cards/${family}`), conversationFields, CONVERSATION_REQUIRED)],
    [2, put(oneOf(`cards/${family}`, conversationCard), conversationFields)],
    [1, get(under(`/cards/${family}`), cardList)],
    [1, get(oneOf(`cards/${family}`, conversationCard))],
    [1, remove(oneOf(`cards/${family}`, conversationCard))],
  ]),
  [8, post(under('/custom_audiences'), audienceFields, ['name'])],
  [3, put(oneOf('custom_audiences', audience), audienceFields)],
  [1, remove(oneOf('custom_audiences', audience))],
  [4, get(under('/custom_audiences'), { ...audienceList, with_total_count: truth })],
  [1, get(under('/custom_audiences'), { ...audienceList, cursor })],
  [2, get(oneOf('custom_audiences', audience), { with_deleted: truth })],
  [
    1,
    get(
      oneOf('custom_audiences', audience).map((path) => [...path, '/targeted']),
      { with_active: truth },
    ),
  ],
  [
    4,
    {
      method: 'POST',
      path: account.map((one) => ['/12/batch/accounts/', one, '/custom_audiences']),
      json: audienceBatch,
    },
  ],
  [5, { method: 'POST', path: oneOf('custom_audiences', audience).map((path) => [...path, '/users']), json: people }],
  [4, post(permissions, permissionFields, Object.keys(permissionFields))],
  [2, get(permissions, permissionList)],
  [1, remove(fc.tuple(permissions, granted).map(([path, id]) => [...path, '/', id]))],
  [1, get(tailored, { with_deleted: truth })],
  [
    1,
    get(
      tailored.map((path) => [...path, '/permissions']),
      permissionList,
    ),
  ],
  [2, post(under('/do_not_reach_lists'), { description: audienceFields.description! })],
  [1, get(under('/do_not_reach_lists'), { with_deleted: truth })],
  [1, remove(oneOf('do_not_reach_lists', granted))],
  ...Object.entries(children).flatMap(([name, fields]): (readonly [number, Kind])[] => [
    [3, post(under(`/${name}`), fields, Object.keys(fields))],
    [1, put(oneOf(name, child), fields)],
    [2, get(under(`/${name}`), childList)],
    [1, get(oneOf(name, child), { with_deleted: truth })],
    [1, remove(oneOf(name, child))],
  ]),
];

/** Calls about what happens, and calls that make it happen. */
const ACTIVITY: readonly (readonly [weight: number, kind: Kind])[] = [
  [14, { who: subscriber, method: 'POST', path: subscriptions, json: subscriptionBody }],
  [3, { who: subscriber, ...get(subscriptions, subscriptionList) }],
  [1, { who: subscriber, ...get(subscriptions, { ...subscriptionList, pagination_token }) }],
  [3, { who: subscriber, method: 'PUT', path: oneSubscription, json: subscriptionChange }],
  [2, { who: subscriber, ...remove(oneSubscription) }],
  [1, { who: subscriber, ...remove(subscriptions, subscriptionIds) }],
  [5, { who: someUser, ...post(fc.constant(['/1.1/account/update_profile.json']), profileFields) }],
  [10, { who: writer, method: 'POST', path: messages, json: messageBody }],
  [
    2,
    {
      who: writer,
      ...post(fc.constant(['/1.1/direct_messages/indicate_typing.json']), signalFields, ['recipient_id']),
    },
  ],
  [
    4,
    {
      who: writer,
      ...post(fc.constant(['/1.1/direct_messages/mark_read.json']), signalFields, Object.keys(signalFields)),
    },
  ],
  [4, { who: operator, method: 'POST', path: fc.constant(['/internal/activity/events']), json: happening }],
  [4, { who: application, method: 'POST', path: webhooks, json: webhookBody }],
  [1, { who: application, ...get(webhooks) }],
  [1, { who: application, ...put(oneWebhook) }],
  [1, { who: application, ...remove(oneWebhook) }],
];

const walk: fc.Arbitrary<Step> = fc
  .record({
    who: fc.constant('ada' as const),
    method: fc.constant('GET'),
    path: under('/campaigns'),
    params: some(campaignList, ['count', 'sort_by']),
  })
  .map((call) => ({ walk: call }));

const stream: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom(1, 2, 60, 901, 3600, 86_400, 86_401), fc.constantFrom(0, 0, 0, 1, 60, 901, -1))
  .map(([from_s, until_s]) => ({ stream: { from_s, until_s } }));
