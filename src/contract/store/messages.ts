/** A direct message. */
export interface Message {
  /** Decimal text. */
  readonly id: string;
  /** The ids of both users, the smaller number first, with a hyphen between. */
  readonly conversation_id: string;
  readonly sender_id: string;
  readonly recipient_id: string;
  readonly text: string;
  readonly created_at: string;
  /** The same to the millisecond, as events tell it. */
  readonly created_ms: number;
}

/** The id of the conversation of two users. @source activity gaps 11.5 */
export function conversationOf(one: string, other: string): string {
  const isFirst = one.length === other.length ? one < other : one.length < other.length;
  return isFirst ? `${one}-${other}` : `${other}-${one}`;
}

/** How far a user has read a conversation. */
export interface ReadMark {
  readonly conversation_id: string;
  readonly user_id: string;
  /** The id of the last message that was read. */
  readonly last_read_id: string;
}

/** Direct messages, as they are kept. */
export interface Messages {
  find(id: string): Promise<Message | undefined>;
  findMark(conversation: string, user: string): Promise<ReadMark | undefined>;
  add(message: Message): Promise<void>;
  /** Notes how far a user has read. */
  mark(mark: ReadMark): Promise<void>;
}
