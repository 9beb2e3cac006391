import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { after, every, within } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import {
  type Delivery,
  type EventFeed,
  eventUuid,
  type LogSubscription,
  type MatchedBatch,
} from '../../../contract/store/events.ts';
import type { Store } from '../../../contract/store/store.ts';
import { type DeliveryTry, WEBHOOK_JOBS, type WebhookDelivery } from '../../../contract/store/webhooks.ts';
import { type LogBatch, openDeliveryStore } from './delivery-store.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import { createSendQueue, type SendQueue } from './send-queue.ts';
import { invalidate } from './validity.ts';

/** Dependencies of the deliverer. */
export interface DelivererDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly feed: EventFeed;
  readonly sender: Sender;
  /** Seconds before each retry. */
  readonly retries_s: readonly number[];
  readonly nextTransactionId: () => string;
  /** Called with the age of an event in seconds when a receiver accepted it. */
  readonly onDelivered: (age_s: number) => void;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Delivers the events of the log to webhooks. */
export interface Deliverer {
  readonly receivers: Receivers;
  /** The send queue of a webhook. */
  queue(webhook: string): SendQueue;
  /** Continues in the log where the last process stopped, and follows it. */
  start(): Promise<void>;
  /** Sends the due deliveries of a webhook. */
  resume(webhook: string): void;
  /** How many deliveries are in memory, queued or in flight. */
  countInMemory(): number;
  /** Waits shortly for requests in flight; unfinished ones are sent again after the restart. */
  stop(): Promise<void>;
}

/** Deliveries in memory for one webhook; reads from the database fill the queue up to this. @source decision 396 */
const QUEUE_MAX = 1000;
/** The limit during a short burst, which stays in memory too: storing it takes longer than sending it. */
const BURST_MAX = 10_000;
/** The limit for all webhooks together. */
const MEMORY_MAX = 50_000;
/** Milliseconds after which a burst that is not sent moves to the database. */
const BURST_MS = 1000;
/** Deliveries in one read of the database. */
const DELIVERIES_PER_READ = 500;
/** Events in one read of the log. */
const EVENTS_PER_READ = 500;
/** Milliseconds before a failed read is retried. */
const RETRY_MS = 1000;
/** How long requests in flight may take at shutdown. */
const SHUTDOWN_MS = 3000;
/** The longest `Retry-After` that is honored. @source activity gaps 19.4 */
const RETRY_AFTER_MAX_S = 3600;

interface QueueState extends SendQueue {
  readonly webhook: string;
  /** New messages go to the database until it has been read to the end. */
  isSpilling: boolean;
  /** How many messages had been added at the last progress check. */
  addedAtLastCheck: number;
  /** The database may have due messages. */
  hasDue: boolean;
  isReading: boolean;
  /** Messages from the database that are in memory, with the number of attempts when they were read. */
  readonly attemptsById: Map<string, number>;
  /** Messages stored during a read of the database, which may have seen their previous state. */
  readonly storedWhileReading: Set<string>;
}

/** A delivery whose body may be bytes or text. */
type Unsent = Omit<WebhookDelivery, 'body'> & { readonly body: string | Buffer };

/** The message id of an event for a subscription, also when it is replayed. @source activity gaps 21.5; decision 397 */
export function messageIdOf(position: number, subscription: string): string {
  return `msg_${eventUuid(position)}_${subscription}`;
}

/**
 * Delivers events: each is sent when it is read from the log, and stored with its outcome. The stored position never
 * passes a delivery that is not stored, so that a crash repeats deliveries but loses none.
 * @source decision 395
 */
