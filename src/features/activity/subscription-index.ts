import type { LoggedEvent } from '../../contract/store/events.ts';
import type { Store } from '../../contract/store/store.ts';
import type { Subscription } from '../../contract/store/subscriptions.ts';
import { type Watch, watchOf } from './matching.ts';

/** The subscriptions there are, kept in memory by what they wait for. */
export interface Watches {
  /** Takes up what has changed since the last time: all that was acknowledged before. */
  refresh(): Promise<void>;
  /** Those that wait for the type and the user of an event, by id. */
  waitingFor(event: LoggedEvent): readonly Watch[];
}

const TAG = 'subscription:';
const READ_AT_ONCE = 1000;
const NONE: readonly Watch[] = [];

/**
 * Keeps the subscriptions of a store. A unit that changes one marks it before the unit is acknowledged, and `refresh`
 * reads again what is marked: an event that is written after the acknowledgement finds the change.
 */
export function watchesOf(store: Store): Watches {
  const byId = new Map<string, Watch>();
  const byCause = new Map<string, Watch[]>();
  let stale: Set<string> | 'all' = 'all';
  store.onInvalidate((tags) => {
    if (tags === 'everything') stale = 'all';
    if (tags === 'everything' || stale === 'all') return;
    for (const tag of tags) if (tag.startsWith(TAG)) stale.add(tag.slice(TAG.length));
  });

  const drop = (id: string): void => {
    const known = byId.get(id);
    if (!known) return;
    byId.delete(id);
    const cause = causeOf(known.subscription);
    const left = byCause.get(cause)!.filter((each) => each !== known);
    if (left.length > 0) byCause.set(cause, left);
    else byCause.delete(cause);
  };
  const put = (subscription: Subscription): void => {
    const known = byId.get(subscription.id)?.subscription;
    // Nothing else of a subscription ever changes.
    if (known && known.tag === subscription.tag && known.webhook_id === subscription.webhook_id) return;
    drop(subscription.id);
    const watch = watchOf(subscription);
    byId.set(subscription.id, watch);
    const cause = causeOf(subscription);
    const there = byCause.get(cause);
    if (there) insertInOrder(there, watch);
    else byCause.set(cause, [watch]);
  };

  const readAll = async (): Promise<void> => {
    const gone = new Set(byId.keys());
    for (let after = ''; ; ) {
      const found = await store.read((tx) => tx.subscriptions.listAll(after, READ_AT_ONCE));
      for (const each of found) {
        gone.delete(each.id);
        put(each);
      }
      if (found.length < READ_AT_ONCE) break;
      after = found.at(-1)!.id;
    }
    for (const id of gone) drop(id);
  };

  const readSome = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const some = ids.slice(from, from + READ_AT_ONCE);
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
    // What is marked while we read may have been read as it was before: it is read again the next time.
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
    waitingFor(event) {
      const ofUser = byCause.get(`${event.event_type} ${event.user_id}`) ?? NONE;
      const ofAnybody = byCause.get(`${event.event_type} `);
      return ofAnybody ? [...ofUser, ...ofAnybody].sort(byIdOf) : ofUser;
    },
  };
}

function causeOf({ event_type, filter_user_id }: Subscription): string {
  return `${event_type} ${filter_user_id ?? ''}`;
}

/** Ids are of one length. */
function byIdOf(a: Watch, b: Watch): number {
  return a.subscription.id < b.subscription.id ? -1 : 1;
}

function insertInOrder(list: Watch[], watch: Watch): void {
  let place = list.length;
  while (place > 0 && byIdOf(watch, list[place - 1]!) < 0) place -= 1;
  list.splice(place, 0, watch);
}
