import type { ExampleCall } from '../../../src/http/reference/worked-examples.ts';

const DAY_S = 86_400;

/** The operation whose example makes the value of a variable, and where the value is in its reply. */
type MadeBy = readonly [operation: string, pick: string, other?: Partial<ExampleCall>];

/** Variables that the reply to a call holds. */
export const MADE: Readonly<Record<string, MadeBy>> = {
  ACCOUNT: ['accounts.create', 'data.0.id'],
  OTHER_ACCOUNT: ['accounts.create', 'data.0.id'],
  PROMOTABLE_USER: ['promotable_users.list', 'data.0.id'],
  CURATED_CATEGORY: ['curated_categories.list', 'data.0.id'],
  FUNDING_INSTRUMENT: ['funding_instruments.create', 'data.id'],
  CAMPAIGN: ['campaigns.create', 'data.id'],
  LINE_ITEM: ['line_items.create', 'data.id'],
  FOLLOWERS_LINE_ITEM: [
    'line_items.create',
    'data.id',
    {
      form: {
        campaign_id: '$CAMPAIGN',
        name: 'Followers',
        objective: 'FOLLOWERS',
        product_type: 'PROMOTED_ACCOUNT',
        placements: 'ALL_ON_SERVICE',
      },
    },
  ],
  PREROLL_LINE_ITEM: [
    'line_items.create',
    'data.id',
    {
      form: {
        campaign_id: '$CAMPAIGN',
        name: 'Before videos',
        objective: 'PREROLL_VIEWS',
        product_type: 'MEDIA',
        placements: 'ALL_ON_SERVICE',
        categories: 'IAB8',
      },
    },
  ],
  TARGETING_CRITERION: ['targeting_criteria.create', 'data.id'],
  PROMOTED_ACCOUNT: ['promoted_accounts.create', 'data.id'],
  STATS_JOB: ['stats_jobs.create', 'data.id_str'],
  TRACKING_TAG: ['tracking_tags.create', 'data.id'],
  WEB_EVENT_TAG: ['web_event_tags.create', 'data.id'],
  LINE_ITEM_CURATED_CATEGORY: ['line_item_curated_categories.create', 'data.id'],
  MEDIA_KEY: ['media_library.create', 'data.media_key'],
  VIDEO_KEY: [
    'media_library.create',
    'data.media_key',
    { form: { media_key: '13_1801122334455667789', media_category: 'AMPLIFY_VIDEO', name: 'Spring trailer' } },
  ],
  ACCOUNT_MEDIA: ['account_media.list', 'data.0.id'],
  CARD: ['cards.create', 'data.id'],
  CARD_URI: ['poll_cards.create', 'data.card_uri'],
  POLL_CARD: ['poll_cards.create', 'data.id'],
  VIDEO_CARD: ['video_conversation_cards.create', 'data.id'],
  IMAGE_CARD: ['image_conversation_cards.create', 'data.id'],
  DRAFT_POST: ['draft_posts.create', 'data.id'],
  SCHEDULED_POST: ['scheduled_posts.create', 'data.id'],
  POST: ['posts.create', 'data.id'],
  PROMOTED_POST: ['promoted_posts.create', 'data.0.id'],
  SCHEDULED_PROMOTED_POST: ['scheduled_promoted_posts.create', 'data.id'],
  MEDIA_CREATIVE: ['media_creatives.create', 'data.id'],
  PREROLL_CALL_TO_ACTION: ['preroll_call_to_actions.create', 'data.id'],
  AUDIENCE: ['custom_audiences.create', 'data.id'],
  OTHER_AUDIENCE: ['custom_audiences.create', 'data.id', { form: { name: 'Customers' } }],
  PERMISSION: ['custom_audience_permissions.create', 'data.id'],
  LIST: ['do_not_reach_lists.create', 'data.id'],
  UPLOAD: ['media_v2.initialize', 'data.id'],
  APPENDED: ['media_v2.append', ''],
  SHARING: ['features.add', '', { form: { feature_keys: 'SHARE_AUDIENCE_OUTSIDE_BUSINESS' } }],
  SUBSCRIPTION: ['subscriptions.create', 'data.subscription.subscription_id'],
  WEBHOOK: ['webhooks.create', 'data.id'],
  LOGIN: ['oauth.request_token', ''],
  BEARER: ['oauth2.token', 'access_token'],
  MESSAGE: ['messages.send', 'data.dm_event_id', { as: 'other', path: '/2/dm_conversations/with/$ADA/messages' }],
};

