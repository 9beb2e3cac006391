import { isKnownEventType, type LoggedEvent } from '../../contract/store/events.ts';
import type { Subscription } from '../../storage/tables/subscriptions.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { matcherFor, type SubscriptionMatcher } from './matching.ts';

/** All subscriptions in memory, by event type and user. */
export interface SubscriptionIndex {
  /** Loads every change that was acknowledged before the call. */
  refresh(): Promise<void>;
  /** The subscriptions to the type and user of an event, ordered by id. */
  candidatesFor(event: LoggedEvent): readonly SubscriptionMatcher[];
}

const TAG = 'subscription:';
const PAGE = 1000;
const NONE: readonly SubscriptionMatcher[] = [];

/**
 * Loads the subscriptions of a store. A unit of work that changes one marks it stale before it is acknowledged, and
 * `refresh` reloads stale ones: an event that is appended after the acknowledgement sees the change.
 */
export function openSubscriptionIndex(store: Store): SubscriptionIndex {
  const byId = new Map<string, SubscriptionMatcher>();
  const byTopic = new Map<string, SubscriptionMatcher[]>();
  let stale: Set<string> | 'all' = 'all';
  store.onInvalidate(['subscription'], (tags) => {
    if (tags === 'everything') stale = 'all';
    if (tags === 'everything' || stale === 'all') return;
    for (const tag of tags) if (tag.startsWith(TAG)) stale.add(tag.slice(TAG.length));
  });

  const drop = (id: string): void => {
    const known = byId.get(id);
    if (!known) return;
    byId.delete(id);
    const cause = topicOf(known.subscription);
    const left = byTopic.get(cause)!.filter((each) => each !== known);
    if (left.length > 0) byTopic.set(cause, left);
    else byTopic.delete(cause);
  };
  const put = (subscription: Subscription): void => {
    const known = byId.get(subscription.id)?.subscription;
    // The other columns are immutable.
    if (known && known.tag === subscription.tag && known.webhook_id === subscription.webhook_id) return;
    drop(subscription.id);
    // A newer version knows it. @source decision 833
    if (!isKnownEventType(subscription.event_type)) return;
    const matcher = matcherFor(subscription);
    byId.set(subscription.id, matcher);
    const cause = topicOf(subscription);
    const there = byTopic.get(cause);
    if (there) insertInOrder(there, matcher);
    else byTopic.set(cause, [matcher]);
  };

  const readAll = async (): Promise<void> => {
    const gone = new Set(byId.keys());
    for (let after = ''; ; ) {
      const found = await store.read((tx) => tx.subscriptions.listAll(after, PAGE));
      for (const each of found) {
        gone.delete(each.id);
        put(each);
      }
      if (found.length < PAGE) break;
      after = found.at(-1)!.id;
    }
    for (const id of gone) drop(id);
  };

  const readSome = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += PAGE) {
      const some = ids.slice(from, from + PAGE);
      const found = new Map(
        (await store.read((tx) => tx.subscriptions.list(some))).map((each) => [each.id, each] as const),
      );
      for (const id of some) {
        const subscription = found.get(id);
        if (subscription) put(subscription);
        else drop(id);
      }
    }
  };

  const refreshOnce = async (): Promise<void> => {
    if (stale !== 'all' && stale.size === 0) return;
    const meant = stale;
    // A subscription marked during the read may have been read before its change: it stays stale.
    stale = new Set();
    try {
      await (meant === 'all' ? readAll() : readSome([...meant]));
    } catch (error) {
      stale = 'all';
      throw error;
    }
  };
  let refreshing: Promise<void> = Promise.resolve();

  return {
    refresh() {
      refreshing = refreshing.then(refreshOnce, refreshOnce);
      return refreshing;
    },
    candidatesFor(event) {
      const ofUser = byTopic.get(`${event.event_type} ${event.user_id}`) ?? NONE;
      const ofAnybody = byTopic.get(`${event.event_type} `);
      return ofAnybody ? [...ofUser, ...ofAnybody].sort(compareIds) : ofUser;
    },
  };
}

function topicOf({ event_type, filter_user_id }: Subscription): string {
  return `${event_type} ${filter_user_id ?? ''}`;
}

/** Ids have a fixed length: text order is numeric order. */
function compareIds(a: SubscriptionMatcher, b: SubscriptionMatcher): number {
  return a.subscription.id < b.subscription.id ? -1 : 1;
}

function insertInOrder(list: SubscriptionMatcher[], matcher: SubscriptionMatcher): void {
  let place = list.length;
  while (place > 0 && compareIds(matcher, list[place - 1]!) < 0) place -= 1;
  list.splice(place, 0, matcher);
}
