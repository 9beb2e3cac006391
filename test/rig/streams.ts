import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { ENDPOINT_NAMES } from '../../src/contract/services/streams.ts';
import type { EventType, NewEvent } from '../../src/contract/store/events.ts';
import { bearerOf } from './application.ts';
import type { Reply } from './client.ts';
import { checkForeign, ownHeaders, ownText } from './foreign-words.ts';
import { register } from './people.ts';
import { parsed, rawCall } from './raw.ts';
import { checkReply } from './validation.ts';
import type { World } from './world.ts';

/** A line of a stream. */
export interface Line {
  readonly data: {
    readonly event_uuid: string;
    readonly event_type: EventType;
    readonly tag?: string;
    readonly filter: Readonly<Record<string, string>>;
    // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
    readonly payload: any;
  };
  readonly errors?: readonly { readonly disconnect_type: string; readonly title: string; readonly type: string }[];
}

/** A stream that is being read. */
export interface ReadStream {
  readonly headers: Headers;
  /** Everything that came, as it came. */
  text(): string;
  /** The lines that were not empty. */
  lines(): Line[];
  /** The last of them; undefined before the first. */
  latest(): Line | undefined;
  /** Resolves with the lines once there are so many. Rejects when the stream ends before. */
  until(count: number): Promise<Line[]>;
  /** Resolves with the lines when what came fits. Rejects when the stream ends before. */
  when(fits: (text: string) => boolean): Promise<Line[]>;
  /** Resolves with the lines when the stream has ended, however. */
  readonly ended: Promise<Line[]>;
  /** Whether the reply came to its end, and was not cut. */
  isWhole(): boolean;
  /** Takes nothing more, and does take it again. */
  pause(): void;
  resume(): void;
  /** Goes away. */
  close(): void;
  /** Says that nothing more is wanted, and takes what still comes. */
  leave(): void;
}

/** An application of its own, with its token. */
export interface Subscriber {
  readonly bearer: string;
  readonly user: string;
  readonly application: string;
  readonly consumer_key: string;
  readonly consumer_secret: string;
}

/** Registers an application that holds a token. */
export async function subscriber(world: World): Promise<Subscriber> {
  const keys = await register(world);
  const { store } = world.service;
  const found = await store.read((tx) => tx.credentials.findApplicationByKey(keys.consumer_key));
  return { ...keys, application: found!.id, bearer: await bearerOf(world, keys) };
}

/** Calls with the token of an application. */
export function callAs(
  world: World,
  { bearer }: Pick<Subscriber, 'bearer'>,
  method: string,
  target: string,
  json?: unknown,
): Promise<Reply> {
  const authorization = `Bearer ${bearer}`;
  const sent = json === undefined ? undefined : JSON.stringify(json);
  const headers = { authorization, ...(sent !== undefined && { 'content-type': 'application/json' }) };
  return rawCall(world.service.url, world.clock, { method, target, headers, body: sent });
}

/** Subscribes an application to the profile of a user, or to another type. Throws when it is refused. */
export async function subscribe(
  world: World,
  who: Subscriber,
  { type = 'profile.update.bio', user = who.user, tag }: { type?: EventType; user?: string; tag?: string } = {},
): Promise<string> {
  const reply = await callAs(world, who, 'POST', '/2/activity/subscriptions', {
    event_type: type,
    filter: { user_id: user },
    ...(tag !== undefined && { tag }),
  });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.data.subscription.subscription_id;
}

/** An event of a profile, with a number in it. */
export function bio(user: string, number: number): NewEvent {
  const payload = JSON.stringify({ before: '', after: String(number) });
  return { event_type: 'profile.update.bio', user_id: user, direction: null, text: String(number), payload };
}

/** Writes events of a profile to the log, with these numbers; resolves when that is durable. */
export async function happen(world: World, user: string, numbers: readonly number[]): Promise<void> {
  const now = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  await world.service.store.write((tx) =>
    tx.events.append(
      numbers.map((number) => bio(user, number)),
      now,
    ),
  );
}

/** The numbers in lines of such events. */
export function numbersOf(lines: readonly Line[]): number[] {
  return lines.filter(({ data }) => data !== undefined).map(({ data }) => Number(data.payload.after));
}