export function createDeliverer(parts: DelivererDependencies): Deliverer {
  const { store, clock, feed, sender, retries_s, nextTransactionId, onError } = parts;
  const receivers = openReceivers(parts);
  const queues = new Map<string, QueueState>();
  const nowText = (): string => formatInstant(clock.now());
  let isStopped = false;
  let feedSubscription: LogSubscription | undefined;
  let inMemory = 0;
  let stopSpilling = (): void => {};

  const deliveryStore = openDeliveryStore({ store, onError, onRoom: () => wakeAll() });
  const wakeAll = (): void => {
    for (const queue of queues.values()) {
      queue.wake();
      refill(queue);
    }
  };

  const queueFor = (webhook: string): QueueState => {
    const there = queues.get(webhook);
    if (there) return there;
    const lane = createSendQueue(webhook, {
      receivers,
      sender,
      nextTransactionId,
      now_s: () => Math.floor(clock.now() / 1000),
      isPaused: deliveryStore.isFull,
      onError,
      onRoom: () => refill(queue),
    });
    const queue: QueueState = {
      ...lane,
      webhook,
      isSpilling: false,
      addedAtLastCheck: 0,
      hasDue: false,
      isReading: false,
      attemptsById: new Map(),
      storedWhileReading: new Set(),
    };
    queues.set(webhook, queue);
    return queue;
  };

  /** Reads due deliveries from the database into a queue that has room. */
  const refill = (queue: QueueState): void => {
    if (isStopped || queue.isReading || !(queue.isSpilling || queue.hasDue) || queue.size() >= QUEUE_MAX / 2) return;
    queue.isReading = true;
    queue.hasDue = false;
    queue.storedWhileReading.clear();
    readDue(queue.webhook)
      .then((found) => {
        queue.isReading = false;
        // A call during the read may mean deliveries that the read was too early for.
        const isAskedAgain = queue.hasDue;
        const fresh = found.filter(
          ({ message_id: id }) => !queue.attemptsById.has(id) && !queue.storedWhileReading.has(id),
        );
        // Deliveries in flight are still in the database.
        if (found.length < DELIVERIES_PER_READ) queue.isSpilling = false;
        else queue.hasDue = true;
        for (const delivery of fresh) {
          queue.attemptsById.set(delivery.message_id, delivery.tries.length);
          add(queue, delivery, undefined);
        }
        if (fresh.length > 0 || isAskedAgain) refill(queue);
      })
      .catch((error) => {
        onError(error);
        queue.isReading = false;
        queue.hasDue = true;
        after(RETRY_MS, () => refill(queue));
      });
  };
  /** The due deliveries of a webhook; none while it is invalid or suspended. @source decision 393 */
  const readDue = async (webhook: string): Promise<WebhookDelivery[]> => {
    const receiver = await receivers.find(webhook);
    // A suspended receiver keeps its deliveries in the database; a change resumes them.
    if (receiver?.state !== 'active') return [];
    return store.read((tx) => tx.webhookDeliveries.listDue(webhook, nowText(), DELIVERIES_PER_READ));
  };

  /** Whether another message fits in memory; otherwise it is stored to be sent later. */
  const hasRoom = (queue: QueueState): boolean => {
    if (queue.isSpilling) return false;
    return queue.size() < QUEUE_MAX || (queue.size() < BURST_MAX && inMemory < MEMORY_MAX);
  };
  /** Moves the queue of a slow receiver to the database; otherwise the log position could not advance. */
  const spillIfSlow = (queue: QueueState): void => {
    const isSlow = queue.removedCount() < queue.addedAtLastCheck;
    queue.addedAtLastCheck = queue.removedCount() + queue.size();
    if (!isSlow || queue.size() <= QUEUE_MAX) return;
    queue.isSpilling = true;
    queue.truncate(QUEUE_MAX);
  };

  const resume = (queue: QueueState): void => {
    queue.hasDue = true;
    refill(queue);
  };
  /** Stores a delivery. When it is due, reads again: the last read may have been too early for it. */
  const storeDelivery = (queue: QueueState, delivery: WebhookDelivery, from: LogBatch | undefined): void => {
    const { message_id, next_at, tries } = delivery;
    const stored = (): void => {
      // The row is visible before this callback: it may have been read again and be in flight.
      if (queue.attemptsById.get(message_id)! < tries.length) queue.attemptsById.delete(message_id);
      if (queue.isReading) queue.storedWhileReading.add(message_id);
      if (next_at !== null && next_at <= nowText()) resume(queue);
    };
    deliveryStore.put({ delivery, batch: from, onStored: stored });
  };

  /** Handles the outcome of a delivery; `from` is its batch when it came straight from the log. */
  const settle = (
    queue: QueueState,
    delivery: Unsent,
    from: LogBatch | undefined,
    result: SendResult | 'invalid' | 'suspended',
  ): void => {
    // Requests aborted by the shutdown are sent again after the restart.
    if (isStopped && (typeof result === 'string' || result.outcome === 'failed')) return;
    const { webhook_id, message_id } = delivery;
    if (result === 'invalid' || (result === 'suspended' && !from)) {
      queue.attemptsById.delete(message_id);
      if (from) deliveryStore.discard(from);
      return;
    }
    const row = { ...delivery, body: delivery.body.toString() };
    if (result === 'suspended') {
      storeDelivery(queue, row, from);
      return;
    }
    if (result.outcome === 'answered' && result.status === GONE) {
      store.write((tx) => invalidate(tx, webhook_id, 'Status 410')).catch(onError);
    }
    const tried = afterAttempt(row, result, { now_ms: clock.now(), retries_s });
    if (tried.state === 'delivered') parts.onDelivered((clock.now() - instantMs(row.created_at)) / 1000);
    storeDelivery(queue, tried, from);
  };
  const add = (queue: QueueState, delivery: Unsent, from: LogBatch | undefined): void => {
    const { message_id: id, body } = delivery;
    inMemory += 1;
    queue.add({
      id,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      onEnd: (result) => {
        inMemory -= 1;
        settle(queue, delivery, from, result);
      },
    });
  };

  const addBatch = (batch: { readonly until: number; readonly deliveries: readonly Delivery[] }): void => {
    const { until, deliveries } = batch;
    const from = deliveryStore.addBatch(until, deliveries.length);
    for (const { event, subscription, body } of deliveries) {
      const delivery = {
        webhook_id: subscription.webhook_id!,
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
      const queue = queueFor(delivery.webhook_id);
      if (hasRoom(queue)) add(queue, delivery, from);
      else {
        queue.isSpilling = true;
        storeDelivery(queue, { ...delivery, body: body.toString() }, from);
      }
    }
  };
  const onBatch = ({ lastPosition: until, byApplication }: MatchedBatch): void => {
    const deliveries: Delivery[] = [];
    for (const batch of byApplication.values()) {
      for (const each of batch) if (each.subscription.webhook_id !== null) deliveries.push(each);
    }
    addBatch({ until, deliveries });
  };

  /** Reads the log above a position, up to where following begins. */
  const catchUp = async (from: number, until: number, isStored: (message: string) => boolean): Promise<void> => {
    for (let after = from; after < until && !isStopped; ) {
      const events = await store.read((tx) => tx.events.list({ after, until, limit: EVENTS_PER_READ }));
      after = events.length < EVENTS_PER_READ ? until : events.at(-1)!.position;
      const all = await feed.deliveriesOf(events, {});
      const deliveries = all.filter(({ event, subscription: { id, webhook_id } }) => {
        return webhook_id !== null && !isStored(`${webhook_id} ${messageIdOf(event.position, id)}`);
      });
      addBatch({ until: after, deliveries });
    }
  };

  receivers.onChange(() => {
    for (const queue of queues.values()) {
      queue.wake();
      resume(queue);
    }
  });

  return {
    receivers,
    queue: queueFor,
    async start() {
      const { progress, last, messages, waiting } = await store.read(async (tx) => {
        const progress = await tx.webhookDeliveries.findProgress();
        return {
          progress,
          last: await tx.events.findLast(),
          messages: progress === undefined ? [] : await tx.webhookDeliveries.listMessagesAfter(progress),
          waiting: await tx.webhookDeliveries.listWaiting(),
        };
      });
      // Without any stored progress there is nothing to catch up on.
      const from = progress ?? last;
      deliveryStore.startAt(from, progress !== undefined);
      const stored = new Set(messages.map(({ webhook_id, message_id }) => `${webhook_id} ${message_id}`));
      // The last process may have read these into memory, after which nothing would bring them up again.
      await store.write(async (tx) => {
        for (const { webhook_id: key, next_at: run_at } of waiting) {
          await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at });
        }
      });
      const isStored = (message: string): boolean => stored.has(message);
      const soFar = Math.max(from, feed.position());
      await catchUp(from, soFar, isStored);
      // Batches that arrive during the catch-up wait.
      const live: MatchedBatch[] = [];
      let isCaughtUp = false;
      feedSubscription = feed.follow((batch) => void (isCaughtUp ? onBatch(batch) : live.push(batch)));
      await catchUp(soFar, feedSubscription.after, isStored);
      for (const batch of live) onBatch(batch);
      isCaughtUp = true;
      stopSpilling = every(BURST_MS, () => queues.forEach(spillIfSlow));
    },
    resume: (webhook) => resume(queueFor(webhook)),
    countInMemory: () => inMemory,
    async stop() {
      isStopped = true;
      stopSpilling();
      feedSubscription?.stop();
      await within(SHUTDOWN_MS, Promise.all([...queues.values()].map((queue) => queue.stop()))).catch(() => undefined);
      await deliveryStore.flush();
    },
  };
}

