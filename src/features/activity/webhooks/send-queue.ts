import { after } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import { USER_AGENT } from './challenge.ts';
import type { Receiver, Receivers } from './receivers.ts';
import { SIGNATURE_HEADER, signatureOf, standardHeaders } from './signing.ts';

/** One message to a webhook. */
export interface Message {
  /** What the second signature covers, and what receivers tell messages apart by. */
  readonly id: string;
  readonly body: Buffer;
  /** Is called once: with what came of it, or with why it was not sent. */
  ended(came: SendResult | 'invalid' | 'stands still'): void;
}

/** Messages to one webhook, of which a few are under way at a time. */
export interface Lane {
  /** How many wait. */
  size(): number;
  /** How many no longer wait: what was ever added without those. */
  taken(): number;
  add(message: Message): void;
  /** The receiver may have changed, or there may be room again. */
  look(): void;
  /** Keeps so many of those that wait, the first ones; the others end as if the receiver stood still. */
  shed(kept: number): void;
  /** Sends nothing more; resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** What lanes send with. */
export interface LaneParts {
  readonly receivers: Receivers;
  readonly sender: Sender;
  readonly nextTransactionId: () => string;
  /** Unix seconds by the clock of the service. */
  readonly now_s: () => number;
  /** Nothing new is to be begun for now. */
  readonly isHeldUp: () => boolean;
  readonly failed: (error: unknown) => void;
  /** Is told that few messages are left. */
  readonly hasRoom: () => void;
}

/** So many requests to one webhook are under way at most. @source activity gaps 19.4 */
const UNDER_WAY_MAX = 10;
/** How soon a receiver that could not be read is read again, in milliseconds. */
const AGAIN_MS = 1000;
/** With fewer waiting there is room. */
const ROOM = 100;

/** A lane to a webhook. */
export function laneTo(webhook: string, parts: LaneParts): Lane {
  const { receivers, sender, nextTransactionId, now_s, isHeldUp, failed, hasRoom } = parts;
  let queue: Message[] = [];
  let next = 0;
  let taken = 0;
  let underWay = 0;
  let isStopped = false;
  let isFinding = false;
  let idle: (() => void) | undefined;
  const size = (): number => queue.length - next;

  const take = (): Message => {
    const message = queue[next]!;
    next += 1;
    taken += 1;
    // What was taken is let go of in whole stretches: shifting one by one would copy the rest each time.
    if (next >= 512 || next === queue.length) {
      queue = queue.slice(next);
      next = 0;
    }
    return message;
  };
  const ended = (message: Message, came: SendResult): void => {
    underWay -= 1;
    message.ended(came);
    if (isStopped && underWay === 0) idle?.();
    else look();
  };
  const send = (receiver: Receiver, message: Message): void => {
    underWay += 1;
    const { id, body } = message;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': USER_AGENT,
      'x-transaction-id': nextTransactionId(),
      [SIGNATURE_HEADER]: signatureOf(receiver.consumerKey, body),
      ...standardHeaders(receiver.keys(), { id, timestamp_s: now_s() }, body),
    };
    void sender.send({ method: 'POST', url: receiver.url, headers, body }).then((came) => ended(message, came));
  };
  const look = (): void => {
    if (isStopped || isFinding || size() === 0 || underWay >= UNDER_WAY_MAX || isHeldUp()) return;
    isFinding = true;
    receivers.find(webhook).then(
      (receiver) => {
        isFinding = false;
        if (isStopped) return;
        const state = receiver?.state ?? 'invalid';
        if (receiver && state === 'in use') {
          while (size() > 0 && underWay < UNDER_WAY_MAX && !isHeldUp()) send(receiver, take());
        } else {
          while (size() > 0) take().ended(state === 'stands still' ? state : 'invalid');
        }
        if (size() < ROOM) hasRoom();
      },
      (error) => {
        failed(error);
        after(AGAIN_MS, () => {
          isFinding = false;
          look();
        });
      },
    );
  };
  return {
    size,
    taken: () => taken,
    add(message) {
      queue.push(message);
      look();
    },
    look,
    shed(kept) {
      const others = queue.splice(next + kept);
      taken += others.length;
      for (const message of others) message.ended('stands still');
    },
    async stop() {
      isStopped = true;
      // They are not lost: whoever waits for them knows that the service ends.
      for (const message of queue.splice(next)) message.ended('stands still');
      if (underWay === 0) return;
      await new Promise<void>((resolve) => {
        idle = resolve;
      });
    },
  };
}
