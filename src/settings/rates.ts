import { integer } from './kinds.ts';

/** A number of requests. */
export const limit = (amount: number, why: string) =>
  integer(why, { default: amount, unit: 'requests', bounds: [1, 1_000_000_000] });

/** Limits of the rate windows. */
export const rateSettings = {
  rate_writes_per_min: limit(450, 'All POST, PUT and DELETE of a user token together, the costliest requests.'),
  rate_account_reads_per_15min: limit(10_000, 'Reads of campaigns and other core entities, per endpoint and account.'),
  rate_account_reads_small_per_15min: limit(2000, 'Reads of what an account has few of, per endpoint and account.'),
  rate_reads_per_15min: limit(2000, 'Other reads that name an account, per endpoint and user token.'),
  rate_global_reads_per_15min: limit(2000, 'Reads that name no account, per endpoint and user token.'),
  rate_lookups_per_15min: limit(400, 'Look-ups of what can be targeted, all of a user token together.'),
  rate_keyword_insights_per_15min: limit(500, 'Searches of what posts say, all of a user token together.'),
  rate_total_count_per_15min: limit(200, 'Reads that count all matches, which costs far more than a page.'),
  rate_revocations_per_15min: limit(75, 'Revocations of a user token; a working client needs few.'),
  rate_request_tokens_per_15min: limit(300, 'Logins that an application begins; each leaves a row behind.'),
  rate_request_tokens_per_address_15min: limit(900, 'The same per caller address, whatever application they name.'),
  rate_access_tokens_per_15min: limit(300, 'Logins that an application finishes.'),
  rate_bearer_tokens_per_15min: limit(100, 'Requests of an application for its bearer token, which it should keep.'),
  rate_bearer_revocations_per_15min: limit(25, 'Revocations of bearer tokens per application.'),
  rate_activity_streams_per_15min: limit(450, 'Streams that an application opens; a client that loses them waits.'),
  rate_connections_per_15min: limit(450, 'Lists of connections, and closing them by id, each, per application.'),
  rate_connections_all_per_15min: limit(25, 'Closing all connections of an application, or of an endpoint.'),
  rate_own_profile_per_15min: limit(75, 'Reads of who a token belongs to, per user token.'),
  rate_profiles_per_15min: limit(900, 'Reads of other users, per user token or application.'),
  rate_media_uploads_per_min: limit(450, 'Calls that upload media, of a user token together.'),
  rate_audience_uploads_per_min: limit(1500, 'Uploads of people to audiences and lists, per account.'),
  rate_subscriptions_per_15min: limit(500, 'Calls about subscriptions to events, per method and application or user.'),
  rate_profile_updates_per_15min: limit(75, 'Changes of a profile, per user token.'),
  rate_messages_per_15min: limit(900, 'Calls about direct messages, per endpoint and user token.'),
  rate_webhooks_per_15min: limit(450, 'Calls about webhooks, per method and application; some send a request of ours.'),
  rate_replays_per_15min: limit(100, 'Replays that an application asks for.'),
  rate_user_quota_per_15min: limit(1_000_000, 'The quota of a user token, high so that account limits bind first.'),
};
