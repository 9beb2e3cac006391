import { after, nextTurn } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import { USER_AGENT } from './challenge.ts';
import type { Receiver, Receivers } from './receivers.ts';
import { SIGNATURE_HEADER, signatureOf, standardHeaders } from './signing.ts';

/** A message to a webhook. */
export interface QueuedMessage {
  /** The `webhook-id`, by which receivers recognize duplicates; covered by the second signature. */
  readonly id: string;
  readonly body: Buffer;
  /** Called once, with the response or the reason why it was not sent. */
  onEnd(result: SendResult | 'invalid' | 'suspended'): void;
}

/** Messages to one webhook, a few of them in flight at a time. */
export interface SendQueue {
  /** How many messages wait. */
  size(): number;
  /** How many messages ever left the queue. */
  removedCount(): number;
  add(message: QueuedMessage): void;
  /** Continues after the receiver changed or there is room again. */
  wake(): void;
  /** Keeps the first `kept` messages; the others end as `suspended`. */
  truncate(count: number): void;
  /** Sends nothing more; resolves when nothing is in flight. */
  stop(): Promise<void>;
}

/** Dependencies of send queues. */
export interface SendQueueDependencies {
  readonly receivers: Receivers;
  readonly sender: Sender;
  readonly nextTransactionId: () => string;
  /** Unix seconds, for the timestamps of messages. */
  readonly now_s: () => number;
  /** How many requests may be in flight; ten if omitted or undefined. */
  readonly concurrentMax?: () => number | undefined;
  /** Whether no new sends may start for now. */
  readonly isPaused: () => boolean;
  readonly onError: (error: unknown) => void;
  /** Called when few messages are left. */
  readonly onRoom: () => void;
}

/** Concurrent requests to one webhook. @source activity gaps 19.4 */
const CONCURRENT_MAX = 10;
/** Milliseconds before a failed read of a receiver is retried. */
const RETRY_MS = 1000;
/** Below this number of messages, the queue has room. */
const ROOM = 100;

/** The send queue of a webhook. */
export function createSendQueue(webhook: string, parts: SendQueueDependencies): SendQueue {
  const { receivers, sender, nextTransactionId, now_s, isPaused, onError, onRoom } = parts;
  const hasRoom = (): boolean => inFlight < (parts.concurrentMax?.() ?? CONCURRENT_MAX);
  let queue: QueuedMessage[] = [];
  let next = 0;
  let taken = 0;
  let inFlight = 0;
  let isStopped = false;
  let isFinding = false;
  let isLooking = false;
  let idle: (() => void) | undefined;
  const size = (): number => queue.length - next;

  const take = (): QueuedMessage => {
    const message = queue[next]!;
    next += 1;
    taken += 1;
    // Sliced in large steps: shifting one by one would copy the rest each time.
    if (next >= 512 || next === queue.length) {
      queue = queue.slice(next);
      next = 0;
    }
    return message;
  };
  const ended = (message: QueuedMessage, result: SendResult): void => {
    inFlight -= 1;
    message.onEnd(result);
    if (isStopped && inFlight === 0) idle?.();
    else lookSoon();
  };
  /** Looks once for all responses of a turn of the event loop. */
  const lookSoon = (): void => {
    if (isLooking) return;
    isLooking = true;
    nextTurn(() => {
      isLooking = false;
      look();
    });
  };
  const send = (receiver: Receiver, message: QueuedMessage): void => {
    inFlight += 1;
    const { id, body } = message;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': USER_AGENT,
      'x-transaction-id': nextTransactionId(),
      [SIGNATURE_HEADER]: signatureOf(receiver.consumerKey, body),
      ...standardHeaders(receiver.signingKeys(), { id, timestamp_s: now_s() }, body),
    };
    void sender.send({ method: 'POST', url: receiver.url, headers, body }).then((result) => ended(message, result));
  };
  const look = (): void => {
    if (isStopped || isFinding || size() === 0 || !hasRoom() || isPaused()) return;
    isFinding = true;
    // Another process may have given it other secrets, suspended it or made it valid again. @source decision 823
    receivers.findNow(webhook).then(
      (receiver) => {
        isFinding = false;
        if (isStopped) return;
        const state = receiver?.state ?? 'invalid';
        if (receiver && state === 'active') {
          while (size() > 0 && hasRoom() && !isPaused()) send(receiver, take());
        } else {
          while (size() > 0) take().onEnd(state === 'suspended' ? state : 'invalid');
        }
        if (size() < ROOM) onRoom();
      },
      (error) => {
        onError(error);
        after(RETRY_MS, () => {
          isFinding = false;
          look();
        });
      },
    );
  };
  return {
    size,
    removedCount: () => taken,
    add(message) {
      queue.push(message);
      look();
    },
    wake: look,
    truncate(count) {
      const others = queue.splice(next + count);
      taken += others.length;
      for (const message of others) message.onEnd('suspended');
    },
    async stop() {
      isStopped = true;
      // They are not lost: the deliverer ignores outcomes during shutdown.
      for (const message of queue.splice(next)) message.onEnd('suspended');
      if (inFlight === 0) return;
      await new Promise<void>((resolve) => {
        idle = resolve;
      });
    },
  };
}