const GONE = 410;

/**
 * A delivery after one more attempt. The next one is due at a whole second, never earlier than the schedule, counted
 * from the end of this one.
 * @source activity gaps 19.4; decision 391, 392
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  result: SendResult,
  { now_ms, retries_s }: { readonly now_ms: number; readonly retries_s: readonly number[] },
): WebhookDelivery {
  const now = formatInstant(now_ms);
  const { duration_ms } = result;
  const done: DeliveryTry =
    result.outcome === 'answered'
      ? { at: now, status: result.status, duration_ms }
      : { at: now, reason: result.reason, duration_ms };
  const tries = [...delivery.tries, done];
  if (result.outcome === 'answered' && result.status >= 200 && result.status < 300) {
    return { ...delivery, tries, state: 'delivered', next_at: null };
  }
  const wait_s = retries_s[tries.length - delivery.tries_before - 1];
  const isGone = result.outcome === 'answered' && result.status === GONE;
  if (wait_s === undefined || isGone) return { ...delivery, tries, state: 'failed', next_at: null };
  const asked_s = result.outcome === 'answered' ? retryAfter(result, now) : 0;
  return {
    ...delivery,
    tries,
    state: 'pending',
    next_at: formatInstant(Math.ceil(now_ms / 1000 + Math.max(wait_s, asked_s)) * 1000),
  };
}

/** Seconds of `Retry-After` in a 429 or 503 response; 0 without. */
function retryAfter({ status, headers }: Extract<SendResult, { outcome: 'answered' }>, now: string): number {
  const retryAfter = headers['retry-after'];
  if (retryAfter === undefined || (status !== 429 && status !== 503)) return 0;
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.parse(now)) / 1000;
  return Number.isFinite(seconds) ? Math.min(RETRY_AFTER_MAX_S, Math.max(0, Math.ceil(seconds))) : 0;
}
