import { hash } from 'node:crypto';
import { placeholderImage } from '../../../src/features/media/placeholder-image.ts';
import type { ExampleCall } from '../../../src/http/reference/worked-examples.ts';

/** What an example sends, beyond method and path, and variables whose calls come first although it does not name them. */
export interface DeclaredCall extends Partial<ExampleCall> {
  readonly needs?: readonly string[];
}

const picture = placeholderImage(8, 8);
const PICTURE = picture.toString('base64');
const PICTURE_BYTES = String(picture.length);

const PEOPLE = ['ada.park@example.com', 'ben.cole@example.com'].map((email) => ({ email: [hash('sha256', email)] }));

const CONVERSATION = {
  name: 'Spring colours',
  title: 'Which colour is spring?',
  first_cta: '#Green',
  first_cta_post: 'Spring is #Green',
  second_cta: '#Yellow',
  second_cta_post: 'Spring is #Yellow',
  thank_you_text: 'Thank you!',
  thank_you_url: 'https://example.com/spring',
};

const COMPONENTS = (title: string) => [
  { type: 'MEDIA', media_key: '3_1801122334455667788' },
  { type: 'DETAILS', title, destination: { type: 'WEBSITE', url: 'https://example.com/spring' } },
];

const STATS = {
  start_time: '2026-03-01',
  end_time: '2026-03-03',
  metric_groups: 'ENGAGEMENT,BILLING',
  placement: 'ALL_ON_SERVICE',
};

