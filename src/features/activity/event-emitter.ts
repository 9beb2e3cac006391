import { type User, VERIFIED_TYPES } from '../../contract/store/credentials.ts';
import { type Direction, type EventType, eventUuid, type NewEvent } from '../../contract/store/events.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../../contract/store/store.ts';
import { DIRECTED, FIXED_DIRECTIONS } from './event-types.ts';
import { briefUser, messagePayload, type Parties, readPayload, typingPayload } from './messages/message-payloads.ts';

/** What is said of an event that somebody makes by hand; which of it is needed depends on the type. */
export interface Sketch {
  readonly event_type: EventType;
  readonly user: User;
  /** JSON text of an object; made from the rest when it is not given. */
  readonly payload?: string | undefined;
  readonly direction?: Direction | undefined;
  /** What keywords are looked for in; follows from the rest when it is not given. */
  readonly keyword_text?: string | undefined;
  /** The other user of a conversation. */
  readonly other?: User | undefined;
  /** What a message says, or what a profile or a broadcast is called from then on. */
  readonly text?: string | undefined;
  readonly before?: string | undefined;
  /** Names a broadcast, a message, or the last message that was read. */
  readonly about?: string | undefined;
}

/** What is wrong with a sketch, in words for people. */
export class SketchUnfit extends Error {
  override readonly name = 'SketchUnfit';
}

/** The direction of an event of a type: what is said, or what follows from the type. @throws SketchUnfit */
export function directionFor(type: EventType, said: Direction | undefined): Direction | null {
  if (!DIRECTED.has(type)) {
    if (said !== undefined) throw new SketchUnfit(`events of type ${type} have no direction`);
    return null;
  }
  const fixed = FIXED_DIRECTIONS[type];
  if (fixed !== undefined && said !== undefined && said !== fixed) {
    throw new SketchUnfit(`events of type ${type} are always ${fixed}`);
  }
  return fixed ?? said ?? 'received';
}

/**
 * The event of a sketch, with the payload that events of its type have.
 * @throws SketchUnfit
 * @source activity gaps 16.3 to 16.6, 16.8
 */
export async function eventOf(tx: ReadTransaction, sketch: Sketch, created_ms: number): Promise<NewEvent> {
  const { event_type, user, keyword_text } = sketch;
  const direction = directionFor(event_type, sketch.direction);
  const made =
    sketch.payload === undefined
      ? await madeOf(tx, sketch, direction, created_ms)
      : { payload: sketch.payload, text: null };
  return { event_type, user_id: user.id, direction, payload: made.payload, text: keyword_text ?? made.text };
}

async function madeOf(
  tx: ReadTransaction,
  sketch: Sketch,
  direction: Direction | null,
  created_ms: number,
): Promise<Pick<NewEvent, 'payload' | 'text'>> {
  const { event_type, user, text } = sketch;
  switch (event_type) {
    case 'profile.update.bio':
    case 'profile.update.screenname': {
      const after = needed(sketch, 'text');
      return { payload: changePayload(sketch.before ?? '', after), text: after };
    }
    case 'profile.update.verified': {
      const [before, after] = [sketch.before ?? 'none', needed(sketch, 'text')].map(verifiedType) as [string, string];
      return { payload: changePayload(before, after), text: null };
    }
    case 'profile.update.affiliate': {
      const [before, after] = [sketch.before ?? '', needed(sketch, 'text')].map(affiliateId) as [string, string];
      return { payload: changePayload(before, after), text: null };
    }
    case 'dm.sent':
    case 'dm.received': {
      const message = { id: needed(sketch, 'about'), text: needed(sketch, 'text'), created_ms };
      return { payload: await messagePayload(tx, message, partiesOf(sketch, direction)), text: message.text };
    }
    case 'dm.read':
      return { payload: readPayload(partiesOf(sketch, direction), needed(sketch, 'about'), created_ms), text: null };
    case 'dm.indicate_typing':
      return { payload: typingPayload(partiesOf(sketch, direction), created_ms), text: null };
    case 'spaces.start':
    case 'spaces.end': {
      const payload = { user: { data: briefUser(user) }, broadcast_id: needed(sketch, 'about'), event_type };
      return { payload: JSON.stringify(payload), text: text ?? null };
    }
  }
}

function changePayload(before: string, after: string): string {
  return JSON.stringify({ before, after });
}

/** How a user can be verified. @throws SketchUnfit */
function verifiedType(said: string): string {
  if ((VERIFIED_TYPES as readonly string[]).includes(said)) return said;
  throw new SketchUnfit(`a user is verified as one of ${VERIFIED_TYPES.join(', ')}, not ${said}`);
}

/** The id of an organisation, or nothing. @throws SketchUnfit */
function affiliateId(said: string): string {
  if (/^([0-9]{1,19})?$/.test(said)) return said;
  throw new SketchUnfit(`an organisation is named by its id, or by nothing at all, not by ${said}`);
}

function needed(sketch: Sketch, name: 'text' | 'about'): string {
  const value = sketch[name];
  if (value === undefined) throw new SketchUnfit(`events of type ${sketch.event_type} need ${WORDS[name]}`);
  return value;
}

const WORDS = { text: 'a text', about: 'an id of what they are about', other: 'another user' } as const;

/** Who did it, and to whom: the user is the one or the other, by the direction. */
function partiesOf({ event_type, user, other }: Sketch, direction: Direction | null): Parties {
  if (!other) throw new SketchUnfit(`events of type ${event_type} need ${WORDS.other}`);
  return direction === 'sent' ? { sender: user, recipient: other } : { sender: other, recipient: user };
}

/** Writes events that nothing else is done with. */
export interface Emitter {
  /** Resolves with the uuid of the event when it is durable; with undefined when there is no such user. */
  emit(event: NewEvent): Promise<string | undefined>;
}

interface Waiting {
  readonly event: NewEvent;
  resolve(uuid: string | undefined): void;
  reject(error: unknown): void;
}

const TOGETHER_MAX = 200;

/** Writes events in the order in which they come; those that come while others are being written share a unit of work. */
export function emitterOf(store: Store, now: () => string): Emitter {
  let waiting: Waiting[] = [];
  let isWriting = false;
  const drain = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, TOGETHER_MAX);
      waiting = waiting.slice(TOGETHER_MAX);
      try {
        const uuids = await store.write((tx) => writeAll(tx, some, now()));
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

/** Writes those whose user there is; the answer has undefined for the others. */
async function writeAll(tx: WriteTransaction, some: readonly Waiting[], now: string): Promise<(string | undefined)[]> {
  const users = await tx.credentials.findScreenNames([...new Set(some.map(({ event }) => event.user_id))]);
  const isKnown = ({ event }: Waiting): boolean => users.has(event.user_id);
  const events = some.filter(isKnown).map(({ event }) => event);
  const positions = await tx.events.append(events, now);
  let next = 0;
  return some.map((each) => (isKnown(each) ? eventUuid(positions[next++]!) : undefined));
}
