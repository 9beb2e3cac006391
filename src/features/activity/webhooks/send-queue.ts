import { after, nextTurn } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import type { Receiver, Receivers } from './receivers.ts';
import { SIGNATURE_HEADER, signatureOf, standardHeaders, USER_AGENT } from './signing.ts';

/** Why a message was not sent. `spilled`: too many wait. */
export type Unsendable = 'invalid' | 'suspended' | 'spilled';

/** A message to a webhook. */
export interface QueuedMessage {
  /** The `webhook-id`, by which receivers recognize duplicates; covered by the second signature. */
  readonly id: string;
  readonly body: Buffer;
  /** Called once, with the response or the reason why it was not sent. */
  onEnd(result: SendResult | Unsendable): void;
}

/** Dependencies of send queues. */
export interface SendQueueDependencies {
  readonly receivers: Receivers;
  readonly sender: Sender;
  readonly nextTransactionId: () => string;
  /** Unix seconds, for the timestamps of messages. */
  readonly now_s: () => number;
  /** Maximum number of requests in flight; default ten. */
  readonly concurrentMax?: () => number | undefined;
  /** Whether starting sends is paused. */
  readonly isPaused: () => boolean;
  readonly onError: (error: unknown) => void;
  /** Called when few messages are left. */
  readonly onRoom: () => void;
}

/** Maximum number of concurrent requests per webhook. @source activity 19.4 */
const CONCURRENT_MAX = 10;
/** Milliseconds before a failed read of a receiver is retried. */
const RETRY_MS = 1000;
/** Below this number of messages, the queue has room. */
const ROOM = 100;

/** Messages to one webhook, a few of them in flight at a time. */
export class SendQueue {
  readonly #webhook: string;
  readonly #parts: SendQueueDependencies;
  #queue: QueuedMessage[] = [];
  #next = 0;
  #removed = 0;
  #inFlight = 0;
  #isStopped = false;
  #isFinding = false;
  #isLooking = false;
  #onIdle: (() => void) | undefined;

  constructor(webhook: string, parts: SendQueueDependencies) {
    this.#webhook = webhook;
    this.#parts = parts;
  }

  /** Number of queued messages. */
  get size(): number {
    return this.#queue.length - this.#next;
  }

  /** Number of messages that have left the queue. */
  get removed(): number {
    return this.#removed;
  }

  add(message: QueuedMessage): void {
    this.#queue.push(message);
    this.wake();
  }

  /** Sends as much as allowed; called when the receiver has changed or there is room again. */
  wake(): void {
    if (this.#isStopped || this.#isFinding || this.size === 0 || !this.#maySend()) return;
    this.#isFinding = true;
    // Another process may have given it other secrets, suspended it or made it valid again. @source decision 823
    this.#parts.receivers.findNow(this.#webhook).then(
      (receiver) => {
        this.#isFinding = false;
        if (!this.#isStopped) this.#sendTo(receiver);
      },
      (error) => {
        this.#parts.onError(error);
        after(RETRY_MS, () => {
          this.#isFinding = false;
          this.wake();
        });
      },
    );
  }

  /** Keeps the first messages; the others end as `spilled`. */
  truncate(kept: number): void {
    const others = this.#queue.splice(this.#next + kept);
    this.#removed += others.length;
    for (const message of others) message.onEnd('spilled');
  }

  /** Stops sending; resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    // They are not lost: the deliverer ignores outcomes during shutdown.
    for (const message of this.#queue.splice(this.#next)) message.onEnd('spilled');
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #maySend(): boolean {
    const { concurrentMax, isPaused } = this.#parts;
    return this.#inFlight < (concurrentMax?.() ?? CONCURRENT_MAX) && !isPaused();
  }

  #sendTo(receiver: Receiver | undefined): void {
    const state = receiver?.state ?? 'invalid';
    if (receiver && state === 'active') {
      while (this.size > 0 && this.#maySend()) this.#send(receiver, this.#take());
    } else {
      while (this.size > 0) this.#take().onEnd(state === 'suspended' ? state : 'invalid');
    }
    if (this.size < ROOM) this.#parts.onRoom();
  }

  #take(): QueuedMessage {
    const message = this.#queue[this.#next]!;
    this.#next += 1;
    this.#removed += 1;
    // Sliced in large steps: shifting one by one would copy the rest each time.
    if (this.#next >= 512 || this.#next === this.#queue.length) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    return message;
  }

  #send(receiver: Receiver, message: QueuedMessage): void {
    this.#inFlight += 1;
    const { sender, nextTransactionId, now_s } = this.#parts;
    const { id, body } = message;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': USER_AGENT,
      'x-transaction-id': nextTransactionId(),
      [SIGNATURE_HEADER]: signatureOf(receiver.consumerKey, body),
      ...standardHeaders(receiver.signingKeys(), { id, timestamp_s: now_s() }, body),
    };
    void sender.send({ method: 'POST', url: receiver.url, headers, body }).then((result) => {
      this.#inFlight -= 1;
      message.onEnd(result);
      if (this.#isStopped && this.#inFlight === 0) this.#onIdle?.();
      else this.#wakeSoon();
    });
  }

  /** Wakes once for all responses of a turn of the event loop. */
  #wakeSoon(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    nextTurn(() => {
      this.#isLooking = false;
      this.wake();
    });
  }
}
