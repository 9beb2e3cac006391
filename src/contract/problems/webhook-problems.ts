import type { ProblemRow } from './problems.ts';

/**
 * Errors of webhooks and replays. Messages begin with the reason that clients match on.
 * @source activity gaps 19.2 and 20
 */
export const webhookProblems = {
  WEBHOOK_URL_INVALID: {
    when: 'an address that no webhook can have, or a host that cannot be reached',
    problem: [400, 'invalid-request', 'UrlValidationFailed: {why}'],
  },
  WEBHOOK_CRC_FAILED: {
    when: 'a webhook that does not answer its challenge rightly',
    problem: [400, 'invalid-request', 'CrcValidationFailed: Crc validation failed for webhook url. Reason: {reason}'],
  },
  WEBHOOK_EXISTS: {
    when: 'a second webhook of the application with the same address',
    problem: [400, 'invalid-request', 'DuplicateUrlFailed: the application has a webhook with this url'],
  },
  TOO_MANY_WEBHOOKS: {
    when: 'one webhook more than an application may have',
    problem: [400, 'invalid-request', 'WebhookLimitExceeded: this application may have at most {max} webhooks'],
  },
  WEBHOOK_NOT_FOUND: {
    when: 'a path that names no webhook of the application',
    problem: [404, 'resource-not-found', 'WebhookIdInvalid: Could not find webhook with webhook_id: [{value}].'],
  },
  REPLAY_TIME_INVALID: {
    when: 'a time of a replay that cannot be read, or that no replay can have',
    problem: [400, 'invalid-request', 'QueryParamInvalid: the `{parameter}` value [{raw}] {why}'],
  },
  REPLAY_TIME_MISSING: {
    when: 'a replay without the time at which it begins or ends',
    problem: [400, 'invalid-request', 'QueryParamInvalid: the parameter `{parameter}` is missing'],
  },
  REPLAY_RUNNING: {
    when: 'a second replay of a webhook while one is running',
    problem: [409, 'conflict', 'ReplayConflictError: a replay job of this webhook is running'],
  },
  PATH_GONE: {
    when: 'a path whose time is over',
    problem: [410, 251, 'This endpoint has been retired and should not be used.'],
  },
} as const satisfies Record<string, ProblemRow>;
