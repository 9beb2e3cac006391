import { UNSPACED_SCRIPTS } from '../../base/scripts.ts';
import { foldCase } from '../../base/text.ts';
import type { Direction, EventType, LoggedEvent } from '../../contract/store/events.ts';
import type { Subscription } from '../../contract/store/subscriptions.ts';
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
/** Signs of Japanese that belong to no one script: they lengthen, repeat or close. */
const UNSPACED = `${UNSPACED_SCRIPTS}\\u{30fc}\\u{3006}\\u{303c}\\u{3031}-\\u{3035}`;
const UNSPACED_END = new RegExp(`[${UNSPACED}]$`, 'u');
const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, 'u');
const MARK_START = /^\p{M}/u;
/** Signs of Burmese and Khmer that put the next letter under the one before. */
const STACKER_END = /[\u1039\u17d2]$/;

/**
 * Whether a text has another one in it that neither begins nor ends inside a word: a run of letters, digits, underscores.
 * Where a script puts no blanks between words, each of its characters is a word, with the marks that belong to it.
 */
export function hasAtBorders(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (isBorder(text, at) && isBorder(text, at + wanted.length)) return true;
  }
  return false;
}

/** Whether a word may begin or end at a place. A character takes two units at most. */
function isBorder(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const behind = text.slice(at, at + 2);
  if (!WORD_END.test(before) || !WORD_START.test(behind)) return true;
  if (MARK_START.test(behind) || STACKER_END.test(before)) return false;
  return UNSPACED_END.test(before) || UNSPACED_START.test(behind);
}
