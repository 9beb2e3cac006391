import { Type } from '../../../base/json-schema.ts';
import type { Call, Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { conversationOf } from '../../../contract/store/messages.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { longIdField } from '../long-id-field.ts';
import { type Participants, readReceiptPayload, typingPayload } from './message-payloads.ts';
import { eventsForBoth, findParticipants } from './participants.ts';

/** The members that both operations share. */
const common = {
  method: 'POST',
  group: 'messages',
  family: 'numeric',
  rate: 'messages',
  body: 'form',
  shape: 'bare',
  success: 204,
  reply: Type.Null(),
} as const;

const recipient = longIdField().required().describe('The other user of the conversation.');

/**
 * Signals that the user is typing a message.
 * @source authentication 11.5; activity 16.5
 */
export const indicateTyping: Operation = {
  ...common,
  id: 'messages.indicate_typing',
  path: '/1.1/direct_messages/indicate_typing',
  aliases: ['/1.1/direct_messages/indicate_typing.json'],
  description: 'Show a user that the caller is typing a message.',
  parameters: { recipient_id: recipient },
  problems: ['MESSAGES_NOT_ALLOWED', 'MESSAGE_TO_ONESELF', 'MESSAGE_TO_NOBODY'],
  async perform(call) {
    await call.services.store.write(async (tx) => {
      const parties = await participantsOfCall(tx, call);
      await appendEvents(tx, call, parties, 'dm.indicate_typing', typingPayload(parties, call.services.clock.now()));
    });
    return NO_CONTENT;
  },
};

/**
 * Marks the messages of another user as read, up to one of them. Marking the same or an earlier message again has no
 * effect.
 * @source authentication 11.5; activity 16.5; decision 353
 */
export const markRead: Operation = {
  ...common,
  id: 'messages.mark_read',
  path: '/1.1/direct_messages/mark_read',
  aliases: ['/1.1/direct_messages/mark_read.json'],
  description: 'Mark the messages of a user as read, up to a message.',
  parameters: {
    recipient_id: longIdField().describe('The other user of the conversation. Required.'),
    last_read_event_id: longIdField().describe('The last message that was read. Required.'),
  },
  validate: (input, _, named) =>
    ['recipient_id', 'last_read_event_id']
      .filter((name) => !named.has(name) || input[name] === null)
      .map((parameter) => ({ problem: 'READ_MARK_MISSING', parameter })),
  problems: ['READ_MARK_MISSING', 'MESSAGES_NOT_ALLOWED', 'MESSAGE_TO_ONESELF', 'MESSAGE_TO_NOBODY', 'MESSAGE_UNKNOWN'],
  async perform(call) {
    const last_read_event_id = call.input.last_read_event_id as string;
    await call.services.store.write(async (tx) => {
      const parties = await participantsOfCall(tx, call);
      const { sender, recipient } = parties;
      const message = await tx.messages.find(last_read_event_id);
      const isReceived = message?.sender_id === recipient.id && message.recipient_id === sender.id;
      if (!isReceived) throw problem('MESSAGE_UNKNOWN');
      const conversation_id = conversationOf(sender.id, recipient.id);
      await tx.credentials.lockUser(sender.id);
      const before = await tx.messages.findMark(conversation_id, sender.id);
      // Ids have a fixed length and grow, so that text order is time order.
      if (before && before.last_read_id >= message.id) return;
      await tx.messages.mark({ conversation_id, user_id: sender.id, last_read_id: message.id });
      await appendEvents(
        tx,
        call,
        parties,
        'dm.read',
        readReceiptPayload(parties, message.id, call.services.clock.now()),
      );
    });
    return NO_CONTENT;
  },
};

const NO_CONTENT = { status: 204, data: '' };

/** The caller, who is the sender of the signal, and the recipient. */
function participantsOfCall(tx: WriteTransaction, { principal, input }: Call): Promise<Participants> {
  return findParticipants(tx, principal, { parameter: 'recipient_id', id: input.recipient_id as string });
}

async function appendEvents(
  tx: WriteTransaction,
  { now }: Call,
  parties: Participants,
  type: 'dm.read' | 'dm.indicate_typing',
  payload: string,
): Promise<void> {
  const types = { sent: type, received: type };
  await tx.events.append(eventsForBoth(parties, { text: null, payload }, types), now);
}
