import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { formatInstant } from '../../src/base/instants.ts';
import { seededRandom } from '../../src/base/random.ts';
import { eventUuid } from '../../src/contract/store/events.ts';
import { createEmitter } from '../../src/features/activity/test-events.ts';
import { happen } from '../rig/activity.ts';
import { openDistantWorld } from '../rig/distant.ts';
import {
  askStream,
  bio,
  endedOf,
  type Line,
  type ReadStream,
  type Subscriber,
  subscribe,
  subscriber,
} from '../rig/streams.ts';
import type { World } from '../rig/world.ts';

/** The pace at which events are made: a setting, and nothing that is measured. */
const EVENTS_PER_S = 1000;
/** How fast the clock of the service runs: a second of it, the finest time that a reader can ask for, has 20 events. */
const CLOCK_SPEED = 50;
const WRITERS = 8;
/** One event in so many is made by a call of an operator, the others where that call ends. */
const CALLED_EVERY = 50;

interface Variant {
  readonly what: string;
  readonly events: number;
  /** How many events further each reader goes away at the latest, and comes back; Infinity for one who stays. */
  readonly reaches: readonly number[];
  /** How a reader asks for what was missed. */
  readonly asks: readonly ('backfill_minutes' | 'start_time')[];
  /** What the application may have, where that is not what every application may. */
  readonly limits: Readonly<Partial<Record<'stream_connections' | 'stream_events_per_s', number>>>;
}

const STAYS = Number.POSITIVE_INFINITY;
const VARIANTS: readonly Variant[] = [
  {
    what: 'as fast as they happen, by readers who stay, or come and go',
    events: 6000,
    reaches: [STAYS, 150, 150, 300, 700, 2000],
    asks: ['backfill_minutes', 'start_time', 'start_time', 'start_time', 'start_time'],
    limits: { stream_connections: 100, stream_events_per_s: 1_000_000 },
  },
  {
    what: 'with the usual limits, by readers who are left behind',
    events: 1800,
    reaches: [STAYS, 700],
    asks: ['start_time'],
    limits: {},
  },
];

let world: World;
before(async () => {
  // What a stream reads of the past is old when it has it: more has happened.
  world = await openDistantWorld({ rate_limits: 'off' });
});
after(() => world.close());

describe(`of ${EVENTS_PER_S} events a second`, () => {
  for (const { what, events, reaches, asks, limits } of VARIANTS) {
    test(`every one is received, in the order of the log, ${what}`, async (t) => {
      const who = await subscriber(world);
      await subscribe(world, who);
      await world.service.store.write(async (tx) => {
        for (const [name, max] of Object.entries(limits)) {
          await tx.applicationLimits.set(who.application, name as keyof typeof limits, max);
        }
      });
      const emit = emittingFor(who.user);
      // Whoever is there before anything happens is told of all of it.
      const firsts = await Promise.all(reaches.map(() => opened(who, '')));
      const goal = { last: Number.POSITIVE_INFINITY };
      const reading = Promise.all(
        firsts.map((first, index) => readAll(who, { first, asks, reach: reaches[index]!, index, goal })),
      );
      const acknowledged = await paced(events, emit);
      goal.last = await world.service.store.read((tx) => tx.events.findLast());
      // One who lost the last of them would wait for it for ever: something happens after it too.
      acknowledged.push(...(await goOnUntil(reading, emit)));
      const readers = await reading;

      const log = await world.service.store.read((tx) => tx.events.list({ after: 0, limit: 100_000 }));
      const positions = log.filter(({ user_id }) => user_id === who.user).map(({ position }) => position);
      assert.deepEqual(positions.map(eventUuid), acknowledged.toSorted(), 'the log has what was acknowledged');
      for (const connections of readers) checkReader(connections, positions, goal.last);
      const count = readers.flat().length;
      t.diagnostic(`${count} connections, ended: ${toldOf(await endedOf(world, who, count))}`);
    });
  }
});

type Emit = (number: number) => Promise<string>;

/** Makes numbered changes of a profile happen; resolves with the uuid when the event was acknowledged. */
function emittingFor(user: string): Emit {
  const now = (): string => formatInstant(world.clock.now());
  const emitters = Array.from({ length: WRITERS }, () => createEmitter(world.service.store, now));
  return async (number) => {
    const event = bio(user, number);
    if (number % CALLED_EVERY > 0) return (await emitters[number % WRITERS]!.emit(event))!;
    const { event_type, user_id } = event;
    const reply = await happen(world, { event_type, user_id, payload: JSON.parse(event.payload) });
    assert.equal(reply.status, 202, reply.text);
    return reply.body.data.event_uuid;
  };
}

/** So often that what happens is in many small units, and now and then in the middle of whatever a stream does. */
const TICK_MS = 1;

