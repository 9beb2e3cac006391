import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { after, elapsed_ms } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import type { Delivery } from '../../../contract/store/events.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { LeasedPosition } from '../../../contract/store/webhook-leases.ts';
import type { WebhookDelivery } from '../../../contract/store/webhooks.ts';
import { afterAttempt, isGone } from './attempts.ts';
import type { DeliveryStore, LeasedWebhook } from './delivery-store.ts';
import { messageIdOf } from './message-id.ts';
import type { Receivers } from './receivers.ts';
import { createSendQueue } from './send-queue.ts';
import { type LogBatch, type LogCursor, SettledPosition } from './settled-position.ts';

/** What the webhooks of a node share. */
export interface HeldWebhookDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** Receivers compare the timestamps of messages with clocks of their own. */
  readonly wallClock: Clock;
  readonly sender: Sender;
  readonly receivers: Receivers;
  readonly deliveryStore: DeliveryStore;
  readonly memory: {
    /** Counts the deliveries in memory, queued or in flight, of all webhooks. */
    deliveries: number;
    /** How many requests to one webhook may be in flight; undefined: as many as usual. */
    concurrent_max: number | undefined;
  };
  /** Seconds before each retry. */
  readonly retries_s: readonly number[];
  readonly nextTransactionId: () => string;
  /** Called with the age of an event in seconds when a receiver accepted it. */
  readonly onDelivered: (age_s: number) => void;
  readonly onError: (error: unknown) => void;
}

/** A webhook that this node has leased, with the deliveries to it. */
export interface HeldWebhook extends LeasedWebhook {
  /** Its deliveries are still being read from the log; undefined when they come from the event feed alone. */
  fromFeed: { readonly lastPosition: number; readonly deliveries: readonly Delivery[] }[] | undefined;
  /** It is to be given back: it takes no more deliveries. */
  readonly isLeaving: boolean;
  /** How many deliveries wait in memory. */
  size(): number;
  /** Whether deliveries are being read from the database, or will be without another call. */
  readonly isReading: boolean;
  /** Adds the deliveries of the next part of the log, which ends at a position. */
  addBatch(lastPosition: number, deliveries: readonly Delivery[]): void;
  /** Sends what is due in the database. */
  resume(): void;
  /** Continues after the receiver has changed, the lease was renewed, or there is room again. */
  wake(): void;
  /** Moves the queue of a slow receiver to the database; otherwise its position could not advance. */
  spillIfSlow(): void;
  /**
   * Sends nothing more; resolves when nothing is in flight. What is not sent is left to the next lease. At a shutdown,
   * requests are aborted: their failures are not stored.
   */
  leave(why: 'shutdown' | 'given back'): Promise<void>;
  /** The lease is lost: forgets everything. */
  abandon(): void;
}

/** Deliveries in memory for one webhook; reads from the database fill the queue up to this. @source decision 396 */
const QUEUE_MAX = 1000;
/** The limit during a short burst, which stays in memory too: storing it takes longer than sending it. */
const BURST_MAX = 10_000;
/** The limit for all webhooks together. */
const MEMORY_MAX = 50_000;
/** Deliveries in one read of the database. */
const DELIVERIES_PER_READ = 500;
/** Milliseconds before a failed read is retried. */
const RETRY_MS = 1000;

/** A delivery whose body may be bytes or text. */
type Unsent = Omit<WebhookDelivery, 'body'> & { readonly body: string | Buffer };

/**
 * Delivers to a webhook: each event is sent when it was read from the log, and stored with its outcome. The settled
 * position never passes a delivery that is not stored, so that a crash repeats deliveries but loses none.
 * @source decision 395, 770
 */