/** By operation. What is not here sends nothing, or what the declaration of the operation shows. */
export const CALLS: Readonly<Record<string, DeclaredCall>> = {
  'oauth.request_token': { keys: { token: { key: '', secret: '' } }, protocol: { oauth_callback: 'oob' } },
  'oauth.access_token': {
    keys: { token: { key: '$REQUEST_TOKEN', secret: '$REQUEST_TOKEN_SECRET' } },
    protocol: { oauth_verifier: '$PIN' },
  },
  'oauth.invalidate_token': {
    keys: {
      consumer: { key: '$CONSUMER_KEY', secret: '$CONSUMER_SECRET' },
      token: { key: '$TOKEN', secret: '$TOKEN_SECRET' },
    },
  },
  'oauth2.token': { form: { grant_type: 'client_credentials' } },
  'oauth2.invalidate_token': { form: { access_token: '$BEARER' } },
  'account.update_profile': { form: { description: 'Writes about spring.', location: 'Lisbon' } },
  'users.show': { query: { screen_name: 'ada_demo' } },
  'application.rate_limit_status': { query: { resources: 'users' } },
  'media.upload': { form: { media_data: PICTURE } },
  'media.upload_status': { query: { command: 'STATUS', media_id: '$UPLOAD' } },
  'media_v2.upload': { form: { media_data: PICTURE } },
  'media_v2.upload_status': { query: { media_id: '$UPLOAD' } },
  'media_v2.initialize': { form: { media_type: 'image/png', total_bytes: PICTURE_BYTES } },
  'media_v2.append': { form: { segment_index: '0', media_data: PICTURE } },
  'media_v2.finalize': { needs: ['APPENDED'] },
  'accounts.list': { needs: ['ACCOUNT'], query: { count: '2' } },
  'accounts.update': { form: { name: 'Spring Ltd', industry_type: 'ONLINE_SERVICES' } },
  'account_history.list': { query: { entity_type: 'CAMPAIGN', entity_id: '$CAMPAIGN' } },
  'features.add': { form: { feature_keys: 'REACH_FREQUENCY_CAP' } },
  'features.remove': { query: { feature_keys: 'AGE_TARGETING' } },
  'tax_settings.update': {
    form: {
      address_name: 'Spring Ltd',
      address_street1: '12 Meadow Lane',
      address_city: 'Lisbon',
      address_country: 'PT',
      bill_to: 'ADVERTISER',
      business_relationship: 'SELF',
    },
  },
  'user_settings.update': {
    form: { notification_email: 'ada@example.com', subscribed_email_types: 'ACCOUNT_PERFORMANCE' },
  },
  'curated_categories.list': { query: { country_codes: 'US', count: '2' } },
  'funding_instruments.create': {
    form: { type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-01-01T00:00:00Z' },
  },
  'campaigns.create': {
    form: {
      name: 'Spring launch',
      funding_instrument_id: '$FUNDING_INSTRUMENT',
      daily_budget_amount_local_micro: '140000000',
      entity_status: 'PAUSED',
    },
  },
  'campaigns.update': { form: { name: 'Summer launch', daily_budget_amount_local_micro: '150000000' } },
  'campaigns.batch': {
    json: [
      {
        operation_type: 'Create',
        params: { name: 'Autumn launch', funding_instrument_id: '$FUNDING_INSTRUMENT', entity_status: 'PAUSED' },
      },
      { operation_type: 'Update', params: { campaign_id: '$CAMPAIGN', name: 'Summer launch' } },
    ],
  },
  'line_items.create': {
    form: {
      campaign_id: '$CAMPAIGN',
      name: 'Readers',
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: 'ALL_ON_SERVICE',
      bid_strategy: 'MAX',
      bid_amount_local_micro: '2500000',
      start_time: '$TOMORROW',
      end_time: '$NEXT_WEEK',
    },
  },
  'line_items.update': { form: { bid_amount_local_micro: '3000000' } },
  'line_items.batch': {
    json: [{ operation_type: 'Update', params: { line_item_id: '$LINE_ITEM', bid_amount_local_micro: 3_000_000 } }],
  },
  'line_items.placements': { query: { product_type: 'PROMOTED_POSTS' } },
  'targeting_criteria.list': { query: { line_item_ids: '$LINE_ITEM' } },
  'targeting_criteria.create': {
    form: { line_item_id: '$LINE_ITEM', targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' },
  },
  'targeting_criteria.batch': {
    json: [
      {
        operation_type: 'Create',
        params: { line_item_id: '$LINE_ITEM', targeting_type: 'AGE', targeting_value: 'AGE_25_TO_49' },
      },
    ],
  },
  'promoted_accounts.create': { form: { line_item_id: '$FOLLOWERS_LINE_ITEM', user_id: '$ADA' } },
  'tracking_tags.create': {
    form: {
      line_item_id: '$LINE_ITEM',
      tracking_tag_type: 'IMPRESSION_TAG',
      tracking_tag_url: 'https://tracker.example.com/seen',
    },
  },
  'tracking_tags.update': { form: { tracking_tag_url: 'https://tracker.example.com/spring' } },
  'web_event_tags.create': {
    form: {
      name: 'Tickets',
      type: 'PURCHASE',
      click_window: '30',
      view_through_window: '1',
      retargeting_enabled: 'false',
    },
  },
  'web_event_tags.update': { form: { name: 'Tickets sold' } },
  'conversions.send': {
    json: {
      conversions: [
        {
          conversion_time: '$ONE_MINUTE_AGO',
          event_id: '$WEB_EVENT_TAG',
          identifiers: [{ hashed_email: 'b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72' }],
          conversion_id: 'order-1001',
          value: '29.90',
          price_currency: 'EUR',
          number_items: 2,
        },
      ],
    },
  },
  'line_item_curated_categories.create': {
    needs: ['TARGETING_CRITERION'],
    form: { line_item_id: '$LINE_ITEM', curated_category_id: '$CURATED_CATEGORY' },
  },
  'line_item_curated_categories.update': { form: { curated_category_id: '$CURATED_CATEGORY' } },
  'targeting_suggestions.list': { query: { suggestion_type: 'KEYWORD', targeting_values: 'coffee' } },
  'audience_estimate.create': {
    json: [
      { targeting_type: 'INTEREST', targeting_value: '1001' },
      { targeting_type: 'AGE', targeting_value: 'AGE_25_TO_49' },
    ],
  },
  'keyword_insights.search': { query: { granularity: 'HOUR', keywords: 'coffee', start_time: '$YESTERDAY' } },
  'stats.get': { query: { entity: 'LINE_ITEM', entity_ids: '$LINE_ITEM', granularity: 'DAY', ...STATS } },
  'active_entities.list': {
    needs: ['LINE_ITEM'],
    query: { entity: 'LINE_ITEM', start_time: '2026-03-01', end_time: '2026-03-03' },
  },
  'reach.campaigns': { query: { campaign_ids: '$CAMPAIGN', start_time: '2026-03-01', end_time: '2026-03-03' } },
  'reach.funding_instruments': {
    query: { funding_instrument_ids: '$FUNDING_INSTRUMENT', start_time: '2026-03-01', end_time: '2026-03-03' },
  },
  'stats_jobs.create': {
    form: {
      entity: 'LINE_ITEM',
      entity_ids: '$LINE_ITEM',
      granularity: 'TOTAL',
      segmentation_type: 'GENDER',
      ...STATS,
    },
  },
  'stats_jobs.list': { query: { job_ids: '$STATS_JOB' } },
  'cards.create': { json: { name: 'Spring card', components: COMPONENTS('Spring is here') } },
  'cards.update': { json: { components: COMPONENTS('Spring sale') } },
  'media_library.create': { form: { media_key: '3_1801122334455667788', name: 'Spring picture' } },
  'media_library.update': { form: { name: 'Summer picture' } },
  'account_media.list': { needs: ['VIDEO_KEY'] },
  'poll_cards.create': {
    form: { name: 'Spring poll', first_choice: 'Tulips', second_choice: 'Daffodils', duration_in_minutes: '1440' },
  },
  'video_conversation_cards.create': { form: { ...CONVERSATION, media_key: '$VIDEO_KEY' } },
  'video_conversation_cards.update': { form: { name: 'Summer colours' } },
  'image_conversation_cards.create': { form: { ...CONVERSATION, media_key: '$MEDIA_KEY' } },
  'image_conversation_cards.update': { form: { name: 'Summer colours' } },
  'cards_all.list': { query: { card_uris: '$CARD_URI' } },
  'cards_all.get': { path: '/12/accounts/$ACCOUNT/cards/all/$POLL_CARD' },
  'draft_posts.create': { form: { text: 'Spring is here.' } },
  'draft_posts.update': { form: { text: 'Spring is nearly here.' } },
  'scheduled_posts.create': { form: { text: 'Spring is here.', scheduled_at: '$TOMORROW' } },
  'scheduled_posts.update': { form: { scheduled_at: '$NEXT_WEEK' } },
  'posts.create': { form: { text: 'Spring is here.', name: 'Spring' } },
  'posts.list': { needs: ['POST'], query: { post_type: 'PUBLISHED', count: '2' } },
  'posts.name': { form: { name: 'Late spring' } },
  'post_previews.list': { query: { post_ids: '$POST', post_type: 'PUBLISHED' } },
  'promoted_posts.create': { form: { line_item_id: '$LINE_ITEM', post_ids: '$POST' } },
  'scheduled_promoted_posts.create': {
    form: { line_item_id: '$LINE_ITEM', scheduled_post_id: '$SCHEDULED_POST' },
  },
  'media_creatives.create': {
    form: {
      line_item_id: '$PREROLL_LINE_ITEM',
      account_media_id: '$ACCOUNT_MEDIA',
    },
  },
  'preroll_call_to_actions.create': {
    form: {
      line_item_id: '$PREROLL_LINE_ITEM',
      call_to_action: 'SHOP',
      call_to_action_url: 'https://example.com/spring',
    },
  },
  'preroll_call_to_actions.update': { form: { call_to_action: 'VISIT_SITE' } },
  'custom_audiences.create': { form: { name: 'Newsletter readers', description: 'Subscribed in spring.' } },
  'custom_audiences.update': { form: { description: 'Subscribed in spring and summer.' } },
  'custom_audiences.batch': {
    json: [
      {
        operation_type: 'Create',
        params: {
          name: 'Readers without customers',
          audience_type: 'FLEXIBLE',
          segments: {
            boolean_operator: 'AND',
            child_segments: [
              { custom_audience_id: '$AUDIENCE' },
              { custom_audience_id: '$OTHER_AUDIENCE', negate: true },
            ],
          },
        },
      },
    ],
  },
  'custom_audiences.users': { json: [{ operation_type: 'Update', params: { users: PEOPLE } }] },
  'custom_audience_permissions.create': {
    needs: ['SHARING'],
    form: { granted_account_id: '$OTHER_ACCOUNT', permission_level: 'READ_ONLY' },
  },
  'tailored_audience_permissions.create': {
    needs: ['SHARING'],
    form: { granted_account_id: '$OTHER_ACCOUNT', permission_level: 'READ_ONLY' },
  },
  'do_not_reach_lists.create': { form: { description: 'People who asked not to be reached.' } },
  'do_not_reach_lists.users': { json: [{ operation_type: 'Update', params: { users: PEOPLE } }] },
  'subscriptions.create': {
    json: { event_type: 'spaces.start', filter: { keyword: 'jazz $NOW' }, tag: 'late jazz' },
  },
  'subscriptions.update': { json: { tag: 'early jazz' } },
  'subscriptions.remove_many': { query: { ids: '$SUBSCRIPTION' } },
  'activity.stream': { query: { start_time: '$TWO_MINUTES_AGO', end_time: '$ONE_MINUTE_AGO' } },
  'delivery.decisions': {
    json: {
      placements: [{ id: 'front page', type: 'SERVICE_TIMELINE', count: 2 }],
      user: { key: 'reader 17' },
      context: { country: 'NL', language: 'nl', keywords: ['harbour', 'ships'] },
    },
  },
  'connections.close': { json: { uuids: ['6f1c5a0e-9f0b-4c39-8d0e-1f2a3b4c5d6e'] } },
  'messages.send': { app: 'messages', json: { text: 'Have you seen the first tulips?' } },
  'messages.indicate_typing': { app: 'messages', form: { recipient_id: '$BEN' } },
  'messages.mark_read': {
    app: 'messages',
    form: { recipient_id: '$BEN', last_read_event_id: '$MESSAGE' },
  },
  'webhooks.create': { json: { url: 'http://127.0.0.1:9912/in?n=$NOW' } },
  'webhooks.list': { needs: ['WEBHOOK'] },
  'webhooks.replay': { json: { webhook_id: '$WEBHOOK', from_date: '$FROM_MINUTE', to_date: '$TO_MINUTE' } },
  'account_activity.replay': { query: { from_date: '$FROM_MINUTE', to_date: '$TO_MINUTE' } },
};
