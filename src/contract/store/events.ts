import type { Subscription } from '../../storage/tables/subscriptions.ts';

/** Which side acted, seen from the user whom an event is about: that user, or the other. @source activity 16.5 */
export type Direction = 'sent' | 'received';

/** What holds for all events of a type. */
export type EventTypeRules = {
  /** That of all events of the type; `either` when each event has its own, null when they have none. */
  readonly direction: Direction | 'either' | null;
  /** Another accepted name. */
  readonly alias?: string;
  /** The PascalCase name from before, which is deprecated; new types have none. */
  readonly deprecatedName?: string;
} & (
  | { readonly isPrivate: false; readonly requiresUser: boolean }
  /** Only for the user of the filter, who must consent. */
  | { readonly isPrivate: true; readonly requiresUser: true }
);

const PROFILE = { isPrivate: false, direction: null, requiresUser: true } as const;
const MESSAGE = { isPrivate: true, requiresUser: true } as const;
const SPACE = { isPrivate: false, direction: null, requiresUser: false } as const;

/**
 * The only list of event types. `isPrivate`: the user whom the events are about must have consented; `requiresUser`:
 * filters must have `user_id`, where otherwise a keyword is enough.
 * @source activity 0.1, 16.1 and 17.2; decision 335
 */
const TABLE = {
  'profile.update.bio': { ...PROFILE, deprecatedName: 'ProfileBioUpdate' },
  'profile.update.verified': {
    ...PROFILE,
    alias: 'profile.update.verified_badge',
    deprecatedName: 'ProfileVerifiedBadgeUpdate',
  },
  'profile.update.affiliate': {
    ...PROFILE,
    alias: 'profile.update.affiliate_badge',
    deprecatedName: 'ProfileAffiliateBadgeUpdate',
  },
  'profile.update.screenname': {
    ...PROFILE,
    alias: 'profile.update.handle',
    deprecatedName: 'ProfileScreennameUpdate',
  },
  'dm.received': { ...MESSAGE, direction: 'received', deprecatedName: 'DmReceived' },
  'dm.sent': { ...MESSAGE, direction: 'sent', deprecatedName: 'DmSent' },
  'dm.read': { ...MESSAGE, direction: 'either', deprecatedName: 'DmRead' },
  'dm.indicate_typing': { ...MESSAGE, direction: 'either', deprecatedName: 'DmIndicateTyping' },
  'spaces.start': { ...SPACE, deprecatedName: 'SpacesStart' },
  'spaces.end': { ...SPACE, deprecatedName: 'SpacesEnd' },
} as const satisfies Readonly<Record<string, EventTypeRules>>;

/** The type of an activity event. */
export type EventType = keyof typeof TABLE;

/** The rules of each type. */
export const EVENT_TYPE_RULES: Readonly<Record<EventType, EventTypeRules>> = TABLE;

/** The types of activity events, as replies and envelopes write them. */
export const EVENT_TYPES = Object.keys(TABLE) as readonly EventType[];

/** Whether this version knows an event type; a newer one may have stored others. @source decision 833 */
export function isKnownEventType(type: string): type is EventType {
  return Object.hasOwn(TABLE, type);
}

/** An event to be written to the log, in the unit of work that causes it. */
export interface NewEvent {
  readonly event_type: EventType;
  /** The user whom the event is about. @source activity 16.9 */
  readonly user_id: string;
  /** Null for event types without a direction. */
  readonly direction: Direction | null;
  /** The text that keywords are matched against; null when there is none. */
  readonly text: string | null;
  /** JSON text: the `payload` of the envelope. */
  readonly payload: string;
}

/** An event in the log. */
export interface LoggedEvent extends NewEvent {
  /**
   * Its position in the log. An event that was acknowledged before another was appended has the lower position, and a
   * reader who has seen a position has seen all before it.
   */
  readonly position: number;
  /** UTC text of the second in which it was written. */
  readonly created_at: string;
}

/** A range of the log, read in order. */
export interface LogRange {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; the end of the log when omitted. */
  readonly until?: number | undefined;
  readonly limit: number;
}

/** An event and a subscription that it matches. */
export interface MatchedEvent {
  readonly event: LoggedEvent;
  readonly subscription: Subscription;
  /** The envelope as one line of JSON without a line end; built on first access, and shared. */
  readonly body: Buffer;
  /** The envelope followed by `\r\n`, as streams send it; shares memory with `body`. */
  readonly line: Buffer;
}

/** Events that were written to the log together, with their deliveries. */
export interface MatchedBatch {
  /** All events up to this position have been handed over. */
  readonly lastPosition: number;
  readonly events: readonly LoggedEvent[];
  /** The deliveries of each application, in log order. Applications without any are absent. */
  readonly byApplication: ReadonlyMap<string, readonly MatchedEvent[]>;
}

/** A follower of the log. */
export interface LogSubscription {
  /** Every event above this position will be handed over, and none up to it; read older ones from the log. */
  readonly after: number;
  stop(): void;
}

/** Selects the subscriptions to create deliveries for. */
export interface DeliveryQuery {
  /** Only those of this application. */
  readonly application?: string;
  /** Only those with this webhook. */
  readonly webhook?: string;
  /** Include events written before the subscription was created. */
  readonly includesOlder?: boolean;
  /** Mark the envelope as a replay. */
  readonly isReplay?: boolean;
}

/** Follows the event log and matches events with subscriptions, for streams and webhooks. */
export interface EventFeed {
  /**
   * Calls `listener` with everything committed from now on, in log order, each position once. It must not throw or take
   * long: all followers wait for each other.
   */
  follow(listener: (batch: MatchedBatch) => void): LogSubscription;
  /** The position up to which followers have been called. */
  position(): number;
  /** The deliveries of these events, given in log order, for the current subscriptions. */
  deliveriesOf(events: readonly LoggedEvent[], query: DeliveryQuery): Promise<MatchedEvent[]>;
  /**
   * Hands over events that have just got their positions, without gaps in between, so that they need not be read from the
   * log. Those that do not follow on the last ones are read all the same.
   */
  offer(events: readonly LoggedEvent[]): void;
  /** Gives positions to everything committed so far, also by other processes; returns the last one. */
  settle(): Promise<number>;
  /** Resolves once everything committed so far has been handed over, also what other processes wrote. */
  waitUntilCaughtUp(): Promise<void>;
  /** Starts following the log at its end. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Settings for activity. */
export interface ActivitySettings {
  /** How long events are kept, in seconds. */
  readonly retention_s: number;
  /** Whether an application may itself subscribe to private events of users who let it read their messages. */
  readonly bearerSeesPrivate: boolean;
}

const UUID_PREFIX = '73';
const UUID_DIGITS = 17;

/** The `event_uuid` of an event: decimal text of 19 digits, derived from its position. */
export function eventUuid(position: number): string {
  return UUID_PREFIX + String(position).padStart(UUID_DIGITS, '0');
}