/** Numbers in a row. */
export function row(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** A service that can be reached, of this process or another. */
export interface Served {
  readonly service: { readonly url: string };
}

/** Opens a stream; a refusal is answered with instead. Both are held against the description. */
export async function askStream(world: Served, bearer: string, query = ''): Promise<ReadStream | Reply> {
  const url = `${world.service.url}/2/activity/stream${query}`;
  const { outgoing, incoming } = await opened(url, bearer);
  const headers = ownHeaders(
    new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string])),
  );
  if (incoming.statusCode === 200) return reading(url, outgoing, incoming, headers);
  let text = '';
  for await (const chunk of incoming) text += chunk;
  text = ownText(text);
  checkReply('GET', url, incoming.statusCode!, headers, text);
  return { status: incoming.statusCode!, headers, text, body: parsed(text) };
}

/** Opens a stream. Throws when it is refused. */
export async function openStream(world: Served, bearer: string, query = ''): Promise<ReadStream> {
  const answer = await askStream(world, bearer, query);
  if ('status' in answer) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

function opened(url: string, bearer: string): Promise<{ outgoing: ClientRequest; incoming: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { authorization: `Bearer ${bearer}` }, agent: false }, (incoming) =>
      resolve({ outgoing, incoming }),
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function reading(url: string, outgoing: ClientRequest, incoming: IncomingMessage, headers: Headers): ReadStream {
  const complete: string[] = [];
  const parsedLines: Line[] = [];
  let text = '';
  let rest = '';
  let isOver = false;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const each of waiting.splice(0)) each();
  };
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    text += chunk;
    const parts = (rest + chunk).split('\r\n');
    rest = parts.pop()!;
    for (const part of parts.filter((each) => each !== '')) {
      checkForeign(url, part);
      complete.push(ownText(part));
      parsedLines.push(JSON.parse(complete.at(-1)!) as Line);
    }
    wake();
  });
  const lines = (): Line[] => [...parsedLines];
  const ended = new Promise<Line[]>((resolve, reject) => {
    incoming.on('error', () => {});
    outgoing.on('error', () => {});
    incoming.once('close', () => {
      isOver = true;
      wake();
      try {
        checkReply('GET', url, 200, headers, complete.join('\r\n'));
        resolve(lines());
      } catch (error) {
        reject(error as Error);
      }
    });
  });
  ended.catch(() => {});
  const untilHolds = async (holds: () => boolean): Promise<Line[]> => {
    while (!holds()) {
      if (isOver) throw new Error(`the stream ended after ${complete.length} lines: ${text.slice(-500)}`);
      await new Promise<void>((resolve) => {
        waiting = [...waiting, resolve];
      });
    }
    return lines();
  };
  return {
    headers,
    text: () => ownText(text),
    lines,
    latest: () => parsedLines.at(-1),
    when: (fits) => untilHolds(() => fits(ownText(text))),
    until: (count) => untilHolds(() => complete.length >= count),
    ended,
    isWhole: () => incoming.complete,
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void outgoing.destroy(),
    leave: () => void outgoing.socket?.end(),
  };
}

/** Asks for a stream that is refused. */
export async function refused(world: World, bearer: string, query = ''): Promise<Reply> {
  const answer = await askStream(world, bearer, query);
  if (!('status' in answer)) throw new Error('the stream was opened');
  return answer;
}

/** Why connections of an application ended, once so many have: the latest first. */
export async function endedOf(world: World, who: Subscriber, count: number): Promise<(string | null)[]> {
  for (;;) {
    const reasons = await endedSoFar(world, who, count);
    if (reasons.length >= count) return reasons;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Why connections of an application have ended up to now: the latest first. */
export async function endedSoFar(
  { service }: World,
  { application }: Subscriber,
  limit: number,
): Promise<(string | null)[]> {
  const asked = { application, endpoints: ENDPOINT_NAMES, since: '', after: undefined, limit };
  const rows = await service.store.read((tx) => tx.streamConnections.page({ ...asked, status: 'inactive' }));
  return rows.map((row) => row.disconnect_reason);
}
