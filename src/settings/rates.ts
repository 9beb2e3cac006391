import { amount } from './kinds.ts';

/** A limit, as a number of requests. */
export const limit = (requests: number, why: string) => amount(why, requests, 'requests', [1, 1_000_000_000]);

/** Limits of the rate windows, whose table is `RATES` in `src/contract/declare/rates.ts`. */
export const rateSettings = {
  rate_writes_per_min: limit(450, 'All POST, PUT and DELETE of a user token together, the costliest requests.'),
  rate_account_reads_per_15min: limit(10_000, 'Reads of campaigns and other core entities, per endpoint and account.'),
  rate_account_reads_small_per_15min: limit(
    2000,
    'Reads of resources of which an account has few, per endpoint and account.',
  ),
  rate_reads_per_15min: limit(2000, 'Other reads that name an account, per endpoint and user token.'),
  rate_global_reads_per_15min: limit(2000, 'Reads that name no account, per endpoint and user token.'),
  rate_lookups_per_15min: limit(400, 'Targeting look-ups, all of a user token together.'),
  rate_keyword_insights_per_15min: limit(500, 'Keyword insights, all calls of a user token together.'),
  rate_analytics_sync_per_15min: limit(
    250,
    'Statistics that are answered at once, active entities and reach, all calls of a user token together.',
  ),
  rate_total_count_per_15min: limit(200, 'Reads with `with_total_count`, which cost far more than a page.'),
  rate_revocations_per_15min: limit(75, 'Revocations of a user token; a working client needs few.'),
  rate_request_tokens_per_15min: limit(300, 'Request tokens per application: logins that it starts.'),
  rate_request_tokens_per_address_15min: limit(900, 'Request tokens per client address, over all applications.'),
  rate_access_tokens_per_15min: limit(300, 'Access tokens per application: logins that it completes.'),
  rate_bearer_tokens_per_15min: limit(100, 'Requests of an application for its bearer token, which it should cache.'),
  rate_bearer_revocations_per_15min: limit(25, 'Revocations of bearer tokens per application.'),
  rate_activity_streams_per_15min: limit(
    450,
    'Streams opened per application; clients should back off before they reconnect.',
  ),
  rate_connections_per_15min: limit(450, 'Listing connections and closing one by id, each per application.'),
  rate_connections_all_per_15min: limit(25, 'Closing all connections of an application, or of an endpoint.'),
  rate_own_profile_per_15min: limit(75, 'Reads of the authenticated user, per user token.'),
  rate_profiles_per_15min: limit(900, 'Reads of other users, per user token or application.'),
  rate_media_uploads_per_min: limit(450, 'Calls that upload media, of a user token together.'),
  rate_audience_uploads_per_min: limit(1500, 'Uploads of people to audiences and lists, per account.'),
  rate_conversions_per_15min: limit(60_000, 'Calls that report conversions, per account; each can have 500 of them.'),
  rate_subscriptions_per_15min: limit(500, 'Calls about subscriptions to events, per method and application or user.'),
  rate_profile_updates_per_15min: limit(75, 'Changes of a profile, per user token.'),
  rate_messages_per_15min: limit(900, 'Calls about direct messages, per endpoint and user token.'),
  rate_webhooks_per_15min: limit(
    450,
    'Calls about webhooks, per method and application; some of them send a request to the webhook.',
  ),
  rate_replays_per_15min: limit(100, 'Replays requested per application.'),
  rate_decisions_per_min: limit(60_000, 'Decisions of a publisher: requests for ads.'),
  rate_user_quota_per_15min: limit(
    1_000_000,
    'The overall quota of a user token; high, so that account limits apply first.',
  ),
};
