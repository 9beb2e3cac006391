/** A table of endpoints in one of the two reference documents. */
export interface ReferenceTable {
  readonly document: 'Authentication' | 'Advertising';
  readonly table: string;
  /** `METHOD /path` as the document writes it, with the version prefix. */
  readonly endpoints: readonly string[];
}

/** Every endpoint of the two documents, by its table. Pages are listed separately: they are not operations. */
export const REFERENCE_TABLES: readonly ReferenceTable[] = [
  {
    document: 'Authentication',
    table: 'Endpoints',
    endpoints: [
      'POST /oauth/request_token',
      'GET /oauth/authorize',
      'GET /oauth/authenticate',
      'POST /oauth/access_token',
      'POST /1.1/oauth/invalidate_token',
      'POST /oauth2/token',
      'POST /oauth2/invalidate_token',
    ],
  },
  {
    document: 'Advertising',
    table: 'Accounts',
    endpoints: [
      'GET /12/accounts',
      'GET /12/accounts/:account_id',
      'POST /12/accounts',
      'PUT /12/accounts/:account_id',
      'DELETE /12/accounts/:account_id',
      'GET /12/accounts/:account_id/account_apps',
      'GET /12/accounts/:account_id/account_history',
      'GET /12/accounts/:account_id/authenticated_user_access',
      'GET /12/accounts/:account_id/features',
      'POST /12/accounts/:account_id/features',
      'DELETE /12/accounts/:account_id/features',
    ],
  },
  {
    document: 'Advertising',
    table: 'Reference data',
    endpoints: [
      'GET /12/bidding_rules',
      'GET /12/content_categories',
      'GET /12/advertiser_business_categories',
      'GET /12/iab_categories',
      'GET /12/accounts/:account_id/curated_categories',
      'GET /12/accounts/:account_id/curated_categories/:curated_category_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Funding instruments',
    endpoints: [
      'GET /12/accounts/:account_id/funding_instruments',
      'GET /12/accounts/:account_id/funding_instruments/:funding_instrument_id',
      'POST /12/accounts/:account_id/funding_instruments',
      'DELETE /12/accounts/:account_id/funding_instruments/:funding_instrument_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Campaigns',
    endpoints: [
      'GET /12/accounts/:account_id/campaigns',
      'GET /12/accounts/:account_id/campaigns/:campaign_id',
      'POST /12/accounts/:account_id/campaigns',
      'POST /12/batch/accounts/:account_id/campaigns',
      'PUT /12/accounts/:account_id/campaigns/:campaign_id',
      'DELETE /12/accounts/:account_id/campaigns/:campaign_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Line items',
    endpoints: [
      'GET /12/accounts/:account_id/line_items',
      'GET /12/accounts/:account_id/line_items/:line_item_id',
      'POST /12/accounts/:account_id/line_items',
      'POST /12/batch/accounts/:account_id/line_items',
      'PUT /12/accounts/:account_id/line_items/:line_item_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Audience estimate and targeting',
    endpoints: ['POST /12/accounts/:account_id/audience_estimate', 'GET /12/insights/keywords/search'],
  },
  {
    document: 'Advertising',
    table: 'Account media',
    endpoints: [
      'GET /12/accounts/:account_id/account_media',
      'GET /12/accounts/:account_id/account_media/:account_media_id',
      'DELETE /12/accounts/:account_id/account_media/:account_media_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Component-based cards',
    endpoints: [
      'GET /12/accounts/:account_id/cards',
      'GET /12/accounts/:account_id/cards/:card_id',
      'POST /12/accounts/:account_id/cards',
      'PUT /12/accounts/:account_id/cards/:card_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Media library',
    endpoints: [
      'PUT /12/accounts/:account_id/media_library/:media_key',
      'DELETE /12/accounts/:account_id/media_library/:media_key',
    ],
  },
  {
    document: 'Advertising',
    table: 'Poll cards',
    endpoints: [
      'GET /12/accounts/:account_id/cards/poll',
      'GET /12/accounts/:account_id/cards/poll/:card_id',
      'POST /12/accounts/:account_id/cards/poll',
      'DELETE /12/accounts/:account_id/cards/poll/:card_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Video conversation cards',
    endpoints: [
      'POST /12/accounts/:account_id/cards/video_conversation',
      'PUT /12/accounts/:account_id/cards/video_conversation/:card_id',
      'DELETE /12/accounts/:account_id/cards/video_conversation/:card_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Image conversation cards',
    endpoints: ['GET /12/accounts/:account_id/cards/image_conversation'],
  },
  {
    document: 'Advertising',
    table: 'Draft posts',
    endpoints: [
      'PUT /12/accounts/:account_id/draft_posts/:draft_post_id',
      'DELETE /12/accounts/:account_id/draft_posts/:draft_post_id',
      'POST /12/accounts/:account_id/draft_posts/preview/:draft_post_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Preroll calls to action',
    endpoints: [
      'GET /12/accounts/:account_id/preroll_call_to_actions',
      'GET /12/accounts/:account_id/preroll_call_to_actions/:preroll_call_to_action_id',
      'POST /12/accounts/:account_id/preroll_call_to_actions',
    ],
  },
  {
    document: 'Advertising',
    table: 'Custom audiences',
    endpoints: [
      'POST /12/accounts/:account_id/custom_audiences',
      'PUT /12/accounts/:account_id/custom_audiences/:custom_audience_id',
      'POST /12/batch/accounts/:account_id/custom_audiences',
      'POST /12/accounts/:account_id/custom_audiences/:custom_audience_id/users',
      'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/targeted',
    ],
  },
  {
    document: 'Advertising',
    table: 'Audience sharing permissions',
    endpoints: [
      'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions',
      'POST /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions',
      'DELETE /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions/:custom_audience_permission_id',
      'GET /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions',
      'POST /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions',
      'DELETE /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions/:tailored_audience_permission_id',
    ],
  },
  {
    document: 'Advertising',
    table: 'Endpoints with incomplete detail',
    endpoints: [
      'GET /12/accounts/:account_id/media_library',
      'GET /12/accounts/:account_id/media_library/:media_key',
      'POST /12/accounts/:account_id/media_library',
      'GET /12/accounts/:account_id/cards/image_conversation/:card_id',
      'POST /12/accounts/:account_id/cards/image_conversation',
      'PUT /12/accounts/:account_id/cards/image_conversation/:card_id',
      'DELETE /12/accounts/:account_id/cards/image_conversation/:card_id',
      'DELETE /12/accounts/:account_id/cards/:card_id',
      'GET /12/accounts/:account_id/custom_audiences',
      'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id',
      'DELETE /12/accounts/:account_id/custom_audiences/:custom_audience_id',
      'GET /12/accounts/:account_id/targeting_criteria',
      'GET /12/publishers',
    ],
  },
  {
    document: 'Advertising',
    table: 'Events and versioning',
    endpoints: [
      'GET /2/activity/stream',
      'POST /2/activity/subscriptions',
      'POST /2/webhooks/replay',
      'POST /2/account_activity/replay/webhooks/:webhook_id/subscriptions/all',
    ],
  },
];

/** The documented endpoints that are pages for people. */
export const PAGES: readonly string[] = ['GET /oauth/authorize', 'GET /oauth/authenticate'];
