import type { ProblemRow } from './problems.ts';

/** Errors of subscriptions, profiles and messages. @source activity gaps 11.5, 17 and 21.2 */
export const activityProblems = {
  // Credentials.
  USER_NOT_ALLOWED: {
    when: 'the token of a user where an application speaks for itself',
    numeric: [403, 220, 'Your credentials do not allow access to this resource.'],
    problem: [
      403,
      'unsupported-authentication',
      'Authenticating with OAuth 1.0a User Context is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only].',
    ],
  },
  MESSAGES_NOT_ALLOWED: {
    when: 'messages, or events of messages, with a token whose level does not reach them',
    numeric: [403, 93, 'This application is not allowed to access or delete your direct messages.'],
    problem: [
      403,
      'oauth1-permissions',
      'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
    ],
  },
  NOT_THE_USER: {
    when: 'a subscription to what is private to a user who has not let the application see it',
    problem: [403, 'client-forbidden', 'Private events of user [{value}] are for that user alone.'],
  },

  // Profiles and messages.
  PROFILE_UNFIT: {
    when: 'a text of a profile that is too long, or is not what it should be',
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
    when: 'a parameter is absent that says what was read',
    numeric: [400, 38, '{parameter} parameter is missing.'],
  },
  MESSAGE_UNKNOWN: {
    when: 'a message that is none of the conversation, or was not received',
    numeric: [404, 34, 'Sorry, that page does not exist.'],
  },

  // JSON objects.
  MEMBER_NO_OBJECT: {
    when: 'a value that is no object where one is expected',
    problem: [400, 'invalid-request', '{path}: is not an object'],
  },
  MEMBER_MISSING: {
    when: 'a member that is needed is absent',
    problem: [400, 'invalid-request', '$.{parameter}: is missing but it is required'],
  },
  MEMBER_UNKNOWN: {
    when: 'a member that nobody reads',
    problem: [400, 'invalid-request', '$.{parameter}: is not one of [{known}]'],
  },
  NOT_DIGITS: {
    when: 'an id that is not text of 1 to 19 digits',
    numeric: [400, 44, '{parameter} parameter is invalid.'],
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not a text of 1 to 19 digits'],
  },
  PAGE_TOKEN_INVALID: {
    when: 'a token that no page of this list gave',
    problem: [400, 'invalid-request', 'The `pagination_token` value [{raw}] was not given by this list'],
  },

  // Subscriptions.
  SUBSCRIPTION_NOT_FOUND: {
    when: 'no such subscription of the caller',
    problem: [404, 'resource-not-found', 'Could not find subscription with subscription_id: [{value}].'],
  },
  SUBSCRIPTION_EXISTS: {
    when: 'a second subscription to the same',
    problem: [
      400,
      'invalid-request',
      'Duplicate subscription: a subscription with this event_type and filter already exists.',
    ],
  },
  TOO_MANY_SUBSCRIPTIONS: {
    when: 'one subscription more than an application may have',
    problem: [400, 'invalid-request', 'Subscription limit of {max} reached.'],
  },
  FILTER_EMPTY: {
    when: 'a filter that says nothing',
    problem: [400, 'invalid-request', '$.filter: has none of [{known}]'],
  },
  FILTER_UNFIT: {
    when: 'a member of a filter that events of the type cannot have',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] does not fit event_type {type}: {why}'],
  },
  FILTER_USER_UNKNOWN: {
    when: 'a filter for a user who does not exist',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not the id of a user'],
  },
  WEBHOOK_ID_INVALID: {
    when: 'a webhook that is none of the application',
    problem: [400, 'invalid-request', 'WebhookIdInvalid: no webhook of this application has the id [{raw}]'],
  },
  NOTHING_TO_CHANGE: {
    when: 'a change that changes nothing',
    problem: [400, 'invalid-request', '$: has none of [{known}]'],
  },
  NOT_CHANGEABLE: {
    when: 'a change of what a subscription is to',
    problem: [400, 'invalid-request', '$.{parameter}: cannot be changed; delete the subscription and create another'],
  },
} as const satisfies Record<string, ProblemRow>;
