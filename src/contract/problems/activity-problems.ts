import type { ProblemRow } from './problems.ts';

/** Errors of subscriptions, profiles and messages. @source authentication 11.5; activity 17 and 21.2 */
export const activityProblems = {
  // Credentials.
  USER_NOT_ALLOWED: {
    when: 'a user token where an application-only token is required',
    numeric: [403, 220, 'Your credentials do not allow access to this resource.'],
    problem: [
      403,
      'unsupported-authentication',
      'Authenticating with OAuth 1.0a User Context is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only].',
    ],
  },
  MESSAGES_NOT_ALLOWED: {
    when: 'direct messages, or their events, with a token without access to direct messages',
    numeric: [403, 93, 'This application is not allowed to access or delete your direct messages.'],
    problem: [
      403,
      'oauth1-permissions',
      'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
    ],
  },
  NOT_THE_USER: {
    when: 'a subscription to private events of a user who has not authorized the application',
    problem: [403, 'client-forbidden', 'Private events of user [{value}] are for that user alone.'],
  },

  // Profiles and messages.
  PROFILE_UNFIT: {
    when: 'a profile field that is too long or malformed',
    numeric: [403, 120, 'Account update failed: {parameter}: {why}.'],
  },
  MESSAGE_TO_NOBODY: {
    when: 'a message to a user who does not exist or is suspended',
    numeric: [403, 108, 'Cannot find specified user.'],
    problem: [404, 'resource-not-found', 'Could not find user with {parameter}: [{value}].'],
  },
  MESSAGE_TO_ONESELF: {
    when: 'a message to oneself',
    numeric: [403, 151, 'There was an error sending your message: you cannot send messages to yourself'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is the id of the sender'],
  },
  READ_MARK_MISSING: {
    when: 'the parameter that names the last message read is missing',
    numeric: [400, 38, '{parameter} parameter is missing.'],
  },
  MESSAGE_UNKNOWN: {
    when: 'a message that is not in the conversation, or was not received',
    numeric: [404, 34, 'Sorry, that page does not exist.'],
  },

  // JSON objects.
  MEMBER_NO_OBJECT: {
    when: 'a value that must be a JSON object',
    problem: [400, 'invalid-request', '{path}: is not an object'],
  },
  MEMBER_MISSING: {
    when: 'a required member is missing',
    problem: [400, 'invalid-request', '$.{parameter}: is missing but it is required'],
  },
  MEMBER_UNKNOWN: {
    when: 'an unknown member',
    problem: [400, 'invalid-request', '$.{parameter}: is not one of [{known}]'],
  },
  NOT_DIGITS: {
    when: 'an id that is not a string of 1 to 19 digits',
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not a text of 1 to 19 digits'],
  },
  PAGE_TOKEN_INVALID: {
    when: 'a page token that does not belong to this list',
    problem: [400, 'invalid-request', 'The `pagination_token` value [{raw}] was not given by this list'],
  },

  // Subscriptions.
  SUBSCRIPTION_NOT_FOUND: {
    when: 'the caller has no such subscription',
    problem: [404, 'resource-not-found', 'Could not find subscription with subscription_id: [{value}].'],
  },
  SUBSCRIPTION_EXISTS: {
    when: 'the same subscription exists',
    problem: [
      400,
      'invalid-request',
      'Duplicate subscription: a subscription with this event_type and filter already exists.',
    ],
  },
  TOO_MANY_SUBSCRIPTIONS: {
    when: 'the application has its maximum of subscriptions: 1500 unless the setting application_subscriptions_max says otherwise',
    problem: [400, 'invalid-request', 'Subscription limit of {max} reached.'],
  },
  FILTER_EMPTY: {
    when: 'a filter without a condition',
    problem: [400, 'invalid-request', '$.{parameter}: has none of [{known}]'],
  },
  FILTER_UNFIT: {
    when: 'a filter that the event type does not support',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] does not fit event_type {type}: {why}'],
  },
  FILTER_USER_UNKNOWN: {
    when: 'a filter for a user who does not exist',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not the id of a user'],
  },
  WEBHOOK_ID_INVALID: {
    when: 'a webhook that does not belong to the application',
    problem: [400, 'invalid-request', 'WebhookIdInvalid: no webhook of this application has the id [{raw}]'],
  },
  NOTHING_TO_CHANGE: {
    when: 'an update without changes',
    problem: [400, 'invalid-request', '$: has none of [{known}]'],
  },
  NOT_CHANGEABLE: {
    when: 'an update of the event type or filter of a subscription',
    problem: [400, 'invalid-request', '$.{parameter}: cannot be changed; delete the subscription and create another'],
  },
} as const satisfies Record<string, ProblemRow>;
