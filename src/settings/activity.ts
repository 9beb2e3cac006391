import { amount, bool } from './kinds.ts';

/**
 * Settings of the event log, subscriptions, streams and webhooks, with the limits per application.
 * @source activity 16 to 19
 */
export const activitySettings = {
  event_retention_s: amount(
    'Retention of the event log, for backfill, recovery and replay, and of direct messages.',
    86_400,
    'seconds',
    [300, 2_592_000],
  ),
  event_include_subscription_id: bool('Adds the subscription id to each event; not part of the reference.', {
    default: false,
  }),
  enable_simulator: bool(
    'Serves the event simulator at /internal/activity/events; authorized by the operator token in dev.json.',
    {
      default: false,
      default_dev: true,
      onlyIn: 'dev',
    },
  ),
  allow_bearer_private_subscriptions: bool(
    'Lets an application subscribe with its bearer token to messages of users who granted it access to them.',
    { default: false },
  ),
  application_subscriptions_max: amount('Subscriptions per application.', 1500, 'subscriptions', [0, 1_000_000]),
  application_stream_connections_max: amount('Open streams per application.', 2, 'connections', [0, 10_000]),
  application_stream_events_per_s: amount(
    'Maximum rate of a stream; further events are queued.',
    250,
    'events per second',
    [1, 1_000_000],
  ),
  application_webhooks_max: amount('Webhooks per application.', 5, 'webhooks', [0, 10_000]),
};