/** Makes so many events happen at the pace, whether those before are acknowledged or not. Resolves when all are. */
async function paced(count: number, emit: Emit): Promise<string[]> {
  const emitting: Promise<string>[] = [];
  const startedAt_ms = performance.now();
  while (emitting.length < count) {
    const due = Math.floor(((performance.now() - startedAt_ms) * EVENTS_PER_S) / 1000);
    const wanted = Math.min(count, due) - emitting.length;
    world.clock.advance((wanted * CLOCK_SPEED) / EVENTS_PER_S);
    for (let made = 0; made < wanted; made++) emitting.push(emit(emitting.length));
    await wait(TICK_MS);
  }
  return Promise.all(emitting);
}

/** Makes an event happen now and then, until something is over. */
async function goOnUntil(over: Promise<unknown>, emit: Emit): Promise<string[]> {
  const uuids: string[] = [];
  for (let isOver = false; !isOver; ) {
    uuids.push(await emit(0));
    isOver = await Promise.race([over.then(() => true), wait(20, false)]);
  }
  return uuids;
}

/** The last position that there is to see; infinite while that is not known. */
interface Goal {
  last: number;
}

interface Reader extends Pick<Variant, 'asks'> {
  readonly reach: number;
  readonly index: number;
  readonly first: ReadStream;
  readonly goal: Goal;
}

/** How readers go away: with a word, without one, or when they have taken nothing for a while, so that what came is refused. */
const WAYS: readonly ((stream: ReadStream) => unknown)[] = [
  (stream) => stream.leave(),
  (stream) => stream.close(),
  async (stream) => {
    stream.pause();
    await wait(20);
    stream.close();
  },
];

/** Reads for a while, goes, and comes back for what happened meanwhile, to the end. The positions of each connection. */
async function readAll(who: Subscriber, { asks, reach, index, first, goal }: Reader): Promise<number[][]> {
  const random = seededRandom(8, `stream gaps ${index}`);
  const below = (max: number): number => random.bytes(4).readUInt32BE() % max;
  const connections: number[][] = [];
  for (let last = 0, stream = first; ; ) {
    const until = Number.isFinite(reach) ? last + below(reach) : reach;
    const isFarEnough = (): boolean => {
      const position = positionOf(stream.latest()) ?? 0;
      // When nothing more happens, nobody goes before the end.
      return Number.isFinite(goal.last) ? position > goal.last : position >= until;
    };
    // The service ends the stream of a reader who is too slow.
    await stream.when(isFarEnough).catch(() => undefined);
    await WAYS[below(WAYS.length)]!(stream);
    const seen = positionsOf(await stream.ended);
    connections.push(seen);
    last = Math.max(last, seen.at(-1) ?? 0);
    if (last > goal.last) return connections;
    stream = await opened(who, last === 0 ? '?backfill_minutes=5' : await queryAfter(last, asks[below(asks.length)]!));
  }
}

/** How a stream is asked for by somebody who saw an event last. */
async function queryAfter(position: number, ask: Variant['asks'][number]): Promise<string> {
  if (ask === 'backfill_minutes') return '?backfill_minutes=5';
  const [event] = await world.service.store.read((tx) => tx.events.listAt([position]));
  return `?${new URLSearchParams({ start_time: event!.created_at })}`;
}

/** Opens a stream, as soon as a place is free: the service may not have noticed yet that somebody went. */
async function opened({ bearer }: Subscriber, query: string): Promise<ReadStream> {
  for (;;) {
    const answer = await askStream(world, bearer, query);
    if (!('status' in answer)) return answer;
    assert.equal(answer.status, 429, answer.text);
    await wait(20);
  }
}

/** The place in the log of what a line tells; undefined when it tells why the stream ends. */
function positionOf(line: Line | undefined): number | undefined {
  return line?.data && Number(line.data.event_uuid.slice(2));
}

function positionsOf(lines: readonly Line[]): number[] {
  return lines.map(positionOf).filter((position) => position !== undefined);
}

/** Holds what one reader saw against the log, all of which happened after the first stream was opened. */
function checkReader(connections: readonly (readonly number[])[], log: readonly number[], last: number): void {
  const places = new Map(log.map((position, place) => [position, place]));
  let next = 0;
  for (const seen of connections) {
    if (seen.length === 0) continue;
    const from = places.get(seen[0]!)!;
    assert.deepEqual(seen, log.slice(from, from + seen.length), 'in a connection: no gap, no other order, none twice');
    assert.ok(from <= next, `nothing between connections is missed: ${from} follows ${next}`);
    next = Math.max(next, from + seen.length);
  }
  assert.ok(log[next - 1]! > last, 'everything is seen in the end');
}

function toldOf(reasons: readonly (string | null)[]): string {
  const counts = Map.groupBy(reasons, (reason) => reason);
  return [...counts].map(([reason, all]) => `${all.length} ${reason}`).join(', ');
}
