import { oneOf, type RawValue, text } from '../../../contract/declare/fields.ts';
import { readMembers } from '../../../contract/declare/members.ts';
import type { Parameters } from '../../../contract/declare/operation.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { Direction, EventType } from '../../../contract/store/events.ts';
import type { Subscription } from '../../../contract/store/subscriptions.ts';
import { DIRECTED, FIXED_DIRECTIONS, needsUser } from '../event-types.ts';
import { longId } from '../long-id-field.ts';

/** What a filter says, null where it says nothing. */
export type Filter = Pick<Subscription, 'filter_user_id' | 'filter_keyword' | 'filter_direction'>;

/** Words for directions that are taken, and how they are kept. @source activity gaps 17.2 */
const DIRECTIONS: Readonly<Record<string, Direction | 'both'>> = {
  sent: 'sent',
  received: 'received',
  both: 'both',
  outbound: 'sent',
  inbound: 'received',
};

/** The members of a filter. @source activity gaps 17.2 */
export const FILTER_MEMBERS = {
  user_id: longId().describe('The user whom events are about; needed but for Spaces.'),
  keyword: text({ max: 150 }).describe('Stands in the text of an event as whole words, in any letter case.'),
  direction: oneOf(...Object.keys(DIRECTIONS)).describe('Who did it, seen from that user; for events of messages.'),
} as const satisfies Parameters;

/** Reads a filter for events of a type; undefined types are told elsewhere, and then less can be said. */
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
  return { filter, errors: unfit(filter, type, String(input.direction)) };
}

function unfit(filter: Filter, type: EventType | undefined, said: string): ErrorDetail[] {
  const { filter_user_id: user, filter_keyword: keyword, filter_direction: direction } = filter;
  if (user === null && keyword === null && direction === null) {
    return [{ problem: 'FILTER_EMPTY', parameter: 'filter', words: { known: Object.keys(FILTER_MEMBERS).join(', ') } }];
  }
  if (type === undefined) return [];
  const found: ErrorDetail[] = [];
  if (user === null && needsUser(type)) found.push({ problem: 'MEMBER_MISSING', parameter: 'filter.user_id' });
  else if (user === null && keyword === null) {
    return [{ problem: 'FILTER_EMPTY', parameter: 'filter', words: { known: 'user_id, keyword' } }];
  }
  const why = direction === null ? undefined : whyNoDirection(type, direction);
  if (why) found.push({ problem: 'FILTER_UNFIT', parameter: 'filter.direction', words: { raw: said, type, why } });
  return found;
}

function whyNoDirection(type: EventType, direction: Direction | 'both'): string | undefined {
  if (!DIRECTED.has(type)) return 'such events have no direction';
  const fixed = FIXED_DIRECTIONS[type];
  return fixed === undefined || fixed === direction ? undefined : `all of them are ${fixed}`;
}

/** A filter as JSON, as replies and envelopes show it. */
export function filterText({ filter_user_id, filter_keyword, filter_direction }: Filter): string {
  return JSON.stringify({
    ...(filter_user_id !== null && { user_id: filter_user_id }),
    ...(filter_keyword !== null && { keyword: filter_keyword }),
    ...(filter_direction !== null && { direction: filter_direction }),
  });
}
