import { UNSPACED_SCRIPTS } from '../../base/scripts.ts';
import { foldCase } from '../../base/text.ts';
import {
  type Direction,
  EVENT_TYPE_RULES,
  type EventType,
  isKnownEventType,
  type LoggedEvent,
} from '../../contract/store/events.ts';
import type { Subscription } from '../../contract/store/subscriptions.ts';

/** A subscription, prepared for matching. */
export interface SubscriptionMatcher {
  readonly subscription: Subscription;
  /** Case-folded; null without a keyword. */
  readonly keyword: string | null;
  readonly direction: Direction | 'both';
  /** The user who must allow the application to read their messages; undefined for public events. */
  readonly consentingUser: string | undefined;
}

/** Prepares a subscription for matching. */
export function matcherFor(subscription: Subscription): SubscriptionMatcher {
  const { event_type, filter_keyword, filter_direction, filter_user_id } = subscription;
  return {
    subscription,
    keyword: filter_keyword === null ? null : foldCase(filter_keyword),
    direction: effectiveDirection(event_type, filter_direction),
    consentingUser: EVENT_TYPE_RULES[event_type].isPrivate ? (filter_user_id ?? '') : undefined,
  };
}

/**
 * The direction that a filter selects: the one in the filter, or the default of the event type. `both` for types
 * without a direction.
 * @source activity gaps 17.2; decision 334
 */
export function effectiveDirection(type: EventType, requested: Direction | 'both' | null): Direction | 'both' {
  const direction = isKnownEventType(type) ? EVENT_TYPE_RULES[type].direction : null;
  return requested ?? (direction === 'either' ? 'received' : (direction ?? 'both'));
}

/**
 * Whether an event that has the type and user of a subscription matches the rest of its filter.
 * @source activity gaps 16.9; decision 331
 */
export function isMatch(
  { keyword, direction }: SubscriptionMatcher,
  event: LoggedEvent,
  foldedText: string | null,
): boolean {
  if (direction !== 'both' && direction !== event.direction) return false;
  return keyword === null || (foldedText !== null && containsWholeWords(foldedText, keyword));
}

/** The case-folded text of an event, for keywords. */
export function foldedText({ text }: LoggedEvent): string | null {
  return text === null ? null : foldCase(text);
}

const WORD_END = /[\p{L}\p{M}\p{N}_]$/u;
const WORD_START = /^[\p{L}\p{M}\p{N}_]/u;
/** Japanese marks that Unicode assigns to no single script: prolonged sound, iteration and closing marks. */
const UNSPACED = `${UNSPACED_SCRIPTS}\\u{30fc}\\u{3006}\\u{303c}\\u{3031}-\\u{3035}`;
const UNSPACED_END = new RegExp(`[${UNSPACED}]$`, 'u');
const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, 'u');
const MARK_START = /^\p{M}/u;
/** Burmese and Khmer viramas, which join the next letter to the previous one. */
const VIRAMA_END = /[\u1039\u17d2]$/;

/**
 * Whether a text contains another one at word boundaries; a word is a run of letters, digits and underscores.
 * In scripts without spaces between words each character, with its marks, is a word.
 * @source decision 332, 406
 */
export function containsWholeWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (isWordBoundary(text, at) && isWordBoundary(text, at + words.length)) return true;
  }
  return false;
}

/** Whether a word may begin or end at an index. A character takes at most two code units. */
function isWordBoundary(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const behind = text.slice(at, at + 2);
  if (!WORD_END.test(before) || !WORD_START.test(behind)) return true;
  if (MARK_START.test(behind) || VIRAMA_END.test(before)) return false;
  return UNSPACED_END.test(before) || UNSPACED_START.test(behind);
}
