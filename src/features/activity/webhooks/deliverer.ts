import type { Clock } from '../../../base/clock.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { every, pause, within } from '../../../base/timers.ts';
import type { Sender } from '../../../contract/services/sending.ts';
import type { Delivery, EventFeed, LogSubscription, MatchedBatch } from '../../../contract/store/events.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { LeasedPosition } from '../../../contract/store/webhook-leases.ts';
import type { Node } from '../../platform/node.ts';
import { openClaims } from './claims.ts';
import { type LeasedWebhook, openDeliveryStore } from './delivery-store.ts';
import { type HeldWebhook, type HeldWebhookDependencies, openHeldWebhook } from './held-webhook.ts';
import { messageIdOf } from './message-id.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import type { LogCursor } from './settled-position.ts';

/** Dependencies of the deliverer. */
export interface DelivererDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly box: SecretBox;
  readonly feed: EventFeed;
  readonly sender: Sender;
  /** The node that holds the leases. */
  readonly node: Node;
  /**
   * How long the lease of a webhook lasts unless it is renewed, by the clock of the database. Undefined where no other
   * process can share the database: leases have no end, so that an idle server writes nothing. @source decision 777
   */
  readonly lease_s: number | undefined;
  /** Seconds before each retry. */
  readonly retries_s: readonly number[];
  readonly nextTransactionId: () => string;
  /** Called with the age of an event in seconds when a receiver accepted it. */
  readonly onDelivered: (age_s: number) => void;
  /** Called when another node has taken a webhook that this one held, or it was removed. */
  readonly onLeaseLost: (webhook: string) => void;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Delivers the events of the log to the webhooks that its node has leased. */
export interface Deliverer {
  readonly receivers: Receivers;
  /** Leases webhooks, continues in the log where each was left, and follows it. Also after `abandon`. */
  start(): Promise<void>;
  /** How many deliveries are in memory, queued or in flight. */
  countInMemory(): number;
  /** Whether every delivery that is due was sent and its outcome stored, apart from those that the node may not send. */
  isIdle(): boolean;
  /** Sends to each webhook one message after the other, until the result is called. */
  sendInTurn(): () => void;
  /** The ids of the webhooks that the node has leased. */
  held(): readonly string[];
  /** Forgets all webhooks, and stores nothing more about them; replies to requests in flight are ignored. */
  abandon(): Promise<void>;
  /** Waits shortly for requests in flight, and gives all leases back; what is unfinished is sent by the next holder. */
  stop(): Promise<void>;
}

/** Milliseconds after which a burst that is not sent moves to the database. */
const BURST_MS = 1000;
/** Events in one read of the log. */
const EVENTS_PER_READ = 500;
/** Milliseconds before a failed read is retried. */
const RETRY_MS = 1000;
/** How long requests in flight may take at shutdown. */
const SHUTDOWN_MS = 3000;
/** How often positions are stored that moved without a delivery. */
const POSITIONS_MS = 5000;
/** How often it is looked in the time of a lease whether leases are to be renewed. */
const LOOKS = 12;

/**
 * Delivers to the webhooks that this node holds. Their part of the log is what lies above their settled position: up to
 * where the event feed is when they are taken, it is read from the database, and then it comes from the feed.
 * @source decision 770
 */
