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

/** The conversation id of two users. @source authentication 11.5 */
export function conversationOf(one: string, other: string): string {
  const isFirst = one.length === other.length ? one < other : one.length < other.length;
  return isFirst ? `${one}-${other}` : `${other}-${one}`;
}
