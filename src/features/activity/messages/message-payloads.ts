import { entitiesOf } from '../../../base/entities.ts';
import { textEntities } from '../../../base/entity-shapes.ts';
import type { User } from '../../../contract/store/credentials.ts';
import type { Message } from '../../../contract/store/messages.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';

/** The sender and the recipient of a message, a read receipt or a typing signal. */
export interface Participants {
  readonly sender: User;
  readonly recipient: User;
}

/** The payload of `dm.sent` and `dm.received`, as JSON text. @source activity 16.4 */
export async function messagePayload(
  tx: ReadTransaction,
  message: Pick<Message, 'id' | 'text' | 'created_ms'>,
  parties: Participants,
): Promise<string> {
  const { id, text, created_ms } = message;
  const names = entitiesOf(text)
    .filter(({ kind }) => kind === 'mention')
    .map((mention) => mention.text);
  const mentioned = await tx.credentials.findUsersByNames([...new Set(names)]);
  const users = new Map(mentioned.map((user) => [user.screen_name.toLowerCase(), user]));
  return JSON.stringify({
    direct_message_events: [
      {
        type: 'message_create',
        id,
        created_timestamp: String(created_ms),
        message_create: {
          target: { recipient_id: parties.recipient.id },
          sender_id: parties.sender.id,
          message_data: { text, entities: textEntities(text, users) },
        },
      },
    ],
    users: usersOf(parties, (user) => ({
      ...userSummary(user),
      verified: user.verified_type !== 'none',
      protected: false,
    })),
  });
}

/** The payload of `dm.indicate_typing`, as JSON text. @source activity 16.5 */
export function typingPayload(parties: Participants, created_ms: number): string {
  return JSON.stringify({
    direct_message_indicate_typing_events: [signal(parties, created_ms)],
    users: usersOf(parties, userSummary),
  });
}

/** The payload of `dm.read`, as JSON text. @source activity 16.5 */
export function readReceiptPayload(parties: Participants, last_read_event_id: string, created_ms: number): string {
  return JSON.stringify({
    direct_message_mark_read_events: [{ ...signal(parties, created_ms), last_read_event_id }],
    users: usersOf(parties, userSummary),
  });
}

/** The members of a user in payloads. @source activity 16.5 and 16.6 */
export function userSummary({ id, name, screen_name }: User): object {
  return { id, name, username: screen_name };
}

function signal({ sender, recipient }: Participants, created_ms: number): object {
  return { created_timestamp: String(created_ms), sender_id: sender.id, target: { recipient_id: recipient.id } };
}

/** Both users, by id. */
function usersOf({ sender, recipient }: Participants, serialize: (user: User) => object): Record<string, object> {
  return { [sender.id]: { data: serialize(sender) }, [recipient.id]: { data: serialize(recipient) } };
}
