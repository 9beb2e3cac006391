import { addSeconds } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import { instant, integer } from '../../../contract/declare/fields.ts';
import type { Call, Input, Operation } from '../../../contract/declare/operation.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import { DISCONNECTS, type PastRange } from '../../../contract/services/streams.ts';
import { EVENT_TYPES } from '../../../contract/store/events.ts';

/** The longest backfill in minutes. @source activity 18 */
const BACKFILL_MAX_MIN = 5;

/** A non-empty line of a stream: an event, or the reason why the stream ends. @source activity 16.2 and 18 */
const lineSchema = Type.Union([
  Type.Closed({
    data: Type.Closed({
      event_uuid: Type.String({ pattern: '^\\d{19}$' }),
      event_type: Type.Enum([...EVENT_TYPES]),
      filter: Type.Closed({
        user_id: Type.Optional(Type.String()),
        keyword: Type.Optional(Type.String()),
        direction: Type.Optional(Type.Enum(['sent', 'received', 'both'])),
      }),
      tag: Type.Optional(Type.String()),
      subscription_id: Type.Optional(Type.String()),
      payload: Type.Object({}, { additionalProperties: true }),
    }),
  }),
  Type.Closed({
    errors: Type.Array(
      Type.Closed({
        title: Type.String(),
        disconnect_type: Type.Enum(Object.keys(DISCONNECTS)),
        detail: Type.String(),
        type: Type.String(),
      }),
    ),
  }),
]);

/**
 * Streams the events that an application subscribes to, one line each.
 * @source activity 0.1, 18; decision 373
 */
export const openStream: Operation = {
  id: 'activity.stream',
  method: 'GET',
  path: '/2/activity/stream',
  description: 'Stream events as they happen over a long-lived connection, one JSON object a line.',
  group: 'activity',
  family: 'problem',
  credential: 'bearer',
  rate: 'activity_streams',
  parameters: {
    backfill_minutes: integer({ min: 0, max: BACKFILL_MAX_MIN }).describe('Start with the events of the last minutes.'),
    start_time: instant().describe(
      'Start with the events from this second on, within the retention of the log; a date means midnight UTC.',
    ),
    end_time: instant().describe(
      'End before the events of this second; requires `start_time`; a date means midnight UTC.',
    ),
  },
  body: 'form',
  shape: 'stream',
  reply: lineSchema,
  problems: ['MISSING_PARAMETER', 'EXCLUSIVE_PARAMETERS', 'NOT_AFTER', 'OUTSIDE_LOG', 'STREAM_CONNECTIONS_MAX'],
  validate: parameterErrors,
  async perform(call) {
    const { caller, services, address, environment, isHead } = call;
    const { application, tokenId } = callerOf(caller, 'application');
    const past = pastOf(call);
    if (isHead) return { data: '' };
    const flow = await services.activity.streams.open({
      application: application.id,
      bearer: tokenId!,
      client_ip: address,
      baseUrl: services.pageUrl(environment, ''),
      backfill: past,
    });
    return { data: '', flow };
  },
};

/** Errors of parameters that exclude or require each other. @source decision 364 */
function parameterErrors({ backfill_minutes: backfill, start_time: start, end_time: end }: Input): ErrorDetail[] {
  if (backfill != null && start != null) {
    const words = { a: 'backfill_minutes', b: 'start_time', raw: String(start) };
    return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: 'start_time', words }];
  }
  if (end == null) return [];
  if (start == null) return [{ problem: 'MISSING_PARAMETER', parameter: 'start_time' }];
  return start < end
    ? []
    : [{ problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time', raw: String(end) } }];
}

/** The range of past events that a call requests; undefined without one. @throws OUTSIDE_LOG @source decision 364 */
function pastOf({ input, services, now }: Call): PastRange | undefined {
  const { backfill_minutes: backfill, start_time: start, end_time: end } = input as Readonly<Record<string, unknown>>;
  const before = (seconds: number): string => addSeconds(now, -seconds);
  if (backfill) return { from: before(Number(backfill) * 60), until: undefined };
  if (start == null) return undefined;
  const min = before(services.activity.rules.retention_s);
  const times = { start_time: String(start), ...(end != null && { end_time: String(end) }) };
  const errors = Object.entries(times)
    .filter(([, time]) => time < min || time > now)
    .map(([parameter, raw]): ErrorDetail => ({ problem: 'OUTSIDE_LOG', parameter, words: { min, max: now, raw } }));
  if (errors.length > 0) throw new Problem(errors);
  return { from: times.start_time, until: times.end_time };
}
