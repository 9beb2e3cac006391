import { foldCase } from '../base/text.ts';
import type { Direction, EventType, LoggedEvent } from '../contract/events.ts';
import type { Subscription } from '../contract/subscriptions.ts';
import { DIRECTED, FIXED_DIRECTIONS, isPrivate } from './event-types.ts';

/** A subscription, and what of it is looked at for every event. */
export interface Watch {
  readonly subscription: Subscription;
  /** Folded; null when it has no keyword. */
  readonly keyword: string | null;
  readonly direction: Direction | 'both';
  /** The user who must have given the application a look at messages; undefined for what is public. */
  readonly consenting: string | undefined;
}

/** What is looked at of a subscription. */
export function watchOf(subscription: Subscription): Watch {
  const { event_type, filter_keyword, filter_direction, filter_user_id } = subscription;
  return {
    subscription,
    keyword: filter_keyword === null ? null : foldCase(filter_keyword),
    direction: directionOf(event_type, filter_direction),
    consenting: isPrivate(event_type) ? (filter_user_id ?? '') : undefined,
  };
}

/**
 * The direction that a filter means: what it says, or else what follows from the type of event. Where events have no
 * direction, it is both.
 * @source activity gaps 17.2
 */
export function directionOf(type: EventType, said: Direction | 'both' | null): Direction | 'both' {
  return said ?? FIXED_DIRECTIONS[type] ?? (DIRECTED.has(type) ? 'received' : 'both');
}

/** Whether an event, of the type and user that a subscription names, matches the rest of its filter. @source activity gaps 16.9 */
export function isMatch({ keyword, direction }: Watch, event: LoggedEvent, foldedText: string | null): boolean {
  if (direction !== 'both' && direction !== event.direction) return false;
  return keyword === null || (foldedText !== null && hasAtBorders(foldedText, keyword));
}

/** The text of an event as keywords are looked for in it. */
export function foldedTextOf({ text }: LoggedEvent): string | null {
  return text === null ? null : foldCase(text);
}

const WORD_END = /[\p{L}\p{M}\p{N}_]$/u;
const WORD_START = /^[\p{L}\p{M}\p{N}_]/u;

/** Whether a text has another one in it that neither begins nor ends inside a word: a run of letters, digits, underscores. */
export function hasAtBorders(text: string, wanted: string): boolean {
  const startsWord = WORD_START.test(wanted);
  const endsWord = WORD_END.test(wanted);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isInside =
      (startsWord && WORD_END.test(before(text, at))) ||
      (endsWord && WORD_START.test(text.slice(at + wanted.length, at + wanted.length + 2)));
    if (!isInside) return true;
  }
  return false;
}

/** The character before a place, which may take two units. */
function before(text: string, at: number): string {
  return text.slice(Math.max(0, at - 2), at);
}