export function openHeldWebhook(
  { webhook_id, fencing_number, settled_position }: LeasedPosition,
  { cursor, leasedUntil_ms }: { readonly cursor: LogCursor; readonly leasedUntil_ms: number },
  parts: HeldWebhookDependencies,
): HeldWebhook {
  const { store, clock, wallClock, receivers, deliveryStore, memory, retries_s, onError } = parts;
  const nowText = (): string => formatInstant(clock.now());
  let leaving: 'shutdown' | 'given back' | undefined;
  /** New messages go to the database until it has been read to the end. */
  let isSpilling = false;
  /** How many messages had been added at the last progress check. */
  let addedAtLastCheck = 0;
  /** The database may have due messages. */
  let hasDue = false;
  let isReading = false;
  /** The receiver answered that it is gone, which is being stored. */
  let isHalted = false;
  /** Messages from the database that are in memory, with the number of attempts when they were read. */
  const attemptsById = new Map<string, number>();
  /** Messages stored during a read of the database, which may have seen their previous state. */
  const storedWhileReading = new Set<string>();
  const isEnding = (): boolean => webhook.isLost || leaving !== undefined;

  const queue = createSendQueue(webhook_id, {
    ...{ receivers, onError },
    sender: parts.sender,
    nextTransactionId: parts.nextTransactionId,
    now_s: () => Math.floor(wallClock.now() / 1000),
    concurrentMax: () => memory.concurrent_max,
    // Another node may have taken a webhook whose lease could not be renewed: also after this process was frozen.
    isPaused: () => isHalted || deliveryStore.isFull() || elapsed_ms() >= webhook.leasedUntil_ms,
    onRoom: () => refill(),
  });

  /** Reads due deliveries from the database when the queue has room. */
  const refill = (): void => {
    if (isEnding() || isReading || !(isSpilling || hasDue) || queue.size() >= QUEUE_MAX / 2) return;
    isReading = true;
    hasDue = false;
    storedWhileReading.clear();
    readDue()
      .then((found) => {
        isReading = false;
        if (isEnding()) return;
        // A call during the read may mean deliveries that the read was too early for.
        const isAskedAgain = hasDue;
        const fresh = found.filter(({ message_id: id }) => !attemptsById.has(id) && !storedWhileReading.has(id));
        // Deliveries in flight are still in the database.
        if (found.length < DELIVERIES_PER_READ) isSpilling = false;
        else hasDue = true;
        for (const delivery of fresh) {
          attemptsById.set(delivery.message_id, delivery.tries.length);
          add(delivery, undefined);
        }
        if (fresh.length > 0 || isAskedAgain) refill();
      })
      .catch((error) => {
        onError(error);
        isReading = false;
        hasDue = true;
        after(RETRY_MS, refill);
      });
  };
  /** The due deliveries; none while the webhook is invalid or suspended. @source decision 393 */
  const readDue = async (): Promise<WebhookDelivery[]> => {
    const receiver = await receivers.find(webhook_id);
    // A suspended receiver keeps its deliveries in the database; a change resumes them.
    if (receiver?.state !== 'active') return [];
    return store.read((tx) => tx.webhookDeliveries.listDue(webhook_id, nowText(), DELIVERIES_PER_READ));
  };

  /** Whether another message fits in memory; otherwise it is stored to be sent later. */
  const hasRoom = (): boolean => {
    if (isSpilling) return false;
    return queue.size() < QUEUE_MAX || (queue.size() < BURST_MAX && memory.deliveries < MEMORY_MAX);
  };
  const resume = (): void => {
    hasDue = true;
    refill();
  };
  /** Stores a delivery. When it is due, reads again: the last read may have been too early for it. */
  const storeDelivery = (delivery: WebhookDelivery, batch: LogBatch | undefined, isGone = false): void => {
    const { message_id, next_at, tries } = delivery;
    isHalted ||= isGone;
    const onStored = (): void => {
      // The row is visible before this callback: it may have been read again and be in flight.
      if (attemptsById.get(message_id)! < tries.length) attemptsById.delete(message_id);
      if (isReading) storedWhileReading.add(message_id);
      if (next_at !== null && next_at <= nowText()) resume();
      // The last read may have found nothing but deliveries whose outcomes were not stored yet.
      else refill();
      if (!isGone) return;
      isHalted = false;
      queue.wake();
    };
    deliveryStore.put({ webhook, delivery, batch, isGone, onStored });
  };

  /** Handles the outcome of a delivery; `batch` is its batch when it came straight from the log. */
  const settle = (
    delivery: Unsent,
    batch: LogBatch | undefined,
    result: SendResult | 'invalid' | 'suspended',
  ): void => {
    if (webhook.isLost) return;
    if (leaving && typeof result === 'string') return;
    // Requests aborted by the shutdown are sent again after the restart.
    if (leaving === 'shutdown' && (result as SendResult).outcome === 'failed') return;
    if (result === 'invalid' || (result === 'suspended' && !batch)) {
      attemptsById.delete(delivery.message_id);
      if (batch) deliveryStore.discard(webhook, batch);
      return;
    }
    const row = { ...delivery, body: delivery.body.toString() };
    if (result === 'suspended') {
      storeDelivery(row, batch);
      return;
    }
    const tried = afterAttempt(row, result, { now_ms: clock.now(), wallNow_ms: wallClock.now(), retries_s });
    if (tried.state === 'delivered') parts.onDelivered((clock.now() - instantMs(row.created_at)) / 1000);
    storeDelivery(tried, batch, isGone(result));
  };
  const add = (delivery: Unsent, batch: LogBatch | undefined): void => {
    const { message_id: id, body } = delivery;
    memory.deliveries += 1;
    queue.add({
      id,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      onEnd: (result) => {
        memory.deliveries -= 1;
        settle(delivery, batch, result);
      },
    });
  };

  const webhook: HeldWebhook = {
    ...{ webhook_id, fencing_number, leasedUntil_ms },
    settled: new SettledPosition(cursor, settled_position),
    storedPosition: settled_position,
    isLost: false,
    fromFeed: [],
    get isLeaving() {
      return leaving !== undefined;
    },
    size: queue.size,
    get isReading() {
      return isReading;
    },
    addBatch(lastPosition, deliveries) {
      if (isEnding()) return;
      const fresh = deliveries.filter(({ event }) => !webhook.settled.isBefore(event.position));
      if (fresh.length === 0) return;
      const batch = webhook.settled.add(lastPosition, fresh.length);
      for (const { event, subscription, body } of fresh) {
        const delivery = {
          webhook_id,
          message_id: messageIdOf(event.position, subscription.id),
          position: event.position,
          subscription_id: subscription.id,
          event_type: event.event_type,
          body,
          state: 'pending' as const,
          tries: [],
          tries_before: 0,
          next_at: nowText(),
          created_at: nowText(),
        };
        if (hasRoom()) add(delivery, batch);
        else {
          isSpilling = true;
          storeDelivery({ ...delivery, body: body.toString() }, batch);
        }
      }
    },
    resume,
    wake() {
      queue.wake();
      refill();
    },
    spillIfSlow() {
      const isSlow = queue.removedCount() < addedAtLastCheck;
      addedAtLastCheck = queue.removedCount() + queue.size();
      if (!isSlow || queue.size() <= QUEUE_MAX) return;
      isSpilling = true;
      queue.truncate(QUEUE_MAX);
    },
    leave(why) {
      leaving = why;
      // The rest of the log is for the next holder.
      webhook.settled.cursor = { position: webhook.settled.cursor.position };
      return queue.stop();
    },
    abandon() {
      webhook.isLost = true;
      void queue.stop();
    },
  };
  return webhook;
}
