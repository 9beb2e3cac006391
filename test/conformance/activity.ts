import { streamRules } from './activity/streams.ts';
import { subscriptionRules } from './activity/subscriptions.ts';
import { webhookRules } from './activity/webhooks.ts';
import type { Rule } from './rule.ts';

/** Checks of docs/protocol/activity.md. */
export const activityRules: readonly Rule[] = [...subscriptionRules, ...streamRules, ...webhookRules];
