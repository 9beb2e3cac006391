import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type BreakableWorld, openBreakableWorld } from '../rig/breakable.ts';
import { callAs, endedOf, happen, numbersOf, openStream, subscribe, subscriber } from '../rig/streams.ts';
import { openWorld } from '../rig/world.ts';

let world: BreakableWorld;
before(async () => {
  world = await openBreakableWorld({ stream_keep_alive_s: 1, stream_replace_oldest: true });
});
after(() => world.close());

describe('a stream', () => {
  test('replaces the oldest one when so configured', async () => {
    const who = await subscriber(world);
    const first = await openStream(world, who.bearer);
    world.clock.advance(1);
    const second = await openStream(world, who.bearer);
    world.clock.advance(1);
    const third = await openStream(world, who.bearer);
    const lines = await first.ended;
    assert.equal(lines.at(-1)?.errors?.[0]?.disconnect_type, 'ForceDisconnect');
    assert.equal((await callAs(world, who, 'GET', '/2/connections')).body.meta.result_count, 2);
    second.close();
    third.close();
  });

  test('survives a database outage without losing events', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    const [live, gone] = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    await happen(world, who.user, [1]);
    await live.until(1);
    await world.whileUnreachable(async () => {
      await assert.rejects(happen(world, who.user, [99]));
      gone.close();
      await gone.ended;
      const length = live.text().length;
      await live.when((text) => text.length > length);
    });
    await happen(world, who.user, [2]);
    assert.deepEqual(numbersOf(await live.until(2)), [1, 2]);
    // Why the other one ended is stored once that is possible.
    assert.deepEqual(await endedOf(world, who, 1), ['ClientDisconnect']);
    live.close();
  });

  test('receives a last line at shutdown, before the database is closed', async () => {
    const ending = await openWorld();
    const who = await subscriber(ending);
    await subscribe(ending, who);
    const stream = await openStream(ending, who.bearer);
    await happen(ending, who.user, [1]);
    await stream.until(1);
    const holder = ending.nodes.find(({ services }) => services.activity.streams.count() > 0);
    const { store } = holder!;
    const { close } = store;
    let rows: readonly { readonly disconnect_reason: string | null }[] = [];
    Object.assign(store, {
      async close() {
        const asked = { application: who.application, endpoints: ['activity_stream'], since: '', limit: 9 } as const;
        rows = await store.read((tx) => tx.streamConnections.page({ ...asked, status: 'all', after: undefined }));
        await close.call(store);
      },
    });
    await ending.close();
    const lines = await stream.ended;
    assert.deepEqual(lines.at(-1)?.errors, [
      {
        title: 'operational-disconnect',
        disconnect_type: 'UpstreamOperationalDisconnect',
        detail: 'This stream has been disconnected upstream for operational reasons.',
        type: `${ending.service.url}/2/problems/operational-disconnect`,
      },
    ]);
    // The end of the reply is sent too: nothing was cut.
    assert.equal(stream.isWhole(), true);
    assert.deepEqual(
      rows.map((row) => row.disconnect_reason),
      ['UpstreamOperationalDisconnect'],
    );
  });
});
