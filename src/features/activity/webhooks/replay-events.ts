import { addSeconds, formatInstant, instantMs } from '../../../base/instants.ts';
import { type Schema, Type } from '../../../base/json-schema.ts';
import { applicationOf } from '../../../contract/declare/callers.ts';
import type { Answer, Call, Input, Operation, Parameters } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../../contract/declare/resource.ts';
import { type ErrorDetail, Problem, type ProblemName, problem } from '../../../contract/problems/problems.ts';
import { ConstraintViolated } from '../../../contract/store/errors.ts';
import { WEBHOOK_JOBS, type Webhook } from '../../../contract/store/webhooks.ts';
import { OLD_REPLAY_PATH } from '../deprecations.ts';
import { longIdField } from '../long-id-field.ts';
import { idSchema, serializeTime, timeSchema } from '../wire-format.ts';
import { findOwnWebhook, WEBHOOK_CALL } from './find-webhook.ts';
import { minuteField, minuteText } from './minute-field.ts';
import { challengeUrl, requireSuccess, storeResult } from './validity.ts';

const TIMES = {
  from_date: minuteField().describe('The first minute, as yyyymmddhhmm in UTC. Required.'),
  to_date: minuteField().describe('The last minute, as yyyymmddhhmm in UTC, later than the first. Required.'),
} as const satisfies Parameters;

const MEMBERS = {
  webhook_id: longIdField().required().describe('A valid webhook of the application.'),
  from_date: TIMES.from_date.required(),
  to_date: TIMES.to_date.required(),
} as const satisfies Parameters;

const reply: Schema = Type.Closed({ data: Type.Closed({ job_id: idSchema, created_at: timeSchema }) });

const COMMON_PROBLEMS = [
  'REPLAY_TIME_INVALID',
  'WEBHOOK_CRC_FAILED',
  'WEBHOOK_URL_INVALID',
  'REPLAY_RUNNING',
] as const satisfies readonly ProblemName[];

/**
 * Sends the events of a range of minutes to a webhook again.
 * @source activity 0.2, 20.1; decision 400
 */
export const replayEvents: Operation = {
  id: 'webhooks.replay',
  method: 'POST',
  path: '/2/webhooks/replay',
  description: 'Send the events of a range of minutes to a webhook again; both ends are included.',
  ...WEBHOOK_CALL,
  rate: 'replays',
  body: 'members',
  bodyMembers: MEMBERS,
  reply,
  problems: ['WEBHOOK_ID_INVALID', ...COMMON_PROBLEMS],
  async perform(call) {
    const { input } = call;
    const id = input.webhook_id as string;
    const webhook = await call.services.store.read((tx) => tx.webhooks.find(id));
    if (webhook?.application_id !== applicationOf(call.caller)) {
      throw problem('WEBHOOK_ID_INVALID', { parameter: 'webhook_id', words: { raw: id } });
    }
    return startReplay(call, webhook, minutesOf(input), { isEndIncluded: true });
  },
};

/**
 * `replayEvents` at its former path.
 * @source activity 0.2, 20.2; decision 405
 */
export const replayAtOldPath: Operation = {
  id: 'account_activity.replay',
  method: 'POST',
  path: '/2/account_activity/replay/webhooks/:webhook_id/subscriptions/all',
  description: 'Send the events of a range of minutes to a webhook again.',
  ...WEBHOOK_CALL,
  rate: 'replays',
  deprecation: OLD_REPLAY_PATH,
  sunset: ({ activity: { webhookRules } }) => webhookRules.legacyReplayEndsAt,
  parameters: TIMES,
  reply,
  problems: ['PATH_GONE', 'WEBHOOK_NOT_FOUND', 'REPLAY_TIME_MISSING', ...COMMON_PROBLEMS],
  validate(input, _account, named) {
    const missing = Object.keys(TIMES).filter((name) => !named.has(name) || input[name] === null);
    return missing.map((parameter) => ({ problem: 'REPLAY_TIME_MISSING', parameter }));
  },
  async perform(call) {
    const {
      store,
      activity: { webhookRules },
    } = call.services;
    const { legacyReplayEndsAt: end, legacyReplayExcludesEnd } = webhookRules;
    if (end !== undefined && call.now >= end) throw problem('PATH_GONE');
    const webhook = await store.read((tx) => findOwnWebhook(tx, call));
    return startReplay(call, webhook, minutesOf(call.input), { isEndIncluded: !legacyReplayExcludesEnd });
  },
};

