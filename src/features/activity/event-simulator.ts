import { formatInstant } from '../../base/instants.ts';
import { Type } from '../../base/json-schema.ts';
import { isObject } from '../../base/objects.ts';
import { field, oneOf, text } from '../../contract/declare/fields.ts';
import { readMembers } from '../../contract/declare/members.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { Problem, problem } from '../../contract/problems/problems.ts';
import type { Direction, EventType } from '../../contract/store/events.ts';
import { EVENT_TYPES } from '../../contract/store/events.ts';
import { longIdField } from './long-id-field.ts';
import { createEmitter, InvalidEventDraft, resolveDirection } from './test-events.ts';

/** Any JSON object, stored as JSON text. */
const anyObject = field<string>({
  name: 'object',
  column: 'text',
  schema: Type.Record(Type.String(), Type.Unknown()),
  problems: ['MEMBER_NO_OBJECT'],
  toJson: (stored) => stored,
  read(raw, parameter) {
    return isObject(raw) ? JSON.stringify(raw) : { problem: 'MEMBER_NO_OBJECT', words: { path: `$.${parameter}` } };
  },
});

const MEMBERS = {
  event_type: oneOf(...EVENT_TYPES).required(),
  user_id: longIdField().required(),
  payload: anyObject.required(),
  direction: oneOf('sent', 'received'),
  keyword_text: text({ max: 10_000 }),
};

/** Appends the event that a JSON body describes; resolves with its uuid once it is durable. */
export type Simulate = (body: unknown) => Promise<string>;

/** Lets operators of a development server append any event for any user. @source activity 16.8; decision 354 */
export function simulator({ store, clock }: Services): Simulate {
  const emitter = createEmitter(store, () => formatInstant(clock.now()));
  return async (body) => {
    const { input, errors } = readMembers(body, MEMBERS);
    if (errors.length > 0) throw new Problem(errors);
    const { user_id, payload, keyword_text = null } = input as Readonly<Record<string, string>>;
    const event_type = input.event_type as EventType;
    const direction = directionOfBody(event_type, (input.direction as Direction | null | undefined) ?? undefined);
    const event = { event_type, user_id: user_id!, direction, payload: payload!, text: keyword_text };
    const uuid = await emitter.emit(event);
    if (uuid === undefined) {
      throw problem('FILTER_USER_UNKNOWN', { parameter: 'user_id', words: { raw: user_id! } });
    }
    return uuid;
  };
}

function directionOfBody(type: EventType, requested: Direction | undefined): Direction | null {
  try {
    return resolveDirection(type, requested);
  } catch (error) {
    if (!(error instanceof InvalidEventDraft)) throw error;
    throw problem('FILTER_UNFIT', { parameter: 'direction', words: { raw: requested!, type, why: error.message } });
  }
}