export function createDeliverer(parts: DelivererDependencies): Deliverer {
  const { store, feed, node, lease_s, onError } = parts;
  const receivers = openReceivers(parts);
  const held = new Map<string, HeldWebhook>();
  const memory: HeldWebhookDependencies['memory'] = { deliveries: 0, concurrent_max: undefined };
  /** How far the feed has come. */
  const live: LogCursor = { position: 0 };
  let isStopped = false;
  let feedSubscription: LogSubscription | undefined;
  let stopTimers = (): void => {};

  const forget = (webhook: LeasedWebhook): void => {
    if (held.get(webhook.webhook_id) === webhook) held.delete(webhook.webhook_id);
  };
  const lose = (webhook: LeasedWebhook): void => {
    (webhook as HeldWebhook).abandon();
    forget(webhook);
    parts.onLeaseLost(webhook.webhook_id);
  };
  const wakeAll = (): void => {
    for (const webhook of held.values()) webhook.wake();
  };
  const deliveryStore = openDeliveryStore({
    ...{ store, lease_s, onError },
    node: node.id,
    held: () => held.values(),
    onLost(webhook) {
      lose(webhook);
      claims.look();
    },
    onRenewed: (webhook) => (webhook as HeldWebhook).wake(),
    onRoom: wakeAll,
  });

  const onBatch = ({ lastPosition, byApplication }: MatchedBatch): void => {
    for (const [id, deliveries] of byWebhook([...byApplication.values()].flat())) {
      const webhook = held.get(id);
      if (webhook?.fromFeed) webhook.fromFeed.push({ lastPosition, deliveries });
      else webhook?.addBatch(lastPosition, deliveries);
    }
    live.position = lastPosition;
  };

  /** Reads the log for webhooks up to where the feed continued. Retries until it succeeds. */
  const catchUp = async (webhooks: readonly HeldWebhook[], cursor: LogCursor, until: number): Promise<void> => {
    const isWanted = (): boolean => !isStopped && webhooks.some((each) => !each.isLost && !each.isLeaving);
    let stored: ReadonlySet<string> | undefined;
    while (cursor.position < until && isWanted()) {
      try {
        stored ??= await findStored(webhooks, cursor.position);
        const range = { after: cursor.position, until, limit: EVENTS_PER_READ };
        const events = await store.read((tx) => tx.events.list(range));
        // A subscription that another process has made or removed before these events were appended counts.
        await store.fence?.();
        const matched = byWebhook(await feed.deliveriesOf(events, {}));
        const lastPosition = events.length < EVENTS_PER_READ ? until : events.at(-1)!.position;
        for (const webhook of webhooks) {
          const deliveries = matched.get(webhook.webhook_id) ?? NONE;
          webhook.addBatch(
            lastPosition,
            deliveries.filter((each) => !stored!.has(messageKey(each))),
          );
        }
        cursor.position = lastPosition;
      } catch (error) {
        onError(error);
        await pause(RETRY_MS);
      }
    }
  };
  /** The deliveries of events above a position that are stored already. */
  const findStored = async (webhooks: readonly HeldWebhook[], position: number): Promise<ReadonlySet<string>> => {
    const ids = webhooks.map(({ webhook_id }) => webhook_id);
    const messages = await store.read((tx) => tx.webhookDeliveries.listMessagesAfter(ids, position));
    return new Set(messages.map(({ webhook_id, message_id }) => `${webhook_id} ${message_id}`));
  };

  /** Begins to deliver to webhooks that were just leased. */
  const begin = async (leased: readonly LeasedPosition[], leasedUntil_ms: number): Promise<void> => {
    const until = live.position;
    const cursor = { position: Math.min(...leased.map(({ settled_position }) => settled_position)) };
    const shared = { ...parts, receivers, deliveryStore, memory };
    const webhooks = leased.map((each) => openHeldWebhook(each, { cursor, leasedUntil_ms }, shared));
    for (const webhook of webhooks) {
      // Others took this node for dead and freed it.
      const former = held.get(webhook.webhook_id);
      if (former) lose(former);
      held.set(webhook.webhook_id, webhook);
    }
    await catchUp(webhooks, cursor, until);
    if (isStopped) return;
    for (const webhook of webhooks) {
      if (webhook.isLost || webhook.isLeaving) continue;
      for (const { lastPosition, deliveries } of webhook.fromFeed!) webhook.addBatch(lastPosition, deliveries);
      webhook.fromFeed = undefined;
      webhook.settled.cursor = live;
      webhook.resume();
    }
  };
  const giveBack = async (webhooks: readonly HeldWebhook[]): Promise<void> => {
    await Promise.all(
      webhooks.map(async (webhook) => {
        await webhook.leave('given back');
        await deliveryStore.giveBack([webhook]);
        forget(webhook);
      }),
    );
  };
  const claims = openClaims({ store, node, lease_s, held, begin, giveBack, onError });

  const stopFollowing = async (): Promise<void> => {
    isStopped = true;
    stopTimers();
    feedSubscription?.stop();
    await claims.stop();
  };

  receivers.onChange(() => {
    for (const webhook of held.values()) {
      webhook.wake();
      webhook.resume();
    }
    // There may be a new webhook.
    claims.look();
  });
  store.onInvalidate(['delivery'], (tags) => {
    const due = tags === 'everything' ? [...held.keys()] : [...tags].map((tag) => tag.slice(tag.indexOf(':') + 1));
    for (const id of due) held.get(id)?.resume();
  });

  return {
    receivers,
    async start() {
      isStopped = false;
      feedSubscription = feed.follow(onBatch);
      live.position = feedSubscription.after;
      await claims.start();
      const timers = [
        every(BURST_MS, () => {
          for (const webhook of held.values()) webhook.spillIfSlow();
        }),
        every(POSITIONS_MS, () => {
          for (const webhook of held.values()) webhook.settled.forgetFloor();
          deliveryStore.storePositions();
        }),
        ...(lease_s === undefined ? [] : [every((lease_s * 1000) / LOOKS, () => void deliveryStore.renew())]),
      ];
      stopTimers = () => {
        for (const stop of timers) stop();
      };
    },
    countInMemory: () => memory.deliveries,
    isIdle: () =>
      memory.deliveries === 0 &&
      deliveryStore.isIdle() &&
      claims.isIdle() &&
      [...held.values()].every(({ isReading }) => !isReading),
    sendInTurn() {
      memory.concurrent_max = 1;
      return () => {
        memory.concurrent_max = undefined;
        wakeAll();
      };
    },
    held: () => [...held.keys()],
    async abandon() {
      await stopFollowing();
      for (const webhook of held.values()) webhook.abandon();
      held.clear();
      await deliveryStore.flush();
    },
    async stop() {
      await stopFollowing();
      const all = [...held.values()];
      const isIdle = Promise.all(all.map((webhook) => webhook.leave('shutdown')));
      await within(SHUTDOWN_MS, isIdle).catch(() => undefined);
      void deliveryStore.giveBack(all);
      await deliveryStore.flush();
      held.clear();
    },
  };
}

const NONE: readonly Delivery[] = [];

function byWebhook(deliveries: readonly Delivery[]): ReadonlyMap<string, readonly Delivery[]> {
  return Map.groupBy(
    deliveries.filter(({ subscription }) => subscription.webhook_id !== null),
    ({ subscription }) => subscription.webhook_id!,
  );
}

function messageKey({ event, subscription }: Delivery): string {
  return `${subscription.webhook_id} ${messageIdOf(event.position, subscription.id)}`;
}
