// Made by `npm run generate` from the migrations and the declarations. Do not edit.
import type { Generated } from 'kysely';

/** Every table: the type of each column, null where the column may be. `Generated` columns have a default. */
export interface Schema {
  access_tokens: {
    id: string; token: string; token_secret: string; application_id: string; user_id: string; access_level: string;
    created_at: string; revoked_at: string | null; last_used_at: string | null;
  };
  account_apps: {
    account_id: string; id: string; store_identifier: string; os_type: 'Android' | 'iOS';
    conversion_tracking_enabled: 0 | 1; deep_link_pattern: string | null; one_key: string | null; created_at: string;
    updated_at: string; deleted: 0 | 1;
  };
  account_changes: {
    account_id: string; id: string; entity: string; entity_id: string; change_type: string; change_time: string;
    user_id: string; platform: string; changes: string; entity_data: string;
  };
  account_features: {
    account_id: string; feature_key: string;
  };
  account_media: {
    account_id: string; id: string;
    creative_type: 'BANNER' | 'BANNER_TABLET' | 'INTERSTITIAL' | 'INTERSTITIAL_LANDSCAPE' | 'INTERSTITIAL_LANDSCAPE_TABLET' | 'INTERSTITIAL_TABLET' | 'MEDIUM_RECTANGLE' | 'PREROLL' | 'VAST_PREROLL';
    media_key: string; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  account_users: {
    account_id: string; user_id: string; role: string; post_composer: number;
  };
  accounts: {
    id: string; environment: string; name: string; name_folded: string; business_name: string | null;
    business_id: string | null; timezone: string; timezone_switch_at: string | null;
    industry_type: 'AGENCY' | 'BUSINESS_TO_BUSINESS' | 'ONLINE_SERVICES' | 'EDUCATION' | 'FINANCIAL' | 'HEALTH' | 'GOVERNMENT' | 'MEDIA' | 'MOBILE' | 'RESTAURANT' | 'RETAIL' | 'TECHNOLOGY' | 'TRAVEL' | 'OTHER' | null;
    approval_status: 'ACCEPTED' | 'UNDER_REVIEW' | 'REJECTED'; limits: string; created_at: string; updated_at: string;
    deleted: 0 | 1;
  };
  application_limits: {
    application_id: string; name: string; value: number;
  };
  application_usage: {
    application_id: string; hour: string; operation: string; status: number; problem: string; calls: number;
  };
  applications: {
    id: string; owner_user_id: string; name: string; access_level: string; consumer_key: string;
    consumer_secret: string; callbacks: string; sign_in: number; suspended: number; demo: number; created_at: string;
    description: Generated<string>; website_url: Generated<string>; terms_url: Generated<string>;
    privacy_url: Generated<string>; organization_name: Generated<string>; organization_url: Generated<string>;
    native: Generated<number>; extra_query: Generated<number>; email_access: Generated<number>;
  };
  audience_leaves: {
    flexible_id: string; leaf_id: string;
  };
  audience_logs: {
    subject: string; uploads: number; accepted_at: number;
  };
  audience_payloads: {
    subject: string; payload_key: string; payload: Uint8Array;
  };
  audience_permissions: {
    account_id: string; id: string; audience_id: string; granted_account_id: string;
    permission_level: 'READ_ONLY' | 'READ_WRITE'; one_key: string | null; created_at: string; updated_at: string;
    deleted: 0 | 1;
  };
  audience_uploads: {
    subject: string; number: number; accepted_at: number; records: number; bytes: number; payload_key: string;
  };
  audit_events: {
    at: string; id: string; event: string; outcome: string; actor: string | null; sudo_user: string | null;
    origin: string; transaction_id: string | null; command: string | null; targets: string;
  };
  bearer_tokens: {
    id: string; application_id: string; token_hash: string; token: string; outstanding: number | null;
    created_at: string; revoked_at: string | null;
  };
  cache_changes: {
    xid: number; tag: string; origin: string; oldest_xid: number; changed_at_ms: number;
  };
  campaigns: {
    account_id: string; id: string; name: string; name_folded: string; funding_instrument_id: string;
    budget_optimization: 'CAMPAIGN' | 'LINE_ITEM'; daily_budget_amount_local_micro: number | null;
    total_budget_amount_local_micro: number | null; entity_status: 'ACTIVE' | 'PAUSED' | 'DRAFT';
    standard_delivery: 0 | 1 | null; purchase_order_number: string | null; created_at: string; updated_at: string;
    deleted: 0 | 1; line_items_summary: string | null; spent_local_micro: Generated<number>;
  };
  cards: {
    account_id: string; id: string; name: string; name_folded: string; card_uri: string; card_type: string;
    components: string | null; slides: string | null; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  click_conversions: {
    account_id: string; web_event_tag_id: string; click: string; events: number; value_micro: number;
    clicked_at: string;
  };
  corpus_imports: {
    source: string; done: number;
  };
  corpus_pages: {
    number: number; day: number; posts: number; bytes: number; ids: Uint8Array; payload: Uint8Array;
  };
  corpus_state: {
    name: string; pages: number; mark: string;
  };
  counted_clicks: {
    account_id: string; click: string; clicked_at: string;
  };
  counted_conversions: {
    account_id: string; web_event_tag_id: string; conversion_id: string; converted_at: string;
  };
  custom_audiences: {
    account_id: string; id: string; name: string; name_folded: string; name_trimmed: string; description: string | null;
    audience_type: 'CRM' | 'FLEXIBLE' | 'MOBILE_AUDIENCE'; segments: string | null; is_processing: 0 | 1;
    is_targetable: 0 | 1; size: number | null; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  delivery_audiences: {
    account_id: string; subject: string; applies_from: string; people: number; shares: string; question_hash: string;
    directory_mark: string;
  };
  delivery_beacons: {
    account_id: string; nonce: string; viewed_ms: number; clicked_ms: number | null; expires_ms: number;
  };
  delivery_changes: {
    account_id: string; recorded_hour: string; line_item_id: string; creative_id: string; placement: string;
    applies_from: string; applies_until: string;
  };
  delivery_cursors: {
    account_id: string; settled_until: string; seed: string; knobs: string | null; plan: string | null;
  };
  delivery_days: {
    account_id: string; line_item_id: string; day: string; creative_id: string; placement: string; hours: Uint8Array;
    impressions: number; billed: number; spend_local_micro: number; settled_until: string; changed_at: string;
    engagements: number | null; clicks: number | null; video_total_views: number | null;
  };
  delivery_leases: {
    account_id: string; budget: string; node: string; amount_local_micro: number;
  };
  delivery_segments: {
    account_id: string; line_item_id: string; day: string; creative_id: string; placement: string; segmentation: string;
    value: string; hours: Uint8Array;
  };
  delivery_touches: {
    account_id: string; person: string; touched_at: string; kind: string; line_item_id: string; creative_id: string;
    placement: string; platform: string;
  };
  delivery_views: {
    account_id: string; person: string; line_item_id: string; day: string; impressions: number;
  };
  derived_files: {
    owner: string; name: string; object_key: string; version: string; bytes: number; sha256: string;
  };
  directory_imports: {
    source: string; done: number;
  };
  directory_state: {
    name: string; version: number; mark: string; people: number; next_number: number;
  };
  directory_users: {
    number: number; user_id: string; country: string | null; region: string | null; metro: string | null;
    city: string | null; postal_code: string | null; language: string | null; gender: string | null;
    platform: string | null; platform_version: string | null; device: string | null; network_operator: string | null;
    wifi: string | null; age: number | null; activated_at: number | null; interests: string; follows: string;
    store_categories: string; engagements: string; last_active_at: number; identifiers: Uint8Array;
  };
  do_not_reach_lists: {
    account_id: string; id: string; description: string | null; is_processing: 0 | 1; is_targetable: 0 | 1;
    size: number | null; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  draft_posts: {
    account_id: string; id: string; name: string | null; name_folded: string | null; text: string | null;
    user_id: string; nullcast: 0 | 1; starts_with_mention: 0 | 1; card_uri: string | null; media_keys: string;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  event_outbox: {
    id: number; place: number; event_type: string; user_id: string; direction: string | null; text: string | null;
    payload: string; created_at: string;
  };
  events: {
    position: number; event_type: string; user_id: string; direction: string | null; text: string | null;
    payload: string; created_at: string;
  };
  forgotten_nonces: {
    id: string; until_s: number;
  };
  funding_instruments: {
    account_id: string; id: string;
    type: 'AGENCY_CREDIT_LINE' | 'CREDIT_CARD' | 'CREDIT_LINE' | 'INSERTION_ORDER' | 'PARTNER_MANAGED';
    description: string; currency: string; start_time: string; end_time: string | null;
    credit_limit_local_micro: number | null; funded_amount_local_micro: number | null; io_header: string | null;
    entity_status: 'ACTIVE' | 'PAUSED'; created_at: string; updated_at: string; deleted: 0 | 1;
    spent_local_micro: Generated<number>;
  };
  image_conversation_cards: {
    account_id: string; id: string; name: string; name_folded: string; card_uri: string; title: string | null;
    first_cta: string | null; second_cta: string | null; third_cta: string | null; fourth_cta: string | null;
    first_cta_post: string; second_cta_post: string | null; third_cta_post: string | null;
    fourth_cta_post: string | null; thank_you_text: string; thank_you_url: string | null; media_key: string;
    unlocked_image_media_key: string | null; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  jobs: {
    kind: string; key: string; run_at: string; lease: string | null; leased_until: string | null; attempts: number;
    node: string | null;
  };
  keyword_index: {
    name: string; revision: number; manifest: string;
  };
  line_item_curated_categories: {
    account_id: string; id: string; line_item_id: string; curated_category_id: string; created_at: string;
    updated_at: string; deleted: 0 | 1;
  };
  line_items: {
    account_id: string; id: string; campaign_id: string; name: string | null; name_folded: string | null;
    objective: 'APP_ENGAGEMENTS' | 'APP_INSTALLS' | 'ENGAGEMENTS' | 'FOLLOWERS' | 'PREROLL_VIEWS' | 'REACH' | 'VIDEO_VIEWS' | 'WEBSITE_CLICKS';
    product_type: 'PROMOTED_ACCOUNT' | 'PROMOTED_POSTS' | 'MEDIA'; placements: string;
    entity_status: 'ACTIVE' | 'PAUSED' | 'DRAFT'; start_time: string | null; end_time: string | null;
    bid_strategy: 'AUTO' | 'MAX' | 'TARGET'; bid_amount_local_micro: number | null;
    goal: 'APP_CLICKS' | 'APP_INSTALLS' | 'APP_PURCHASES' | 'ENGAGEMENT' | 'FOLLOWERS' | 'LINK_CLICKS' | 'MAX_REACH' | 'PREROLL' | 'PREROLL_STARTS' | 'REACH_WITH_ENGAGEMENT' | 'SITE_VISITS' | 'VIDEO_VIEW' | 'VIEW_3S_100PCT' | 'VIEW_6S' | 'VIEW_15S' | 'WEBSITE_CONVERSIONS';
    pay_by: 'APP_CLICK' | 'APP_INSTALL' | 'ENGAGEMENT' | 'FOLLOW' | 'IMPRESSION' | 'LINK_CLICK' | 'VIEW' | 'VIEW_3S_100PCT';
    daily_budget_amount_local_micro: number | null; total_budget_amount_local_micro: number | null;
    standard_delivery: 0 | 1 | null; frequency_cap: number | null; duration_in_days: number | null;
    audience_expansion: 'DEFINED' | 'EXPANDED' | 'BROAD' | null; advertiser_domain: string | null; categories: string;
    primary_web_event_tag: string | null; android_store_identifier: string | null; ios_store_identifier: string | null;
    advertiser_user_id: string | null; creative_source: 'MANUAL'; funding_instrument_id: string; currency: string;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  login_tallies: {
    id: string; failures: number; since_s: number; locked_until_s: number; locks: number; ends_s: number;
  };
  media_creatives: {
    account_id: string; id: string; line_item_id: string; account_media_id: string; campaign_id: string;
    creative_type: 'BANNER' | 'BANNER_TABLET' | 'INTERSTITIAL' | 'INTERSTITIAL_LANDSCAPE' | 'INTERSTITIAL_LANDSCAPE_TABLET' | 'INTERSTITIAL_TABLET' | 'MEDIUM_RECTANGLE' | 'PREROLL' | 'VAST_PREROLL';
    landing_url: string | null; entity_status: 'ACTIVE' | 'PAUSED';
    approval_status: 'ACCEPTED' | 'UNDER_REVIEW' | 'REJECTED'; one_key: string | null; created_at: string;
    updated_at: string; deleted: 0 | 1;
  };
  media_library: {
    account_id: string; id: string; media_category: 'POST_IMAGE' | 'POST_VIDEO' | 'AMPLIFY_VIDEO' | 'POST_GIF';
    media_type: 'GIF' | 'IMAGE' | 'VIDEO'; name: string | null; file_name: string | null; title: string | null;
    description: string | null; poster_media_key: string | null; posted: 0 | 1; terms: string | null;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  message_reads: {
    conversation_id: string; user_id: string; last_read_id: string;
  };
  messages: {
    id: string; conversation_id: string; sender_id: string; recipient_id: string; text: string; created_at: string;
    created_ms: number;
  };
  nodes: {
    id: string; hostname: string; version: string; started_at: string; heartbeat_at: string; process: Generated<string>;
    master_keys: Generated<string>; roles: Generated<string>; shared_server: Generated<string>;
    schema_level: Generated<string>;
  };
  notifications: {
    id: string; environment: string; user_id: string; kind: string; account_id: string; subject_id: string;
    created_at: string;
  };
  object_stores: {
    row: number; id: string;
  };
  operator_links: {
    id_hash: string; operator: string; expires_at: string;
  };
  operator_sessions: {
    id_hash: string; operator: string; form_token: string; created_at: string; last_seen_at: string; browser: string;
    address: string;
  };
  password_links: {
    id_hash: string; user_id: string; expires_at: string;
  };
  poll_cards: {
    account_id: string; id: string; name: string; name_folded: string; card_uri: string;
    card_type: 'TEXT_POLLS' | 'IMAGE_POLLS' | 'VIDEO_POLLS'; first_choice: string; second_choice: string;
    third_choice: string | null; fourth_choice: string | null; duration_in_minutes: number; media_key: string | null;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  posts: {
    id: string; environment: string; account_id: string | null; name: string | null; name_folded: string | null;
    text: string | null; user_id: string; nullcast: number; starts_with_mention: number; card_uri: string | null;
    media_keys: string; contributor_id: string | null; conversation_settings: string; video_title: string | null;
    video_description: string | null; video_cta: string | null; video_cta_value: string | null;
    repost_of: string | null; lang: string; created_at: string; stored_in: Generated<number>;
  };
  preroll_call_to_actions: {
    account_id: string; id: string; line_item_id: string;
    call_to_action: 'GO_TO' | 'SEE_MORE' | 'SHOP' | 'VISIT_SITE' | 'WATCH_NOW'; call_to_action_url: string;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  promotable_users: {
    account_id: string; id: string; user_id: string; promotable_user_type: 'FULL' | 'REPOSTS_ONLY'; created_at: string;
    updated_at: string; deleted: 0 | 1;
  };
  promoted_accounts: {
    account_id: string; id: string; line_item_id: string; user_id: string; entity_status: 'ACTIVE' | 'PAUSED';
    approval_status: 'ACCEPTED' | 'UNDER_REVIEW' | 'REJECTED'; one_key: string | null; created_at: string;
    updated_at: string; deleted: 0 | 1;
  };
  promoted_posts: {
    account_id: string; id: string; line_item_id: string; post_id: string; entity_status: 'ACTIVE' | 'PAUSED';
    approval_status: 'ACCEPTED' | 'UNDER_REVIEW' | 'REJECTED'; one_key: string | null; created_at: string;
    updated_at: string; deleted: 0 | 1;
  };
  publishers: {
    id: string; environment: string; name: string; owner_user_id: string | null; secret_digest: string;
    may_explain: number; created_at: string; rotated_at: string | null; disabled_at: string | null;
  };
  recovery_codes: {
    user_id: string; code_hash: string;
  };
  replays: {
    id: string; webhook_id: string; application_id: string; state: string; position: number; last_position: number;
    delivered: number; failed: number; created_at: string; ended_at: string | null;
  };
  request_tokens: {
    id: string; token: string; token_secret: string; application_id: string; callback: string; access_level: string;
    state: string; user_id: string | null; verifier_hash: string | null; attempts: number; address: string;
    created_at: string; expires_at: string; made_token_id: string | null; force_login: Generated<number>;
  };
  restores: {
    restored_at: string; backup_made_at: string; requests_not_before: number;
  };
  scheduled_posts: {
    account_id: string; id: string; name: string | null; name_folded: string | null; text: string | null;
    user_id: string; nullcast: 0 | 1; starts_with_mention: 0 | 1; card_uri: string | null; media_keys: string;
    scheduled_at: string; scheduled_status: 'SCHEDULED' | 'SUCCESS' | 'FAILED' | 'DELETED'; completed_at: string | null;
    post_id: string | null; scheduled_by: string; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  scheduled_promoted_posts: {
    account_id: string; id: string; line_item_id: string; scheduled_post_id: string; post_id: string | null;
    approval_status: 'ACCEPTED' | 'REJECTED'; one_key: string | null; created_at: string; updated_at: string;
    deleted: 0 | 1;
  };
  schema_steps: {
    name: string; applied_at: string; servers_from: Generated<string>;
  };
  second_factors: {
    user_id: string; secret: string; last_step: number; created_at: string;
  };
  sent_forms: {
    id_hash: string; sent_at: string; answer: string | null;
  };
  sequences: {
    name: string; next: number;
  };
  server_claim: {
    id: number; token: string; process: string; released: number;
  };
  sessions: {
    id_hash: string; user_id: string | null; form_token: string; created_at: string; last_seen_at: string;
    authenticated_at: string | null; login_for: string | null; browser: Generated<string>; address: Generated<string>;
  };
  stats_jobs: {
    account_id: string; id: string; status: string; entity: string; entity_ids: string; start_time: string;
    end_time: string; granularity: string; placement: string; metric_groups: string; segmentation_type: string | null;
    country: string | null; platform: string | null; file_name: string | null; object_key: string | null;
    expires_at: string | null; created_at: string; updated_at: string;
  };
  stream_connections: {
    id: string; application_id: string; endpoint_name: string; client_ip: string; connected_at: string;
    disconnected_at: string | null; disconnect_reason: string | null; node: string | null;
  };
  subscriptions: {
    id: string; application_id: string; user_id: string | null; event_type: string; filter: string;
    filter_user_id: string | null; filter_keyword: string | null; filter_direction: string | null; tag: string | null;
    webhook_id: string | null; sense: string; since_position: number; created_at: string; updated_at: string;
  };
  targeting_criteria: {
    account_id: string; id: string; line_item_id: string; targeting_type: string; targeting_value: string;
    operator_type: 'EQ' | 'NE' | 'GTE' | 'LT'; one_key: string | null; created_at: string; updated_at: string;
    deleted: 0 | 1;
  };
  tax_settings: {
    account_id: string; id: string; created_at: string; updated_at: string; deleted: number;
    address_city: string | null; address_country: string | null; address_email: string | null;
    address_first_name: string | null; address_last_name: string | null; address_name: string | null;
    address_postal_code: string | null; address_region: string | null; address_street1: string | null;
    address_street2: string | null; client_address_city: string | null; client_address_country: string | null;
    client_address_email: string | null; client_address_first_name: string | null;
    client_address_last_name: string | null; client_address_name: string | null;
    client_address_postal_code: string | null; client_address_region: string | null;
    client_address_street1: string | null; client_address_street2: string | null; business_relationship: string | null;
    tax_category: string | null; tax_exemption_id: string | null; tax_id: string | null; bill_to: string;
    invoice_jurisdiction: string;
  };
  tracking_tags: {
    account_id: string; id: string; line_item_id: string; tracking_tag_type: 'IMPRESSION_TAG' | 'CLICK_TRACKER';
    tracking_tag_url: string; created_at: string; updated_at: string; deleted: 0 | 1;
  };
  unused_objects: {
    object_key: string; remove_at: string;
  };
  upload_segments: {
    upload_id: string; segment_index: number; object_key: string; bytes: number; sha256: string | null;
  };
  uploads: {
    id: string; user_id: string; category: string; media_type: string; state: string; mime: string; bytes: number;
    width: number | null; height: number | null; duration_ms: number | null; codec: string | null; file_name: string;
    additional_owners: string; fault: string | null; is_categorized: number; created_at: string; changed_at: string;
    expires_at: string | null; poster_mime: string | null; object_key: string | null; poster_key: string | null;
  };
  used_nonces: {
    timestamp_s: number; digest: string;
  };
  user_settings: {
    account_id: string; id: string; created_at: string; updated_at: string; deleted: number;
    notification_email: string | null; contact_phone: string | null; contact_phone_extension: string | null;
    subscribed_email_types: string;
  };
  users: {
    id: string; screen_name: string; screen_name_folded: string; name: string; password_hash: string; suspended: number;
    created_at: string; email: string | null; locked: Generated<number>; description: Generated<string>;
    location: Generated<string>; url: string | null; verified_type: Generated<string>; affiliate_id: string | null;
    password_changed_at: string | null;
  };
  verified_backup: {
    row: number; verified_at: string;
  };
  video_conversation_cards: {
    account_id: string; id: string; name: string; name_folded: string; card_uri: string; title: string | null;
    first_cta: string | null; second_cta: string | null; third_cta: string | null; fourth_cta: string | null;
    first_cta_post: string; second_cta_post: string | null; third_cta_post: string | null;
    fourth_cta_post: string | null; thank_you_text: string; thank_you_url: string | null; media_key: string;
    unlocked_image_media_key: string | null; poster_media_key: string | null; unlocked_video_media_key: string | null;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  waiting_conversions: {
    account_id: string; id: string; conversion: string; reported_by: string; reported_at: string;
  };
  web_event_tags: {
    account_id: string; id: string; name: string;
    type: 'PURCHASE' | 'SIGN_UP' | 'SITE_VISIT' | 'DOWNLOAD' | 'CUSTOM' | 'ADD_TO_CART' | 'CHECKOUT_INITIATED' | 'CONTENT_VIEW' | 'PAYMENT_INFO' | 'ADD_TO_WISHLIST' | 'SEARCH' | 'LANDING_PAGE_VIEW' | 'SUBSCRIPTION';
    click_window: number; view_through_window: number; retargeting_enabled: 0 | 1; last_tracked_at: string | null;
    created_at: string; updated_at: string; deleted: 0 | 1;
  };
  webhook_deliveries: {
    webhook_id: string; position: number; message_id: string; subscription_id: string; event_type: string; body: string;
    state: string; tries: string; tries_before: number; next_at: string | null; created_at: string;
  };
  webhooks: {
    id: string; application_id: string; url: string; url_form: string; valid: number; created_at: string;
    validated_at: string; failing_since: string | null; failure: string | null; secret: string;
    former_secret: string | null; former_until: string | null; node: string | null; leased_until: string | null;
    fencing_number: Generated<number>; settled_position: Generated<number>;
  };
}
