import type { ProblemRow } from './problems.ts';

/**
 * Errors of webhooks and replays. Messages begin with the reason that clients match on.
 * @source activity 19.2 and 20
 */
export const webhookProblems = {
  WEBHOOK_URL_INVALID: {
    when: 'a URL that is not allowed for webhooks, or whose host cannot be reached',
    problem: [400, 'invalid-request', 'UrlValidationFailed: {why}'],
  },
  WEBHOOK_CRC_FAILED: {
    when: 'the webhook did not answer its challenge correctly',
    problem: [400, 'invalid-request', 'CrcValidationFailed: Crc validation failed for webhook url. Reason: {reason}'],
  },
  WEBHOOK_EXISTS: {
    when: 'the application has a webhook with this URL',
    problem: [400, 'invalid-request', 'DuplicateUrlFailed: the application has a webhook with this url'],
  },
  TOO_MANY_WEBHOOKS: {
    when: 'the application has its maximum of webhooks: 5 unless the setting application_webhooks_max says otherwise',
    problem: [400, 'invalid-request', 'WebhookLimitExceeded: this application may have at most {max} webhooks'],
  },
  WEBHOOK_NOT_FOUND: {
    when: 'the application has no such webhook',
    problem: [404, 'resource-not-found', 'WebhookIdInvalid: Could not find webhook with webhook_id: [{value}].'],
  },
  REPLAY_TIME_INVALID: {
    when: 'a replay time that is malformed or out of range',
    problem: [400, 'invalid-request', 'QueryParamInvalid: the `{parameter}` value [{raw}] {why}'],
  },
  REPLAY_TIME_MISSING: {
    when: 'a replay without a start or end time',
    problem: [400, 'invalid-request', 'QueryParamInvalid: the parameter `{parameter}` is missing'],
  },
  REPLAY_RUNNING: {
    when: 'a replay of this webhook is running',
    problem: [409, 'conflict', 'ReplayConflictError: a replay job of this webhook is running'],
  },
  PATH_GONE: {
    when: 'a path that has been removed',
    problem: [410, 251, 'This endpoint has been retired and should not be used.'],
  },
} as const satisfies Record<string, ProblemRow>;
