import { nextTurn } from '../base/timers.ts';

/** At most this many replies are written together: more would delay those that are ready. */
const GROUP_MAX = 64;

/** Writes the replies of one turn of the event loop together. */
export interface ReplyGroups {
  /** A request has arrived, and others may follow in the same turn. */
  requestArrived(): void;
  /** Writes a reply, after the other requests of this turn have been read. */
  write(reply: () => void): void;
}

/**
 * A write wakes the client that waits for it, which can cost more than a small request. Replies that are written one
 * after the other find a client on the same machine, or its proxy, still awake from the first.
 * @source decision 1036
 */
export function replyGroups(): ReplyGroups {
  let isReading = false;
  let waiting: (() => void)[] = [];
  const writeAll = (): void => {
    const replies = waiting;
    waiting = [];
    for (const write of replies) write();
  };
  const endTurn = (): void => {
    isReading = false;
    writeAll();
  };
  return {
    requestArrived() {
      if (isReading) return;
      isReading = true;
      nextTurn(endTurn);
    },
    write(reply) {
      if (!isReading) return reply();
      waiting.push(reply);
      if (waiting.length === GROUP_MAX) writeAll();
    },
  };
}
