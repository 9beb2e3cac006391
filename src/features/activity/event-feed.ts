import { every } from '../../base/timers.ts';
import type { DeliveryQuery, EventFeed, LoggedEvent, MatchedBatch, MatchedEvent } from '../../contract/store/events.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { type Consent, openConsents } from './consents.ts';
import { EventDelivery } from './envelopes.ts';
import { foldedText, isMatch, type SubscriptionMatcher } from './matching.ts';
import { singleRun } from './single-run.ts';
import { openSubscriptionIndex } from './subscription-index.ts';

/** Dependencies of the event feed. */
export interface EventFeedDependencies {
  readonly store: Store;
  readonly withSubscriptionId: boolean;
  /** Translates envelopes into the alias vocabulary, if one is configured. */
  readonly translate?: ((envelope: string) => string) | undefined;
  /** Called when the log could not be read; reading is retried. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of events matched in one batch. */
const BATCH_MAX = 500;
/** Maximum number of batches waiting to be matched; beyond it, the log is read instead. */
const OFFERED_MAX = 20;
/** Interval of polling for events of other processes, in milliseconds. */
const POLL_MS = 250;

interface Candidate {
  readonly event: LoggedEvent;
  readonly matcher: SubscriptionMatcher;
}

/** Finds the subscriptions that events match, and what is delivered to them. */
function eventMatching({ store, withSubscriptionId, translate }: EventFeedDependencies) {
  const { candidatesFor, refresh } = openSubscriptionIndex(store);
  const consents = openConsents(store);

  const candidatesOf = (events: readonly LoggedEvent[], query: DeliveryQuery): Candidate[] => {
    const found: Candidate[] = [];
    for (const event of events) {
      let text: string | null | undefined;
      for (const matcher of candidatesFor(event)) {
        const { subscription } = matcher;
        if (query.application !== undefined && subscription.application_id !== query.application) continue;
        if (query.webhook !== undefined && subscription.webhook_id !== query.webhook) continue;
        if (!query.includesOlder && event.position <= subscription.since_position) continue;
        if (text === undefined) text = foldedText(event);
        if (isMatch(matcher, event, text)) found.push({ event, matcher });
      }
    }
    return found;
  };

  const deliveriesOf: EventFeed['deliveriesOf'] = async (events, query) => {
    await refresh();
    const candidates = candidatesOf(events, query);
    const asked = candidates.map(consentOf).filter((consent) => consent !== undefined);
    if (asked.length > 0) await consents.load(asked);
    const style = { withSubscriptionId, translate, isReplay: query.isReplay ?? false };
    const isAllowed = (candidate: Candidate): boolean => {
      const consent = consentOf(candidate);
      return consent === undefined || consents.has(consent);
    };
    return candidates
      .filter(isAllowed)
      .map(({ event, matcher }) => new EventDelivery(event, matcher.subscription, style));
  };
  return { refresh, deliveriesOf };
}

/** The events that are not matched yet: those that were offered, and others of the log. */
function unmatchedEvents(store: Store) {
  /** Batches from the sequencer. */
  let offered: (readonly LoggedEvent[])[] = [];
  /** Whether the log may hold events that were not offered. */
  let hasUnread = false;
  const readInstead = (): void => {
    offered = [];
    hasUnread = true;
  };
  const takeOffered = (after: number): readonly LoggedEvent[] | undefined => {
    for (let batch = offered.shift(); batch; batch = offered.shift()) {
      if (batch[0]!.position > after + 1) return void readInstead();
      const events = batch.filter(({ position }) => position > after);
      if (events.length > 0) return events;
    }
    return undefined;
  };
  return {
    readInstead,
    readToo(): void {
      hasUnread = true;
    },
    hasMore: () => hasUnread || offered.length > 0,
    add(events: readonly LoggedEvent[]): void {
      if (offered.length < OFFERED_MAX) offered.push(events);
      else readInstead();
    },
    /** The next events after a position. */
    async next(after: number): Promise<readonly LoggedEvent[]> {
      const taken = takeOffered(after);
      if (taken || !hasUnread) return taken ?? [];
      hasUnread = false;
      const events = await store.read((tx) => tx.events.list({ after, limit: BATCH_MAX }));
      if (events.length === BATCH_MAX) hasUnread = true;
      return events;
    },
  };
}

/**
 * Follows the event log, once for all listeners of a process. It is woken by events that get their positions in this
 * process, on SQLite before the unit of work that appends them is acknowledged; those of other processes are polled for.
 * Events are delivered in log order, and match only subscriptions that existed when they were appended.
 * @source decision 326, 328, 340, 761
 */
export function openEventFeed(deps: EventFeedDependencies): EventFeed {
  const { store, onError } = deps;
  const { refresh, deliveriesOf } = eventMatching(deps);
  const unmatched = unmatchedEvents(store);
  const listeners = new Set<(batch: MatchedBatch) => void>();
  let position = 0;
  let isRunning = false;
  let stopPolling = (): void => {};

  /** Waits for the fence, so that subscription changes of other processes are seen. */
  const liveDeliveriesOf = async (events: readonly LoggedEvent[]): Promise<MatchedEvent[]> => {
    await store.fence?.();
    return deliveriesOf(events, {});
  };
  const settle = (): Promise<number> =>
    store.sequencer ? store.write((tx) => tx.events.assignPositions()) : store.read((tx) => tx.events.findLast());

  const readBatches = async (): Promise<void> => {
    while (isRunning) {
      const events = await unmatched.next(position);
      const last = events.at(-1);
      if (!last) {
        if (unmatched.hasMore()) continue;
        return;
      }
      const deliveries = listeners.size > 0 ? await liveDeliveriesOf(events) : [];
      const batch = { lastPosition: last.position, events, byApplication: groupByApplication(deliveries) };
      position = last.position;
      for (const listener of listeners) listener(batch);
    }
  };

  const runs = singleRun(readBatches, { hasMore: () => isRunning && unmatched.hasMore(), onError });
  const wake = (): void => {
    unmatched.readToo();
    run();
  };
  const run = (): void => {
    if (isRunning) runs.run();
  };
  /** Finds events of other processes, which do not wake this one. */
  const poll = async (): Promise<void> => {
    const before = position;
    const last = await store.read((tx) => tx.events.findLast());
    // After a failover to a replica the end of the log may be lost: positions are used again.
    if (last < before) position = last;
    else if (last > position) wake();
  };
  store.onInvalidate(['event'], wake);

  return {
    follow(listener) {
      // The same function may listen twice.
      const own = (batch: MatchedBatch): void => listener(batch);
      listeners.add(own);
      return { after: position, stop: () => void listeners.delete(own) };
    },
    position: () => position,
    deliveriesOf,
    offer(events) {
      unmatched.add(events);
      run();
    },
    settle,
    async waitUntilCaughtUp() {
      const last = await settle();
      while (isRunning && position < last) {
        wake();
        await runs.ended();
      }
    },
    async start() {
      unmatched.readInstead();
      position = await settle();
      await refresh();
      isRunning = true;
      // Requests report an unavailable database; the next poll comes soon.
      stopPolling = every(POLL_MS, () => void poll().catch(() => undefined));
      wake();
    },
    async stop() {
      isRunning = false;
      stopPolling();
      await runs.ended();
    },
  };
}

function consentOf({ matcher }: Candidate): Consent | undefined {
  const { consentingUser, subscription } = matcher;
  return consentingUser === undefined ? undefined : { user: consentingUser, application: subscription.application_id };
}

function groupByApplication(deliveries: readonly MatchedEvent[]): ReadonlyMap<string, readonly MatchedEvent[]> {
  const groups = new Map<string, MatchedEvent[]>();
  for (const delivery of deliveries) {
    const { application_id: application } = delivery.subscription;
    const group = groups.get(application);
    if (group) group.push(delivery);
    else groups.set(application, [delivery]);
  }
  return groups;
}
