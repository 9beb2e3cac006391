import type { Principal } from '../../../contract/declare/callers.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { NewEvent } from '../../../contract/store/events.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import type { Participants } from './message-payloads.ts';

/**
 * The caller as sender, and the user that a parameter names as recipient.
 * @throws MESSAGES_NOT_ALLOWED, MESSAGE_TO_ONESELF or MESSAGE_TO_NOBODY
 * @source authentication 11.5; decision 352
 */
export async function findParticipants(
  tx: ReadTransaction,
  { user, level }: Principal,
  { parameter, id }: { readonly parameter: string; readonly id: string },
): Promise<Participants> {
  if (level !== 'read-write-directmessages') throw problem('MESSAGES_NOT_ALLOWED');
  if (id === user) throw problem('MESSAGE_TO_ONESELF', { parameter, words: { raw: id } });
  const recipient = isLongId(id) ? await tx.credentials.findUser(id) : undefined;
  if (!recipient || recipient.suspended) {
    throw problem('MESSAGE_TO_NOBODY', { parameter, value: id, words: { kind: 'user' } });
  }
  return { sender: (await tx.credentials.findUser(user))!, recipient };
}

/**
 * The two events of an action between two users: one for each side.
 * @source activity 16.5, 16.9; decision 336
 */
export function eventsForBoth(
  { sender, recipient }: Participants,
  event: Omit<NewEvent, 'user_id' | 'direction' | 'event_type'>,
  types: { readonly sent: NewEvent['event_type']; readonly received: NewEvent['event_type'] },
): NewEvent[] {
  return [
    { ...event, event_type: types.sent, user_id: sender.id, direction: 'sent' },
    { ...event, event_type: types.received, user_id: recipient.id, direction: 'received' },
  ];
}