/** The first second of both minutes, as UTC texts. */
interface Minutes {
  readonly from_date: string;
  readonly to_date: string;
}

const minutesOf = ({ from_date, to_date }: Input): Minutes => {
  return { from_date: from_date as string, to_date: to_date as string };
};

const MINUTE_MS = 60_000;

/** Challenges the webhook, which must be valid, and starts a replay. @source decision 399 */
async function startReplay(
  { services, now }: Call,
  { id: webhook, application_id, url, valid }: Webhook,
  { from_date, to_date }: Minutes,
  { isEndIncluded }: { readonly isEndIncluded: boolean },
): Promise<Answer> {
  const {
    store,
    ids,
    clock,
    activity: { rules: activityRules },
  } = services;
  const errors = timeErrors({ from_date, to_date }, now, activityRules.retention_s);
  if (errors.length > 0) throw new Problem(errors);
  if (await store.read((tx) => tx.replays.findRunning(webhook))) throw problem('REPLAY_RUNNING');
  const named = { parameter: 'webhook_id', raw: webhook } as const;
  if (!valid)
    requireSuccess({ outcome: 'failed', reason: 'The webhook is not valid', diagnosis: HOW_TO_VALIDATE }, named);
  const verdict = await challengeUrl(services, application_id, url);
  const [id] = (await ids.takeLong('replay', LONG_IDS_FROM, 1)) as [string];
  const created_at = formatInstant(clock.now());
  const end = isEndIncluded ? formatInstant(instantMs(to_date) + MINUTE_MS) : to_date;
  try {
    await store.write(async (tx) => {
      await storeResult(tx, webhook, verdict, created_at);
      if (verdict.outcome !== 'passed') return;
      // Events that were acknowledged a moment ago belong to the range too.
      await tx.events.assignPositions();
      await tx.replays.add({
        id,
        webhook_id: webhook,
        application_id,
        state: 'Running',
        position: await tx.events.findBefore(from_date),
        last_position: await tx.events.findBefore(end),
        delivered: 0,
        failed: 0,
        created_at,
        ended_at: null,
      });
      await tx.jobs.plan({ kind: WEBHOOK_JOBS.replay, key: id, run_at: created_at });
    });
  } catch (error) {
    if (error instanceof ConstraintViolated) throw problem('REPLAY_RUNNING');
    throw error;
  }
  requireSuccess(verdict, named);
  return { data: `{"data":{"job_id":"${id}","created_at":"${serializeTime(created_at)}"}}` };
}

const HOW_TO_VALIDATE = 'PUT /2/webhooks/{webhook_id} challenges it again and makes it valid if it answers correctly';

/** Errors of the minutes of a replay, besides their format. @source decision 401 */
function timeErrors({ from_date, to_date }: Minutes, now: string, retention_s: number): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  const say = (parameter: keyof Minutes, why: string): void => {
    const raw = minuteText({ from_date, to_date }[parameter]);
    errors.push({ problem: 'REPLAY_TIME_INVALID', parameter, words: { raw, why } });
  };
  const oldest = minuteText(addSeconds(now, -retention_s));
  if (from_date > now) say('from_date', 'is in the future');
  if (minuteText(from_date) < oldest) say('from_date', `is too old; the log starts at ${oldest}`);
  if (to_date > now) say('to_date', 'is in the future');
  if (to_date <= from_date) say('to_date', 'is not later than from_date');
  return errors;
}
