import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import { endedOf, happen, numbersOf, openStream, type ReadStream, subscribe, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

const EVENTS = 3000;
const WRITERS = 8;
const READERS = 4;

let world: World;
before(async () => {
  world = await openWorld({ flags: { application_stream_events_per_s: 1_000_000, rate_limits: 'off' } });
});
after(() => world.close());

describe('the stream of events', () => {
  test(`of ${EVENTS} by ${WRITERS} writers is whole and in order for ${READERS} readers who come and go`, async (t) => {
    const random = seededRandom(8, 'stream gaps');
    const below = (max: number): number => random.bytes(4).readUInt32BE() % max;
    const who = await subscriber(world);
    await subscribe(world, who);
    await world.service.store.write((tx) => tx.applicationLimits.set(who.application, 'stream_connections', 100));
    let written = 0;
    let acknowledged = 0;

    const write = async (): Promise<void> => {
      while (written < EVENTS) {
        const count = Math.min(1 + below(20), EVENTS - written);
        const numbers = Array.from({ length: count }, () => written++);
        await happen(world, who.user, numbers);
        acknowledged += count;
        if (below(4) === 0) world.clock.advance(1);
      }
    };

    /** Reads for a while, goes, and comes back for what happened meanwhile. Every connection by itself. */
    const connections: number[][] = [];
    const read = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (;;) {
        const stream: ReadStream = await openStream(world, who.bearer, '?backfill_minutes=5');
        const enough = 1 + below(700);
        const wanted = acknowledged === EVENTS ? undefined : enough;
        if (wanted === undefined) await untilLast(stream, seen);
        else await Promise.race([stream.until(wanted), writing]);
        stream.close();
        const own = numbersOf(await stream.ended);
        connections.push(own);
        seen.push(...own);
        if (wanted === undefined) return seen;
      }
    };
    /** All is written: the log has an end now, which every stream must come to. */
    const untilLast = (stream: ReadStream, seen: readonly number[]): Promise<unknown> =>
      stream.when(() => new Set([...seen, ...numbersOf(stream.lines())]).size >= EVENTS);

    // The first connection of each reader is open before anything happens.
    const first = await openStream(world, who.bearer);
    const writing = Promise.all(Array.from({ length: WRITERS }, write)).then(() => {});
    const readers = await Promise.all(Array.from({ length: READERS }, read));
    await writing;
    await first.until(EVENTS);
    first.close();

    const log = await world.service.store.read((tx) => tx.events.list({ after: 0, limit: EVENTS + 100 }));
    const order = log
      .filter(({ user_id }) => user_id === who.user)
      .map(({ payload }) => Number(JSON.parse(payload).after));
    assert.equal(order.length, EVENTS);
    assert.deepEqual(numbersOf(first.lines()), order);
    const places = new Map(order.map((number, place) => [number, place]));
    for (const seen of connections) {
      const from = seen.length > 0 ? places.get(seen[0]!)! : 0;
      assert.deepEqual(
        seen,
        order.slice(from, from + seen.length),
        'one connection: no gap, no other order, nothing twice',
      );
    }
    for (const seen of readers) assert.equal(new Set(seen).size, EVENTS, 'a reader who comes back misses nothing');
    await endedOf(world, who, connections.length);
    t.diagnostic(`${connections.length} connections`);
  });
});
