import { type User, VERIFIED_TYPES } from '../../contract/store/credentials.ts';
import {
  type Direction,
  EVENT_TYPE_RULES,
  type EventType,
  eventUuid,
  type NewEvent,
} from '../../contract/store/events.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import {
  messagePayload,
  type Participants,
  readReceiptPayload,
  typingPayload,
  userSummary,
} from './messages/message-payloads.ts';

/** An event that an operator or a test describes; which members are required depends on the type. */
export interface EventDraft {
  readonly event_type: EventType;
  readonly user: User;
  /** JSON text of an object; built from the other members when undefined. */
  readonly payload?: string | undefined;
  readonly direction?: Direction | undefined;
  /** The text that keywords are matched against; taken from the other members when undefined. */
  readonly keyword_text?: string | undefined;
  /** The other user of a conversation. */
  readonly other?: User | undefined;
  /** The text of a message, the new value of a profile field, or the title of a broadcast. */
  readonly text?: string | undefined;
  readonly before?: string | undefined;
  /** The id of a broadcast, a message, or the last message that was read. */
  readonly about?: string | undefined;
}

/** Thrown for an event draft that cannot become an event; the message is for operators. */
export class InvalidEventDraft extends Error {
  override readonly name = 'InvalidEventDraft';
}

/** The direction of an event: the requested one, or the one that its type implies. @throws InvalidEventDraft */
export function resolveDirection(type: EventType, requested: Direction | undefined): Direction | null {
  const { direction } = EVENT_TYPE_RULES[type];
  if (direction === 'either') return requested ?? 'received';
  if (requested !== undefined && requested !== direction) {
    const why = direction === null ? 'have no direction' : `are always ${direction}`;
    throw new InvalidEventDraft(`events of type ${type} ${why}`);
  }
  return direction;
}

/**
 * The event of a draft, with the payload of its type.
 * @throws InvalidEventDraft
 * @source activity 16.3 to 16.6, 16.8; decision 333, 355
 */
export async function eventFromDraft(tx: ReadTransaction, draft: EventDraft, created_ms: number): Promise<NewEvent> {
  const { event_type, user, keyword_text } = draft;
  const direction = resolveDirection(event_type, draft.direction);
  const made =
    draft.payload === undefined
      ? await defaultPayload(tx, draft, direction, created_ms)
      : { payload: draft.payload, text: null };
  return { event_type, user_id: user.id, direction, payload: made.payload, text: keyword_text ?? made.text };
}

async function defaultPayload(
  tx: ReadTransaction,
  draft: EventDraft,
  direction: Direction | null,
  created_ms: number,
): Promise<Pick<NewEvent, 'payload' | 'text'>> {
  const { event_type, user, text } = draft;
  switch (event_type) {
    case 'profile.update.bio':
    case 'profile.update.screenname': {
      const after = requireField(draft, 'text');
      return { payload: changePayload(draft.before ?? '', after), text: after };
    }
    case 'profile.update.verified': {
      const [before, after] = [draft.before ?? 'none', requireField(draft, 'text')].map(verifiedType) as [
        string,
        string,
      ];
      return { payload: changePayload(before, after), text: null };
    }
    case 'profile.update.affiliate': {
      const [before, after] = [draft.before ?? '', requireField(draft, 'text')].map(affiliateId) as [string, string];
      return { payload: changePayload(before, after), text: null };
    }
    case 'dm.sent':
    case 'dm.received': {
      const message = { id: requireField(draft, 'about'), text: requireField(draft, 'text'), created_ms };
      return { payload: await messagePayload(tx, message, participantsOf(draft, direction)), text: message.text };
    }
    case 'dm.read':
      return {
        payload: readReceiptPayload(participantsOf(draft, direction), requireField(draft, 'about'), created_ms),
        text: null,
      };
    case 'dm.indicate_typing':
      return { payload: typingPayload(participantsOf(draft, direction), created_ms), text: null };
    // There are no Spaces here: only operators emit these events. @source decision 358
    case 'spaces.start':
    case 'spaces.end': {
      const payload = { user: { data: userSummary(user) }, broadcast_id: requireField(draft, 'about'), event_type };
      return { payload: JSON.stringify(payload), text: text ?? null };
    }
  }
}

function changePayload(before: string, after: string): string {
  return JSON.stringify({ before, after });
}

/** A verified type. @throws InvalidEventDraft @source decision 407 */
function verifiedType(requested: string): string {
  if ((VERIFIED_TYPES as readonly string[]).includes(requested)) return requested;
  throw new InvalidEventDraft(`verified is one of ${VERIFIED_TYPES.join(', ')}; got ${requested}`);
}

/** The id of an organization, or empty. @throws InvalidEventDraft @source decision 407 */
function affiliateId(requested: string): string {
  if (/^([0-9]{1,19})?$/.test(requested)) return requested;
  throw new InvalidEventDraft(`affiliate is the numeric id of an organization, or empty; got ${requested}`);
}

function requireField(draft: EventDraft, name: 'text' | 'about'): string {
  const value = draft[name];
  if (value === undefined) throw new InvalidEventDraft(`events of type ${draft.event_type} require ${WORDS[name]}`);
  return value;
}

const WORDS = { text: 'a text', about: 'an id', other: 'another user' } as const;

/** The sender and the recipient: the direction determines which of them the user is. */
function participantsOf({ event_type, user, other }: EventDraft, direction: Direction | null): Participants {
  if (!other) throw new InvalidEventDraft(`events of type ${event_type} require ${WORDS.other}`);
  return direction === 'sent' ? { sender: user, recipient: other } : { sender: other, recipient: user };
}

/** Appends events to the log without changing anything else. @source decision 356 */
export interface Emitter {
  /** Resolves with the uuid of the event once it is durable; undefined when the user does not exist. */
  emit(event: NewEvent): Promise<string | undefined>;
}

interface PendingEvent {
  readonly event: NewEvent;
  resolve(uuid: string | undefined): void;
  reject(error: unknown): void;
}

const BATCH_MAX = 200;

/** Appends events in order; those that arrive during a write share the next unit of work. */
export function createEmitter(store: Store, now: () => string): Emitter {
  let waiting: PendingEvent[] = [];
  let isWriting = false;
  const drain = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      try {
        const uuids = await store.write((tx) => writeBatch(tx, some, now()));
        for (const [index, { resolve }] of some.entries()) resolve(uuids[index]);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    isWriting = false;
  };
  return {
    emit: (event) =>
      new Promise((resolve, reject) => {
        waiting.push({ event, resolve, reject });
        if (!isWriting) void drain();
      }),
  };
}

/** Appends the events whose user exists; returns undefined for the others. */
async function writeBatch(
  tx: WriteTransaction,
  some: readonly PendingEvent[],
  now: string,
): Promise<(string | undefined)[]> {
  const users = await tx.credentials.findScreenNames([...new Set(some.map(({ event }) => event.user_id))]);
  const isKnown = ({ event }: PendingEvent): boolean => users.has(event.user_id);
  const events = some.filter(isKnown).map(({ event }) => event);
  const positions = await tx.events.appendInPlace(events, now);
  let next = 0;
  return some.map((each) => (isKnown(each) ? eventUuid(positions[next++]!) : undefined));
}