/** Variables that are a pair of another. */
export const PAIRS: Readonly<Record<string, { readonly pairs: string; readonly pick: string }>> = {
  REQUEST_TOKEN: { pairs: 'LOGIN', pick: 'oauth_token' },
  REQUEST_TOKEN_SECRET: { pairs: 'LOGIN', pick: 'oauth_token_secret' },
  CONSUMER_KEY: { pairs: 'APPLICATION', pick: 'consumer_key' },
  CONSUMER_SECRET: { pairs: 'APPLICATION', pick: 'consumer_secret' },
  PUBLISHER: { pairs: 'REGISTERED', pick: 'credential' },
  TOKEN: { pairs: 'ISSUED', pick: 'access_token' },
  TOKEN_SECRET: { pairs: 'ISSUED', pick: 'access_token_secret' },
};

/** Variables that hold what a command of the program prints. */
export const COMMANDS: Readonly<Record<string, { readonly command: readonly string[] }>> = {
  APPLICATION: {
    command: [
      ...['app', 'create', 'Throwaway $NOW', '--owner', 'ada_demo'],
      ...['--website', 'https://app.example', '--callback', 'https://app.example/back'],
    ],
  },
  REGISTERED: { command: ['publisher', 'create', 'Harbour News', '--environment', 'sandbox'] },
  ISSUED: { command: ['token', 'create', '--app', '$CONSUMER_KEY', '--user', 'ada_demo'] },
};

/** Variables whose value a person must say, with what they are asked to do. */
export const ASKED: Readonly<Record<string, { readonly ask: string }>> = {
  PIN: {
    ask: 'Open {sandbox}/oauth/authorize?oauth_token=$REQUEST_TOKEN in a browser, log in as ada_demo, and type the PIN',
  },
};

/** Variables that `dev.json` holds. */
export const KEYS: Readonly<Record<string, string>> = {
  ADA: 'user_id',
  BEN: 'other_user_id',
};

/** Variables that the clock holds. */
export const TIMES = {
  TOMORROW: { after_s: DAY_S, as: 'time' },
  NEXT_WEEK: { after_s: 7 * DAY_S, as: 'time' },
  YESTERDAY: { after_s: -DAY_S, as: 'time' },
  TWO_MINUTES_AGO: { after_s: -120, as: 'time' },
  ONE_MINUTE_AGO: { after_s: -60, as: 'time' },
  FROM_MINUTE: { after_s: -600, as: 'minute' },
  TO_MINUTE: { after_s: -300, as: 'minute' },
  NOW: { after_s: 0, as: 'milliseconds' },
} as const;

/** The variable in place of a path parameter; where operations of a group differ, by `group.parameter`. */
export const IN_PATHS: Readonly<Record<string, string>> = {
  account_id: 'ACCOUNT',
  promotable_user_id: 'PROMOTABLE_USER',
  user_id: 'ADA',
  curated_category_id: 'CURATED_CATEGORY',
  funding_instrument_id: 'FUNDING_INSTRUMENT',
  campaign_id: 'CAMPAIGN',
  job_id: 'STATS_JOB',
  line_item_id: 'LINE_ITEM',
  targeting_criterion_id: 'TARGETING_CRITERION',
  promoted_account_id: 'PROMOTED_ACCOUNT',
  tracking_tag_id: 'TRACKING_TAG',
  web_event_tag_id: 'WEB_EVENT_TAG',
  line_item_curated_category_id: 'LINE_ITEM_CURATED_CATEGORY',
  account_media_id: 'ACCOUNT_MEDIA',
  media_key: 'MEDIA_KEY',
  card_id: 'CARD',
  'poll_cards.card_id': 'POLL_CARD',
  'video_conversation_cards.card_id': 'VIDEO_CARD',
  'image_conversation_cards.card_id': 'IMAGE_CARD',
  draft_post_id: 'DRAFT_POST',
  scheduled_post_id: 'SCHEDULED_POST',
  post_id: 'POST',
  promoted_post_id: 'PROMOTED_POST',
  scheduled_promoted_post_id: 'SCHEDULED_PROMOTED_POST',
  media_creative_id: 'MEDIA_CREATIVE',
  preroll_call_to_action_id: 'PREROLL_CALL_TO_ACTION',
  custom_audience_id: 'AUDIENCE',
  custom_audience_permission_id: 'PERMISSION',
  tailored_audience_id: 'AUDIENCE',
  tailored_audience_permission_id: 'PERMISSION',
  do_not_reach_list_id: 'LIST',
  subscription_id: 'SUBSCRIPTION',
  participant_id: 'BEN',
  webhook_id: 'WEBHOOK',
  id: 'UPLOAD',
  endpoint_id: 'activity_stream',
};
