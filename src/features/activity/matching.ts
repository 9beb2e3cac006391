import { foldText } from '../../base/tokens.ts';
import { containsWholeWords } from '../../base/words.ts';
import {
  type Direction,
  EVENT_TYPE_RULES,
  type EventType,
  isKnownEventType,
  type LoggedEvent,
} from '../../contract/store/events.ts';
import type { Subscription } from '../../storage/tables/subscriptions.ts';

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
    keyword: filter_keyword === null ? null : foldText(filter_keyword),
    direction: effectiveDirection(event_type, filter_direction),
    consentingUser: EVENT_TYPE_RULES[event_type].isPrivate ? (filter_user_id ?? '') : undefined,
  };
}

/**
 * The direction that a filter selects: the one in the filter, or the default of the event type. `both` for types
 * without a direction.
 * @source activity 17.2; decision 334
 */
export function effectiveDirection(type: EventType, requested: Direction | 'both' | null): Direction | 'both' {
  const direction = isKnownEventType(type) ? EVENT_TYPE_RULES[type].direction : null;
  return requested ?? (direction === 'either' ? 'received' : (direction ?? 'both'));
}

/**
 * Whether an event that has the type and user of a subscription matches the rest of its filter.
 * @source activity 16.9; decision 331, 332
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
  return text === null ? null : foldText(text);
}
