import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { after, elapsed_ms } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import type { MatchedEvent } from '../../../contract/store/events.ts';
import type { WebhookDelivery } from '../../../contract/store/webhooks.ts';
import type { LeasedPosition } from '../../../storage/tables/webhook-leases.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { LeasedWebhook, OutcomeWriter } from './outcome-writer.ts';
import type { Receivers } from './receivers.ts';
import { afterAttempt, isGone } from './retry-schedule.ts';
import { SendQueue, type Unsendable } from './send-queue.ts';
import { type LogBatch, type LogCursor, SettledPosition } from './settled-position.ts';
import { messageIdOf } from './signing.ts';

/** Dependencies shared by the webhooks of a node. */
export interface HeldWebhookDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** The system clock: receivers check the timestamps of messages. */
  readonly wallClock: Clock;
  readonly sender: Sender;
  readonly receivers: Receivers;
  readonly outcomes: Pick<OutcomeWriter, 'put' | 'discard' | 'isFull'>;
  readonly memory: {
    /** Counts the deliveries in memory, queued or in flight, of all webhooks. */
    deliveries: number;
    /** Maximum number of requests in flight per webhook; undefined for the default. */
    concurrent_max: number | undefined;
  };
  /** Seconds before each retry. */
  readonly retries_s: readonly number[];
  readonly nextTransactionId: () => string;
  /** Called with the age of an event in seconds when a receiver accepted it. */
  readonly onDelivered: (age_s: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Maximum number of deliveries in memory per webhook; reads from the database fill the queue up to this.
 * @source decision 396
 */
const QUEUE_MAX = 1000;
/** The limit during a short burst, which stays in memory too: storing it takes longer than sending it. */
const BURST_MAX = 10_000;
/** The limit for all webhooks of the node. */
const MEMORY_MAX = 50_000;
/** Deliveries in one read of the database. */
const DELIVERIES_PER_READ = 500;
/** Delay before a failed read is retried, in milliseconds. */
const RETRY_MS = 1000;

/** A delivery whose body may be bytes or text. */
type Unsent = Omit<WebhookDelivery, 'body'> & { readonly body: string | Buffer };

/**
 * The deliveries in the database. `drained`: none that is due. `due`: there may be some. `spilling`: there are more than
 * fit in memory, so that new ones go there too.
 */
type Backlog = 'drained' | 'due' | 'spilling';
type BacklogEvent = 'stored due' | 'memory full' | 'read to the end';

const NEXT: Readonly<Record<Backlog, Readonly<Record<BacklogEvent, Backlog>>>> = {
  drained: { 'stored due': 'due', 'memory full': 'spilling', 'read to the end': 'drained' },
  due: { 'stored due': 'due', 'memory full': 'spilling', 'read to the end': 'drained' },
  spilling: { 'stored due': 'spilling', 'memory full': 'spilling', 'read to the end': 'drained' },
};

/** A read of the backlog, which sees the database as of its beginning. */
interface BacklogRead {
  /** Messages stored since, of which the read may see an earlier state. */
  readonly stored: Set<string>;
  /** Whether a message has become due since. */
  isOutdated: boolean;
}

/**
 * A webhook that this node has leased: each event is sent when it was read from the log, and stored with its outcome.
 * The settled position never passes a delivery that is not stored, so that a crash repeats deliveries but loses none.
 * @source decision 395, 770
 */
export class HeldWebhook implements LeasedWebhook {
  readonly webhook_id: string;
  readonly fencing_number: number;
  readonly settled: SettledPosition;
  storedPosition: number;
  leasedUntil_ms: number;
  isLost = false;
  /** Batches of the feed held back while deliveries are read from the log; undefined afterwards. */
  heldBackBatches: { readonly lastPosition: number; readonly deliveries: readonly MatchedEvent[] }[] | undefined = [];
  readonly #parts: HeldWebhookDependencies;
  readonly #queue: SendQueue;
  #leaving: 'shutdown' | 'given back' | undefined;
  #backlog: Backlog = 'drained';
  #read: BacklogRead | undefined;
  /** Messages from the database that are in memory, with the number of attempts when they were read. */
  readonly #attempts = new Map<string, number>();
  /** Whether the receiver answered that it is gone, which is being stored. */
  #isHalted = false;
  /** How many messages had been added at the last progress check. */
  #addedAtLastCheck = 0;

  constructor(
    { webhook_id, fencing_number, settled_position }: LeasedPosition,
    { cursor, leasedUntil_ms }: { readonly cursor: LogCursor; readonly leasedUntil_ms: number },
    parts: HeldWebhookDependencies,
  ) {
    this.webhook_id = webhook_id;
    this.fencing_number = fencing_number;
    this.leasedUntil_ms = leasedUntil_ms;
    this.settled = new SettledPosition(cursor, settled_position);
    this.storedPosition = settled_position;
    this.#parts = parts;
    const { receivers, sender, nextTransactionId, wallClock, memory, outcomes, onError } = parts;
    this.#queue = new SendQueue(webhook_id, {
      ...{ receivers, sender, nextTransactionId, onError },
      now_s: () => Math.floor(wallClock.now() / 1000),
      concurrentMax: () => memory.concurrent_max,
      // Another node may have taken a webhook whose lease could not be renewed: also after this process was frozen.
      isPaused: () => this.#isHalted || outcomes.isFull() || elapsed_ms() >= this.leasedUntil_ms,
      onRoom: () => this.#refill(),
    });
  }

  /** How many deliveries wait in memory. */
  get size(): number {
    return this.#queue.size;
  }

  /** Whether it is being released and takes no more deliveries. */
  get isLeaving(): boolean {
    return this.#leaving !== undefined;
  }

  /** Whether deliveries are being read from the database, or will be without another call. */
  get isReading(): boolean {
    return this.#read !== undefined;
  }

  /** Adds the deliveries of the next part of the log, up to a position. */
  addBatch(lastPosition: number, deliveries: readonly MatchedEvent[]): void {
    if (this.#isEnding) return;
    const fresh = deliveries.filter(({ event }) => !this.settled.isBefore(event.position));
    if (fresh.length === 0) return;
    const batch = this.settled.add(lastPosition, fresh.length);
    for (const each of fresh) {
      const delivery = this.#newDelivery(each);
      if (this.#hasRoom()) this.#send(delivery, batch);
      else {
        this.#backlog = NEXT[this.#backlog]['memory full'];
        this.#store({ ...delivery, body: delivery.body.toString() }, batch);
      }
    }
  }

  /** Sends due deliveries of the database. */
  resume(): void {
    this.#backlog = NEXT[this.#backlog]['stored due'];
    if (this.#read) this.#read.isOutdated = true;
    this.#refill();
  }

  /** Continues after the receiver has changed, the lease was renewed, or there is room again. */
  wake(): void {
    this.#queue.wake();
    this.#refill();
  }

  /** Moves the queue of a slow receiver to the database; otherwise its position could not advance. */
  spillIfSlow(): void {
    const isSlow = this.#queue.removed < this.#addedAtLastCheck;
    this.#addedAtLastCheck = this.#queue.removed + this.#queue.size;
    if (!isSlow || this.#queue.size <= QUEUE_MAX) return;
    this.#backlog = NEXT[this.#backlog]['memory full'];
    this.#queue.truncate(QUEUE_MAX);
  }

  /**
   * Stops sending; resolves when nothing is in flight. Unsent deliveries are left to the next lease. At a shutdown,
   * requests are aborted and their failures not stored.
   */
  leave(why: 'shutdown' | 'given back'): Promise<void> {
    this.#leaving = why;
    // The next holder reads the rest of the log.
    this.settled.cursor = { position: this.settled.cursor.position };
    return this.#queue.stop();
  }

  /** Forgets everything after the lease was lost. */
  abandon(): void {
    this.isLost = true;
    void this.#queue.stop();
  }

  get #isEnding(): boolean {
    return this.isLost || this.isLeaving;
  }

  #newDelivery({ event, subscription, body }: MatchedEvent): Unsent {
    const now = formatInstant(this.#parts.clock.now());
    return {
      webhook_id: this.webhook_id,
      message_id: messageIdOf(event.position, subscription.id),
      position: event.position,
      subscription_id: subscription.id,
      event_type: event.event_type,
      body,
      state: 'pending',
      tries: [],
      tries_before: 0,
      next_at: now,
      created_at: now,
    };
  }

  /** Whether another message fits in memory. */
  #hasRoom(): boolean {
    if (this.#backlog === 'spilling') return false;
    const { size } = this.#queue;
    return size < QUEUE_MAX || (size < BURST_MAX && this.#parts.memory.deliveries < MEMORY_MAX);
  }

  /** Reads due deliveries from the database when the queue has room. */
  #refill(): void {
    if (this.#isEnding || this.#read || this.#backlog === 'drained' || this.#queue.size >= QUEUE_MAX / 2) return;
    const read: BacklogRead = { stored: new Set(), isOutdated: false };
    this.#read = read;
    this.#findDue().then(
      (found) => {
        this.#read = undefined;
        if (!this.#isEnding) this.#addFound(found, read);
      },
      (error) => {
        this.#parts.onError(error);
        this.#read = undefined;
        after(RETRY_MS, () => this.#refill());
      },
    );
  }

  /** The due deliveries; none while the webhook is invalid or suspended. @source decision 393 */
  async #findDue(): Promise<WebhookDelivery[]> {
    const { receivers, store, clock } = this.#parts;
    const receiver = await receivers.find(this.webhook_id);
    // A suspended receiver keeps its deliveries in the database; a change resumes them.
    if (receiver?.state !== 'active') return [];
    const now = formatInstant(clock.now());
    return store.read((tx) => tx.webhookDeliveries.listDue(this.webhook_id, now, DELIVERIES_PER_READ));
  }

  #addFound(found: readonly WebhookDelivery[], { stored, isOutdated }: BacklogRead): void {
    if (found.length < DELIVERIES_PER_READ) this.#backlog = NEXT[this.#backlog]['read to the end'];
    if (isOutdated) this.#backlog = NEXT[this.#backlog]['stored due'];
    // Deliveries in flight are still in the database.
    const fresh = found.filter(({ message_id: id }) => !this.#attempts.has(id) && !stored.has(id));
    for (const delivery of fresh) {
      this.#attempts.set(delivery.message_id, delivery.tries.length);
      this.#send(delivery, undefined);
    }
    if (fresh.length > 0 || isOutdated) this.#refill();
  }

  #send(delivery: Unsent, batch: LogBatch | undefined): void {
    const { message_id: id, body } = delivery;
    const { memory } = this.#parts;
    memory.deliveries += 1;
    this.#queue.add({
      id,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      onEnd: (result) => {
        memory.deliveries -= 1;
        this.#onResult(delivery, batch, result);
      },
    });
  }

  /** Handles the outcome of a delivery; `batch` is its batch when it came straight from the log. */
  #onResult(delivery: Unsent, batch: LogBatch | undefined, result: SendResult | Unsendable): void {
    if (this.isLost) return;
    if (this.#leaving && typeof result === 'string') return;
    // Requests aborted by the shutdown are sent again after the restart.
    if (this.#leaving === 'shutdown' && typeof result !== 'string' && result.outcome === 'failed') return;
    const { clock, wallClock, retries_s, outcomes, onDelivered } = this.#parts;
    const row = { ...delivery, body: delivery.body.toString() };
    if (typeof result === 'string') {
      if (batch && result !== 'invalid') this.#store(row, batch);
      else {
        this.#attempts.delete(delivery.message_id);
        if (batch) outcomes.discard(this, batch);
      }
      return;
    }
    const tried = afterAttempt(row, result, { now_ms: clock.now(), wallNow_ms: wallClock.now(), retries_s });
    if (tried.state === 'delivered') onDelivered((clock.now() - instantMs(row.created_at)) / 1000);
    this.#store(tried, batch, isGone(result));
  }

  /** Stores a delivery. When it is due, reads again: the last read may have been too early for it. */
  #store(delivery: WebhookDelivery, batch: LogBatch | undefined, isGone = false): void {
    const { message_id, next_at, tries } = delivery;
    this.#isHalted ||= isGone;
    const onStored = (): void => {
      // The row is visible before this callback: it may have been read again and be in flight.
      if (this.#attempts.get(message_id)! < tries.length) this.#attempts.delete(message_id);
      this.#read?.stored.add(message_id);
      if (next_at !== null && next_at <= formatInstant(this.#parts.clock.now())) this.resume();
      // The last read may have found nothing but deliveries whose outcomes were not stored yet.
      else this.#refill();
      if (!isGone) return;
      this.#isHalted = false;
      this.#queue.wake();
    };
    this.#parts.outcomes.put({ webhook: this, delivery, batch, isGone, onStored });
  }
}
