import { entitiesOf } from '../../../base/entities.ts';
import { textEntities } from '../../../base/entity-shapes.ts';
import type { User } from '../../../contract/store/credentials.ts';
import type { Message } from '../../../contract/store/messages.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';

/** The two whom something concerns: who did it, and to whom. */
export interface Parties {
  readonly sender: User;
  readonly recipient: User;
}

/** What events tell of a message. @source activity gaps 16.4 */
export async function messagePayload(
  tx: ReadTransaction,
  message: Pick<Message, 'id' | 'text' | 'created_ms'>,
  parties: Parties,
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
      ...briefUser(user),
      verified: user.verified_type !== 'none',
      protected: false,
    })),
  });
}

/** What events tell of somebody who is typing. @source activity gaps 16.5 */
export function typingPayload(parties: Parties, created_ms: number): string {
  return JSON.stringify({
    direct_message_indicate_typing_events: [signal(parties, created_ms)],
    users: usersOf(parties, briefUser),
  });
}

/** What events tell of somebody who has read messages up to one. @source activity gaps 16.5 */
export function readPayload(parties: Parties, last_read_event_id: string, created_ms: number): string {
  return JSON.stringify({
    direct_message_mark_read_events: [{ ...signal(parties, created_ms), last_read_event_id }],
    users: usersOf(parties, briefUser),
  });
}

/** A user as payloads show them. @source activity gaps 16.5 and 16.6 */
export function briefUser({ id, name, screen_name }: User): object {
  return { id, name, username: screen_name };
}

function signal({ sender, recipient }: Parties, created_ms: number): object {
  return { created_timestamp: String(created_ms), sender_id: sender.id, target: { recipient_id: recipient.id } };
}

/** Both users, by id. */
function usersOf({ sender, recipient }: Parties, shown: (user: User) => object): Record<string, object> {
  return { [sender.id]: { data: shown(sender) }, [recipient.id]: { data: shown(recipient) } };
}
