import type { Direction, EventType } from './events.ts';

/** What an application wants to be told of, as it is kept. Times are UTC texts. */
export interface Subscription {
  /** Decimal text. */
  readonly id: string;
  readonly application_id: string;
  /** The user with whose token it was made; null when the application made it by itself. */
  readonly user_id: string | null;
  readonly event_type: EventType;
  /** JSON text: the filter as replies and envelopes show it. */
  readonly filter: string;
  readonly filter_user_id: string | null;
  readonly filter_keyword: string | null;
  /** As it was given; what it is where none was given follows from the type. */
  readonly filter_direction: Direction | 'both' | null;
  readonly tag: string | null;
  readonly webhook_id: string | null;
  /** The end of the log when it was made: events up to there are older than it. */
  readonly since_position: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A page of subscriptions, oldest first. */
export interface SubscriptionQuery {
  readonly application: string;
  /** Those that this user made; all when it is undefined. */
  readonly user: string | undefined;
  /** The id after which the page starts; empty for the first. */
  readonly after: string;
  readonly limit: number;
}

/** What of a subscription tells whether another one is the same. @source activity gaps 17.2 */
export interface DedupKey {
  readonly application_id: string;
  /** Type, filter and webhook, as one text. */
  readonly sense: string;
}

/**
 * Subscriptions, as they are kept. Every change touches `subscription:<id>`: those in use are kept in memory and read
 * again before the next event is matched.
 */
export interface Subscriptions {
  find(id: string): Promise<Subscription | undefined>;
  /** Those of these ids that there are, in no order. */
  list(ids: readonly string[]): Promise<Subscription[]>;
  /** All of them, by id; the next `limit` after an id. */
  listAll(after: string, limit: number): Promise<Subscription[]>;
  page(query: SubscriptionQuery): Promise<Subscription[]>;
  /** Those that point to a webhook, at most `limit` of them, in no order. */
  listOfWebhook(webhook: string, limit: number): Promise<Subscription[]>;
  findDuplicate(sense: DedupKey): Promise<Subscription | undefined>;
  /** How many an application has; with a user, those that this user made. */
  findCount(application: string, user: string | undefined): Promise<number>;
  add(subscription: Subscription & DedupKey): Promise<void>;
  change(
    id: string,
    changes: Partial<Pick<Subscription, 'tag' | 'webhook_id' | 'updated_at'>> & Partial<DedupKey>,
  ): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
