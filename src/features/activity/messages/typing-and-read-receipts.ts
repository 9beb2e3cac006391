import Type from 'typebox';
import type { Call, Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { conversationOf } from '../../../contract/store/messages.ts';
import type { WriteTransaction } from '../../../contract/store/store.ts';
import { longId } from '../long-id-field.ts';
import { type Parties, readPayload, typingPayload } from './message-payloads.ts';
import { bothSides, partiesOf } from './participants.ts';

/** What both calls are declared with. */
const signal = {
  method: 'POST',
  group: 'messages',
  family: 'numeric',
  rate: 'messages',
  body: 'form',
  shape: 'bare',
  success: 204,
  reply: Type.Null(),
} as const;

const recipient = longId().required().describe('The other user of the conversation.');

/**
 * Says that the user is typing to another one.
 * @source activity gaps 11.5, 16.5
 */
export const indicateTyping: Operation = {
  ...signal,
  id: 'messages.indicate_typing',
  path: '/1.1/direct_messages/indicate_typing',
  aliases: ['/1.1/direct_messages/indicate_typing.json'],
  description: 'Tell a user that one is typing a message.',
  parameters: { recipient_id: recipient },
  problems: ['MESSAGES_NOT_ALLOWED', 'MESSAGE_TO_ONESELF', 'MESSAGE_TO_NOBODY'],
  async perform(call) {
    await call.services.store.write(async (tx) => {
      const parties = await partiesNamed(tx, call);
      await append(tx, call, parties, 'dm.indicate_typing', typingPayload(parties, call.services.clock.now()));
    });
    return NOTHING;
  },
};

/**
 * Says that the user has read messages of another one, up to one of them; a second time it says nothing new.
 * @source activity gaps 11.5, 16.5
 */
export const markRead: Operation = {
  ...signal,
  id: 'messages.mark_read',
  path: '/1.1/direct_messages/mark_read',
  aliases: ['/1.1/direct_messages/mark_read.json'],
  description: 'Mark messages of a user as read, up to one of them.',
  parameters: {
    recipient_id: longId().describe('The other user of the conversation; needed.'),
    last_read_event_id: longId().describe('The last message that was read; needed.'),
  },
  validate: (input, _, named) =>
    ['recipient_id', 'last_read_event_id']
      .filter((name) => !named.has(name) || input[name] === null)
      .map((parameter) => ({ problem: 'READ_MARK_MISSING', parameter })),
  problems: ['READ_MARK_MISSING', 'MESSAGES_NOT_ALLOWED', 'MESSAGE_TO_ONESELF', 'MESSAGE_TO_NOBODY', 'MESSAGE_UNKNOWN'],
  async perform(call) {
    const last_read_event_id = call.input.last_read_event_id as string;
    await call.services.store.write(async (tx) => {
      const parties = await partiesNamed(tx, call);
      const { sender, recipient } = parties;
      const message = await tx.messages.find(last_read_event_id);
      const isReceived = message?.sender_id === recipient.id && message.recipient_id === sender.id;
      if (!isReceived) throw problem('MESSAGE_UNKNOWN');
      const conversation_id = conversationOf(sender.id, recipient.id);
      await tx.credentials.lockUser(sender.id);
      const before = await tx.messages.findMark(conversation_id, sender.id);
      // Ids are of one length and grow.
      if (before && before.last_read_id >= message.id) return;
      await tx.messages.mark({ conversation_id, user_id: sender.id, last_read_id: message.id });
      await append(tx, call, parties, 'dm.read', readPayload(parties, message.id, call.services.clock.now()));
    });
    return NOTHING;
  },
};

const NOTHING = { status: 204, data: '' };

/** Who acts is the sender of the signal. */
function partiesNamed(tx: WriteTransaction, { principal, input }: Call): Promise<Parties> {
  return partiesOf(tx, principal, { parameter: 'recipient_id', id: input.recipient_id as string });
}

async function append(
  tx: WriteTransaction,
  { now }: Call,
  parties: Parties,
  type: 'dm.read' | 'dm.indicate_typing',
  payload: string,
): Promise<void> {
  const types = { sent: type, received: type };
  await tx.events.append(bothSides(parties, { text: null, payload }, types), now);
}
