import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { eventUuid, type NewEvent } from '../../src/contract/store/events.ts';
import { barkerApart, flagsOf } from '../commands/program.ts';
import { happen, listen } from '../rig/activity.ts';
import { register } from '../rig/people.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let user: string;
before(async () => {
  world = await openWorld();
  ({ user } = await register(world));
});
after(() => world.close());

const eventOf = (payload: object): NewEvent => {
  return { event_type: 'spaces.end', user_id: user, direction: null, text: null, payload: JSON.stringify(payload) };
};

describe('a follower of the log', () => {
  test('gets every committed event, in order, and no other', async () => {
    const heard = listen(world);
    const { store, clock } = world.service;
    const committed: number[] = [];
    /** Units that append some events, wait in between, and end well or not. */
    const unit = async (number: number): Promise<void> => {
      const isGood = number % 3 !== 0;
      const events = Array.from({ length: (number % 7) + 1 }, (_, index) => eventOf({ number, index }));
      const appended = store.write(async (tx) => {
        await tx.findNumber('nothing');
        await tx.events.append(events.slice(0, 2), formatInstant(clock.now()));
        await tx.findNumber('nothing');
        await tx.events.append(events.slice(2), formatInstant(clock.now()));
        if (!isGood) throw new Error('thought better of it');
      });
      await appended.then(
        () => committed.push(number),
        (error) => assert.equal(isGood, false, String(error)),
      );
    };
    await Promise.all(Array.from({ length: 120 }, (_, number) => unit(number)));
    await world.service.services.activity.feed.waitUntilCaughtUp();
    const told = heard.batches.flatMap(({ events }) => events);
    const positions = told.map(({ position }) => position);
    assert.deepEqual(
      positions,
      Array.from(positions, (_, index) => heard.following.after + 1 + index),
    );
    // The events of a unit stand together, in the order in which it appended them.
    const units = told.map(({ payload }) => JSON.parse(payload)).filter(({ index }) => index === 0);
    assert.deepEqual(
      told.map(({ payload }) => JSON.parse(payload)),
      units.flatMap(({ number }) => Array.from({ length: (number % 7) + 1 }, (_, index) => ({ number, index }))),
    );
    const byNumber = (one: number, another: number): number => one - another;
    assert.deepEqual(units.map(({ number }) => number).sort(byNumber), committed.sort(byNumber));
    assert.equal(committed.length, 80);
  });

  test('gets the same while another process writes', async () => {
    const heard = listen(world);
    const acknowledged: string[] = [];
    const COUNT = 3000;
    const args = ['events', 'emit', 'spaces.end', '--user', user, '--payload', '{"other":1}', '--count', String(COUNT)];
    const other = barkerApart([...args, ...flagsOf(world.place)]);
    let isOver = false;
    void other.finally(() => {
      isOver = true;
    });
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const reply = await happen(world, { event_type: 'spaces.end', user_id: user, payload: {} });
          assert.equal(reply.status, 202, reply.text);
          acknowledged.push(reply.body.data.event_uuid);
        }
      }),
    );
    assert.equal((await other).code, 0, (await other).stderr);
    await world.service.services.activity.feed.waitUntilCaughtUp();
    const told = heard.batches.flatMap(({ events }) => events);
    const positions = told.map(({ position }) => position);
    assert.equal(positions.length, COUNT + acknowledged.length);
    assert.deepEqual(
      positions,
      Array.from(positions, (_, index) => heard.following.after + 1 + index),
    );
    const uuids = new Set(positions.map(eventUuid));
    assert.ok(acknowledged.every((uuid) => uuids.has(uuid)));
    assert.equal(told.filter(({ payload }) => payload === '{"other":1}').length, COUNT);
  });

  test('can join and leave at any time without missing events in between', async () => {
    const [first, whole] = [listen(world), listen(world)];
    const {
      activity: { feed: activity },
    } = world.service.services;
    const parts: ReturnType<typeof listen>[] = [first];
    const emitting = Array.from({ length: 300 }, () =>
      happen(world, { event_type: 'spaces.end', user_id: user, payload: {} }).then(() => {
        // One leaves, and the next joins, where the log has come to by then.
        parts.at(-1)!.following.stop();
        parts.push(listen(world));
      }),
    );
    await Promise.all(emitting);
    await activity.waitUntilCaughtUp();
    const positionsOf = (heard: ReturnType<typeof listen>): number[] =>
      heard.batches.flatMap(({ events }) => events.map(({ position }) => position));
    assert.deepEqual(parts.flatMap(positionsOf), positionsOf(whole));
    assert.equal(positionsOf(whole).length, 300);
  });
});
