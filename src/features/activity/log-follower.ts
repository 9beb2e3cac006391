import { every } from '../../base/timers.ts';
import type { Activity, Delivery, DeliveryQuery, LoggedEvent, MatchedBatch } from '../../contract/store/events.ts';
import type { Store } from '../../contract/store/store.ts';
import { type Consent, consentsOf } from './consents.ts';
import { EventDelivery } from './envelopes.ts';
import { foldedTextOf, isMatch, type Watch } from './matching.ts';
import { watchesOf } from './subscription-index.ts';

/** What following the log needs. */
export interface ActivityParts {
  readonly store: Store;
  readonly withSubscriptionId: boolean;
  /** Is told why the log could not be read; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** Events that are matched together. */
const BATCH_MAX = 500;
/** How soon what another process has written is noticed, in milliseconds. */
const LOOK_MS = 250;

interface Candidate {
  readonly event: LoggedEvent;
  readonly watch: Watch;
}

/**
 * Follows the log of a store: once for all who listen. A unit that appends wakes it up before it is acknowledged; what
 * other processes append is looked for several times a second. Events are handed over in the order of the log, matched
 * with subscriptions that are at least as new as they are.
 */
export function openActivity({ store, withSubscriptionId, failed }: ActivityParts): Activity {
  const watches = watchesOf(store);
  const consents = consentsOf(store);
  const listeners = new Set<(batch: MatchedBatch) => void>();
  let position = 0;
  let isOn = false;
  let isWanted = false;
  let isFailing = false;
  let running: Promise<void> | undefined;
  let stopLooking = (): void => {};

  const candidatesOf = (events: readonly LoggedEvent[], query: DeliveryQuery): Candidate[] => {
    const found: Candidate[] = [];
    for (const event of events) {
      let text: string | null | undefined;
      for (const watch of watches.waitingFor(event)) {
        const { subscription } = watch;
        if (query.application !== undefined && subscription.application_id !== query.application) continue;
        if (query.webhook !== undefined && subscription.webhook_id !== query.webhook) continue;
        if (!query.includesOlder && event.position <= subscription.since_position) continue;
        if (text === undefined) text = foldedTextOf(event);
        if (isMatch(watch, event, text)) found.push({ event, watch });
      }
    }
    return found;
  };

  const deliveriesOf: Activity['deliveriesOf'] = async (events, query) => {
    await watches.refresh();
    const candidates = candidatesOf(events, query);
    const asked = candidates.map(consentOf).filter((consent) => consent !== undefined);
    if (asked.length > 0) await consents.learn(asked);
    const style = { withSubscriptionId, isReplay: query.isReplay ?? false };
    const isAllowed = (candidate: Candidate): boolean => {
      const consent = consentOf(candidate);
      return consent === undefined || consents.has(consent);
    };
    return candidates.filter(isAllowed).map(({ event, watch }) => new EventDelivery(event, watch.subscription, style));
  };

  const round = async (): Promise<void> => {
    while (isOn) {
      isWanted = false;
      const events = await store.read((tx) => tx.events.list({ after: position, limit: BATCH_MAX }));
      const last = events.at(-1);
      if (!last) {
        if (isWanted) continue;
        return;
      }
      const deliveries = listeners.size > 0 ? await deliveriesOf(events, {}) : [];
      const batch = { lastPosition: last.position, events, byApplication: grouped(deliveries) };
      position = last.position;
      for (const listener of listeners) listener(batch);
    }
  };

  const wake = (): void => {
    isWanted = true;
    if (!isOn || running) return;
    running = round()
      .then(
        () => {
          isFailing = false;
        },
        (error) => {
          // The database may be away for a while: the next look comes soon, and says it again only when it was back.
          if (!isFailing) failed(error);
          isFailing = true;
        },
      )
      .finally(() => {
        running = undefined;
        if (isWanted) wake();
      });
  };
  /** What other processes append wakes nobody. */
  const look = async (): Promise<void> => {
    const before = position;
    const last = await store.read((tx) => tx.events.findLast());
    // A database that failed over to a copy may have lost the end of its log: what comes there now is new.
    if (last < before) position = last;
    else if (last > position) wake();
  };
  store.onInvalidate((tags) => {
    if (tags === 'everything' || tags.has('event:')) wake();
  });

  return {
    follow(listener) {
      // One function may listen twice.
      const own = (batch: MatchedBatch): void => listener(batch);
      listeners.add(own);
      return { after: position, stop: () => void listeners.delete(own) };
    },
    position: () => position,
    deliveriesOf,
    async waitUntilCaughtUp() {
      const last = await store.read((tx) => tx.events.findLast());
      while (isOn && position < last) {
        wake();
        await running;
      }
    },
    async start() {
      position = await store.read((tx) => tx.events.findLast());
      await watches.refresh();
      isOn = true;
      // A database that is away says so to every request; the next look comes soon.
      stopLooking = every(LOOK_MS, () => void look().catch(() => undefined));
      wake();
    },
    async stop() {
      isOn = false;
      stopLooking();
      await running;
    },
  };
}

function consentOf({ watch }: Candidate): Consent | undefined {
  const { consenting, subscription } = watch;
  return consenting === undefined ? undefined : { user: consenting, application: subscription.application_id };
}

function grouped(deliveries: readonly Delivery[]): ReadonlyMap<string, readonly Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const { application_id: application } = delivery.subscription;
    const group = groups.get(application);
    if (group) group.push(delivery);
    else groups.set(application, [delivery]);
  }
  return groups;
}
