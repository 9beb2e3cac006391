/** A direct message. */
export interface Message {
  /** Decimal text. */
  readonly id: string;
  /** Both user ids, the numerically smaller first, joined by a hyphen. */
  readonly conversation_id: string;
  readonly sender_id: string;
  readonly recipient_id: string;
  readonly text: string;
  readonly created_at: string;
  /** Creation time in milliseconds, as events report it. */
  readonly created_ms: number;
}

/** The conversation id of two users. @source activity gaps 11.5 */
export function conversationOf(one: string, other: string): string {
  const isFirst = one.length === other.length ? one < other : one.length < other.length;
  return isFirst ? `${one}-${other}` : `${other}-${one}`;
}

/** How far a user has read a conversation. */
export interface ReadMark {
  readonly conversation_id: string;
  readonly user_id: string;
  /** Id of the last message read. */
  readonly last_read_id: string;
}

/** The stored direct messages. */
export interface Messages {
  find(id: string): Promise<Message | undefined>;
  findMark(conversation: string, user: string): Promise<ReadMark | undefined>;
  add(message: Message): Promise<void>;
  /** Stores how far a user has read. */
  mark(mark: ReadMark): Promise<void>;
  /** Removes messages created before a time, UTC text, at most `limit`, the oldest first; returns how many. */
  removeBefore(time: string, limit: number): Promise<number>;
  /** Removes marks of messages older than all that are left, at most `limit`; returns how many. */
  removeOldMarks(limit: number): Promise<number>;
}
