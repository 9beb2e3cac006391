import { oneOf, type RawValue, text } from '../../../contract/declare/fields.ts';
import { readMembers } from '../../../contract/declare/members.ts';
import type { Parameters } from '../../../contract/declare/operation.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { type Direction, EVENT_TYPE_RULES, type EventType } from '../../../contract/store/events.ts';
import type { Subscription } from '../../../storage/tables/subscriptions.ts';
import { longIdField } from '../long-id-field.ts';

/** A filter as stored; absent members are null. */
export type Filter = Pick<Subscription, 'filter_user_id' | 'filter_keyword' | 'filter_direction'>;

/** Accepted names of directions, and the stored value of each. @source activity 17.2 */
const DIRECTIONS: Readonly<Record<string, Direction | 'both'>> = {
  sent: 'sent',
  received: 'received',
  both: 'both',
  outbound: 'sent',
  inbound: 'received',
};

/** The fields of a filter in a request. @source activity 17.2 */
export const FILTER_MEMBERS = {
  user_id: longIdField().describe('Only events of this user. Required except for Spaces.'),
  keyword: text({ max: 150 }).describe('Whole words in the text of an event; case-insensitive.'),
  direction: oneOf(...Object.keys(DIRECTIONS)).describe(
    'Who acted, from the perspective of the user; for message events.',
  ),
} as const satisfies Parameters;

/** Parses a filter for an event type. If the type is undefined, which the caller reports, its rules are not checked. */
export function readFilter(
  raw: RawValue,
  type: EventType | undefined,
): { filter: Filter; errors: readonly ErrorDetail[] } {
  const { input, errors } = readMembers(raw, FILTER_MEMBERS, 'filter.');
  const direction = input.direction == null ? null : DIRECTIONS[input.direction as string]!;
  const filter: Filter = {
    filter_user_id: (input.user_id as string | undefined) ?? null,
    filter_keyword: (input.keyword as string | undefined) ?? null,
    filter_direction: direction,
  };
  if (errors.length > 0) return { filter, errors };
  return { filter, errors: filterErrors(filter, type, String(input.direction)) };
}

function filterErrors(filter: Filter, type: EventType | undefined, requested: string): ErrorDetail[] {
  const { filter_user_id: user, filter_keyword: keyword, filter_direction: direction } = filter;
  if (user === null && keyword === null && direction === null) {
    return [{ problem: 'FILTER_EMPTY', parameter: 'filter', words: { known: Object.keys(FILTER_MEMBERS).join(', ') } }];
  }
  if (type === undefined) return [];
  const found: ErrorDetail[] = [];
  const { requiresUser } = EVENT_TYPE_RULES[type];
  if (user === null && requiresUser) found.push({ problem: 'MEMBER_MISSING', parameter: 'filter.user_id' });
  else if (user === null && keyword === null) {
    return [{ problem: 'FILTER_EMPTY', parameter: 'filter', words: { known: 'user_id, keyword' } }];
  }
  const why = direction === null ? undefined : directionError(type, direction);
  if (why) found.push({ problem: 'FILTER_UNFIT', parameter: 'filter.direction', words: { raw: requested, type, why } });
  return found;
}

/** Returns why filters of a type cannot have a direction; undefined if they can. @source decision 335, 359 */
function directionError(type: EventType, requested: Direction | 'both'): string | undefined {
  const { direction } = EVENT_TYPE_RULES[type];
  if (direction === null) return 'such events have no direction';
  return direction === 'either' || direction === requested ? undefined : `all of them are ${direction}`;
}

/** A filter as JSON text, for replies and envelopes. */
export function filterToJson({ filter_user_id, filter_keyword, filter_direction }: Filter): string {
  return JSON.stringify({
    ...(filter_user_id !== null && { user_id: filter_user_id }),
    ...(filter_keyword !== null && { keyword: filter_keyword }),
    ...(filter_direction !== null && { direction: filter_direction }),
  });
}
