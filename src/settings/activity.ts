import { bool, integer } from './kinds.ts';

/**
 * Settings of the event log, subscriptions, streams and webhooks, with the limits per application.
 * @source activity gaps 16 to 19
 */
export const activitySettings = {
  event_retention_s: integer('Retention of the event log, for backfill, recovery and replay, and of direct messages.', {
    default: 86_400,
    unit: 'seconds',
    bounds: [300, 2_592_000],
  }),
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
  application_subscriptions_max: integer('Subscriptions per application.', {
    default: 1500,
    unit: 'subscriptions',
    bounds: [0, 1_000_000],
  }),
  application_stream_connections_max: integer('Open streams per application.', {
    default: 2,
    unit: 'connections',
    bounds: [0, 10_000],
  }),
  application_stream_events_per_s: integer('Maximum rate of a stream; further events are queued.', {
    default: 250,
    unit: 'events per second',
    bounds: [1, 1_000_000],
  }),
  application_webhooks_max: integer('Webhooks per application.', {
    default: 5,
    unit: 'webhooks',
    bounds: [0, 10_000],
  }),
};
