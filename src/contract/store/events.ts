import type { Subscription } from './subscriptions.ts';

/** The types of activity events that the reference names, as replies and envelopes write them. @source advertising: Events */
export const EVENT_TYPES = [
  'profile.update.bio',
  'profile.update.verified',
  'profile.update.affiliate',
  'profile.update.screenname',
  'dm.received',
  'dm.sent',
  'dm.read',
  'dm.indicate_typing',
  'spaces.start',
  'spaces.end',
] as const;

/** The type of an activity event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Who did it, seen from the user whom an event is about: that user, or the other side. @source activity gaps 16.5 */
export type Direction = 'sent' | 'received';

/** Something that has happened, to be written to the log in the unit of work that is its cause. */
export interface NewEvent {
  readonly event_type: EventType;
  /** The user whom it is about. @source activity gaps 16.9 */
  readonly user_id: string;
  /** Null for events that have none. */
  readonly direction: Direction | null;
  /** What keywords are looked for in; null where there is no text. */
  readonly text: string | null;
  /** JSON text: what the envelope tells as `payload`. */
  readonly payload: string;
}

/** An event of the log. */
export interface LoggedEvent extends NewEvent {
  /**
   * Its place in the log. What is committed later has a higher one, on both databases; nothing is left out, so that a
   * reader who has seen a position has seen all before it.
   */
  readonly position: number;
  /** UTC text of the second in which it was written. */
  readonly created_at: string;
}

/** Which part of the log is read, in its order. */
export interface LogRange {
  /** Positions above this one. */
  readonly after: number;
  /** Positions up to this one; to the end when it is not said. */
  readonly until?: number;
  readonly limit: number;
}

/** The log of events, as it is kept. */
export interface Events {
  /**
   * Writes events to the end of the log and touches `event:`; the answer is their positions. Units that append wait for
   * each other, so that the order of the log is that of commits: append last in a unit.
   */
  append(events: readonly NewEvent[], now: string): Promise<number[]>;
  list(range: LogRange): Promise<LoggedEvent[]>;
  /** The events at these positions, in their order; those that are no longer kept are absent. */
  listAt(positions: readonly number[]): Promise<LoggedEvent[]>;
  /** The position of the last event that was ever written; 0 before the first. */
  findLast(): Promise<number>;
  /** The position before the first event that was written at this second or later: `after` of a range that begins there. */
  findBefore(time: string): Promise<number>;
  /** Forgets what was written before a time, at most `limit` of it; the answer is how many that were. */
  removeBefore(time: string, limit: number): Promise<number>;
}

/** An event for a subscription that it matches. */
export interface Delivery {
  readonly event: LoggedEvent;
  readonly subscription: Subscription;
  /** The envelope as one line of JSON, without an end of line; made when it is first asked for, and shared. */
  readonly body: Buffer;
  /** The envelope with `\r\n` behind it, as streams send it: the same memory. */
  readonly line: Buffer;
}

/** Events of the log that were written together, with whom they are for. */
export interface MatchedBatch {
  /** All events up to this position were handed over. */
  readonly lastPosition: number;
  readonly events: readonly LoggedEvent[];
  /** What each application is sent, in the order of the log. Applications that get nothing are absent. */
  readonly byApplication: ReadonlyMap<string, readonly Delivery[]>;
}

/** Who follows the log. */
export interface LogSubscription {
  /** Every event above this position will be handed over, and none up to it: what was before is in the log. */
  readonly after: number;
  stop(): void;
}

/** Which subscriptions are asked for deliveries. */
export interface DeliveryQuery {
  /** Only those of this application. */
  readonly application?: string;
  /** Only those that point to this webhook. */
  readonly webhook?: string;
  /** Events that were written before a subscription was made are for it too. */
  readonly includesOlder?: boolean;
  /** The envelope says that it is sent again. */
  readonly isReplay?: boolean;
}

/** What happens, while it happens: the log of events as streams and webhooks follow it. */
export interface Activity {
  /**
   * Is told of all that is committed from now on, in the order of the log, each position once; must not throw, and must
   * not take long: everybody waits for everybody.
   */
  follow(listener: (batch: MatchedBatch) => void): LogSubscription;
  /** The position up to which followers were told. */
  position(): number;
  /** What events of the log, in its order, mean to subscriptions as they are now. */
  deliveriesOf(events: readonly LoggedEvent[], query: DeliveryQuery): Promise<Delivery[]>;
  /** Resolves when everything that is committed by now has been handed over; for a writer of another process too. */
  waitUntilCaughtUp(): Promise<void>;
  /** Begins to follow the log, at its end. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What the settings say of activity. */
export interface ActivitySettings {
  /** How long events are kept, in seconds. */
  readonly retention_s: number;
  /** An application may subscribe by itself to what is private, for users who let it see their messages. */
  readonly bearerSeesPrivate: boolean;
}

const UUID_PREFIX = '73';
const UUID_DIGITS = 17;

/** The `event_uuid` of an event: decimal text of 19 digits, which follows from its position. */
export function eventUuid(position: number): string {
  return UUID_PREFIX + String(position).padStart(UUID_DIGITS, '0');
}
