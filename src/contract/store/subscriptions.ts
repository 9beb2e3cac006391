import type { Direction, EventType } from './events.ts';

/** A stored subscription of an application to events. Times are UTC texts. */
export interface Subscription {
  /** Decimal text. */
  readonly id: string;
  readonly application_id: string;
  /** The user whose token created it; null when the application created it by itself. */
  readonly user_id: string | null;
  readonly event_type: EventType;
  /** JSON text: the filter as replies and envelopes show it. */
  readonly filter: string;
  readonly filter_user_id: string | null;
  readonly filter_keyword: string | null;
  /** As received; when it was omitted, the effective value follows from the type. */
  readonly filter_direction: Direction | 'both' | null;
  readonly tag: string | null;
  readonly webhook_id: string | null;
  /** The end of the log when it was created: events up to there are older. */
  readonly since_position: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A page of subscriptions, oldest first. */
export interface SubscriptionQuery {
  readonly application: string;
  /** Only those that this user created; all when undefined. */
  readonly user: string | undefined;
  /** Id of the last one of the previous page; empty for the first. */
  readonly after: string;
  readonly limit: number;
}

/** What must not be equal in two subscriptions. @source activity gaps 17.2 */
export interface DedupKey {
  readonly application_id: string;
  /** Type, filter and webhook, as one text. */
  readonly sense: string;
}

/**
 * The stored subscriptions. Every change invalidates `subscription:<id>`: those in use are cached, and read again
 * before the next event is matched.
 */
export interface Subscriptions {
  find(id: string): Promise<Subscription | undefined>;
  /** The subscriptions with these ids that exist, unordered. */
  list(ids: readonly string[]): Promise<Subscription[]>;
  /** All subscriptions by id: the first `limit` after an id. */
  listAll(after: string, limit: number): Promise<Subscription[]>;
  page(query: SubscriptionQuery): Promise<Subscription[]>;
  /** At most `limit` subscriptions with a webhook, unordered. */
  listOfWebhook(webhook: string, limit: number): Promise<Subscription[]>;
  findDuplicate(sense: DedupKey): Promise<Subscription | undefined>;
  /** How many an application has, or those created by one user. */
  findCount(application: string, user: string | undefined): Promise<number>;
  add(subscription: Subscription & DedupKey): Promise<void>;
  change(
    id: string,
    changes: Partial<Pick<Subscription, 'tag' | 'webhook_id' | 'updated_at'>> & Partial<DedupKey>,
  ): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
