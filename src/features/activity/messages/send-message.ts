import { Type } from '../../../base/json-schema.ts';
import { codePointLength, isLegalText } from '../../../base/text.ts';
import { field } from '../../../contract/declare/fields.ts';
import { LONG_ID } from '../../../contract/declare/long-ids.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../../contract/declare/resource.ts';
import { conversationOf, type Message } from '../../../contract/store/messages.ts';
import { messagePayload } from './message-payloads.ts';
import { eventsForBoth, findParticipants } from './participants.ts';

const TEXT_MAX = 10_000;

/** The text of a message; line breaks and tabs are allowed. @source decision 352 */
const messageText = field<string>({
  name: 'text',
  column: 'text',
  schema: Type.String({ minLength: 1, maxLength: TEXT_MAX }),
  problems: ['NOT_TEXT', 'TEXT_TOO_LONG', 'ILLEGAL_CHARACTERS'],
  toJson: (stored) => JSON.stringify(stored),
  read(raw, parameter) {
    if (typeof raw !== 'string') return { problem: 'NOT_TEXT', parameter };
    const length = codePointLength(raw);
    if (length > TEXT_MAX) return { problem: 'TEXT_TOO_LONG', parameter, words: { max: TEXT_MAX, length } };
    return isLegalText(raw.replace(/[\t\r\n]/g, ' ')) ? raw : { problem: 'ILLEGAL_CHARACTERS', parameter };
  },
});

const MEMBERS = { text: messageText.required().describe('The text of the message; line breaks and tabs are allowed.') };
const id = Type.String({ pattern: LONG_ID.source });

/**
 * Sends a direct message; the same unit of work appends an event for the sender and one for the recipient.
 * @source authentication 11.5; activity 16.4; decision 325
 */
export const sendMessage: Operation = {
  id: 'messages.send',
  method: 'POST',
  path: '/2/dm_conversations/with/:participant_id/messages',
  description: 'Send a direct message to a user.',
  group: 'messages',
  groupDescription: 'Direct messages, as far as activity events need them: sending, reading and typing.',
  family: 'problem',
  rate: 'messages',
  parameters: {},
  body: 'members',
  shape: 'bare',
  success: 201,
  bodyMembers: MEMBERS,
  reply: Type.Closed({
    data: Type.Closed({ dm_conversation_id: Type.String({ pattern: '^\\d+-\\d+$' }), dm_event_id: id }),
  }),
  problems: ['MESSAGES_NOT_ALLOWED', 'MESSAGE_TO_ONESELF', 'MESSAGE_TO_NOBODY'],
  async perform(call) {
    const { store, ids, clock } = call.services;
    const [id] = await ids.takeLong('message', LONG_IDS_FROM, 1);
    const message = await store.write(async (tx) => {
      const parties = await findParticipants(tx, call.principal, {
        parameter: 'participant_id',
        id: call.path.participant_id!,
      });
      const sent: Message = {
        id: id!,
        conversation_id: conversationOf(parties.sender.id, parties.recipient.id),
        sender_id: parties.sender.id,
        recipient_id: parties.recipient.id,
        text: call.input.text as string,
        created_at: call.now,
        created_ms: clock.now(),
      };
      await tx.messages.add(sent);
      const event = { text: sent.text, payload: await messagePayload(tx, sent, parties) };
      await tx.events.append(eventsForBoth(parties, event, { sent: 'dm.sent', received: 'dm.received' }), call.now);
      return sent;
    });
    const data = { dm_conversation_id: message.conversation_id, dm_event_id: message.id };
    return { status: 201, data: JSON.stringify({ data }) };
  },
};
