import { bool, integer } from './kinds.ts';

/** The log of events, who may subscribe to them, and what an application may have of it all. @source activity gaps 16 to 19 */
export const activitySettings = {
  event_retention_s: integer('How long the log of events is kept for backfill, recovery and replay.', {
    default: 86_400,
    unit: 'seconds',
    bounds: [300, 2_592_000],
  }),
  event_include_subscription_id: bool('Names the subscription in each event, which the reference does not.', {
    default: false,
  }),
  enable_simulator: bool('Takes any event at /internal/activity/events, with the operator token of dev.json.', {
    default: false,
    default_dev: true,
    onlyIn: 'dev',
  }),
  allow_bearer_private_subscriptions: bool(
    'Lets an application subscribe by itself to the messages of users who gave it a token that reaches them.',
    { default: false },
  ),
  application_subscriptions_max: integer('How many subscriptions to events an application may have.', {
    default: 1500,
    unit: 'subscriptions',
    bounds: [0, 1_000_000],
  }),
  application_stream_connections_max: integer('How many streams of events an application may hold open at once.', {
    default: 2,
    unit: 'connections',
    bounds: [0, 10_000],
  }),
  application_stream_events_per_s: integer('How fast a stream sends; what comes faster waits for it.', {
    default: 250,
    unit: 'events per second',
    bounds: [1, 1_000_000],
  }),
  application_webhooks_max: integer('How many webhooks an application may have.', {
    default: 5,
    unit: 'webhooks',
    bounds: [0, 10_000],
  }),
};
