import { nextTurn } from '../base/timers.ts';

/** Maximum number of replies written together; more would delay those that are ready. */
const GROUP_MAX = 64;

/** Writes the replies of one turn of the event loop together. */
export interface ReplyGroups {
  /** Records that a request arrived, and that others may follow in the same turn. */
  requestArrived(): void;
  /** Writes a reply after the other requests of this turn have been read. */
  write(reply: () => void): void;
}

/**
 * Creates reply groups. A write wakes the waiting client, which can cost more than a small request. With grouped writes, a
 * client or proxy on the same machine is still awake from the first one.
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
