import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { readDevFile } from '../../src/dev/dev-folder.ts';
import { regenerateKeys } from '../../src/features/auth/applications/administration.ts';
import { clientOf } from '../rig/client.ts';
import { engine } from '../rig/databases.ts';
import { makeHooks, settledPosition } from '../rig/deliverers.ts';
import { callDev, contentsOf } from '../rig/snapshots.ts';
import { happen, openStream, subscribe, subscriber } from '../rig/streams.ts';
import { GIF, JPEG } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, persons, update } from './people-calls.ts';

const isOnSqlite = engine === 'sqlite';
let world: World;
before(async () => {
  world = await openWorld({ flags: { audience_size_min: 1, rate_limits: 'off' } });
});
after(() => world.close());

const dev = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { on = world, ...sent }: Parameters<typeof callDev>[3] & { on?: World } = {},
) => callDev(on, method, path, sent);

async function addCampaign(on: World, name: string): Promise<string> {
  const { path, instrument } = await openAccount(on.sandbox);
  const reply = await on.sandbox.call('POST', `${path}/campaigns`, {
    params: { name, funding_instrument_id: instrument, daily_budget_amount_local_micro: 1_000_000 },
  });
  assert.equal(reply.status, 200, reply.text);
  return `${path}/campaigns/${reply.body.data.id}`;
}

if (!isOnSqlite) {
  test('PostgreSQL has no snapshots, and says so', async () => {
    for (const [method, path] of [
      ['GET', '/snapshots'],
      ['PUT', '/snapshots/a'],
      ['POST', '/snapshots/a/restore'],
      ['POST', '/reset'],
    ] as const) {
      const { status, body } = await dev(method, path);
      assert.deepEqual([status, body.error.code], [501, 'SNAPSHOTS_NEED_SQLITE']);
    }
  });
} else {
  describe('a snapshot', () => {
    test('is restored in place, with everything as it was', async () => {
      const kept = await addCampaign(world, 'kept');
      const taken = await dev('PUT', '/snapshots/before');
      assert.equal(taken.status, 200);
      assert.deepEqual(Object.keys(taken.body), ['name', 'at', 'clock', 'bytes']);
      assert.equal(taken.body.clock, '2026-03-02T17:04:55Z');
      const before = await contentsOf(world);
      const lost = await addCampaign(world, 'lost');
      await world.sandbox.call('DELETE', kept);
      assert.equal((await dev('POST', '/snapshots/before/restore')).status, 200);
      assert.deepEqual(await contentsOf(world), before);
      assert.equal((await world.sandbox.call('GET', kept)).body.data.name, 'kept');
      assert.equal((await world.sandbox.call('GET', lost)).status, 403);
    });

    test('is followed by the same ids each time', async () => {
      await dev('PUT', '/snapshots/ids');
      const first = await addCampaign(world, 'again');
      await dev('POST', '/snapshots/ids/restore');
      assert.equal(await addCampaign(world, 'again'), first);
      await dev('POST', '/snapshots/ids/restore');
      assert.equal(await addCampaign(world, 'again'), first);
    });

    test('is listed, replaced and removed', async () => {
      await dev('PUT', '/snapshots/one');
      await dev('PUT', '/snapshots/one');
      const names = async () =>
        (await dev('GET', '/snapshots')).body.snapshots.map(({ name }: { name: string }) => name);
      assert.ok((await names()).includes('one'));
      assert.equal((await dev('DELETE', '/snapshots/one')).status, 204);
      assert.ok(!(await names()).includes('one'));
      assert.equal((await dev('POST', '/snapshots/one/restore')).status, 404);
      const folder = join(world.place.folder, 'snapshots');
      const entries = readdirSync(folder).filter((name) => name.endsWith('.json'));
      assert.equal(readdirSync(folder).filter((name) => name.startsWith('contents-')).length, entries.length);
    });

    test('ends streams with a goodbye, and events go on from its position', async () => {
      const who = await subscriber(world);
      await subscribe(world, who);
      await dev('PUT', '/snapshots/streams');
      const stream = await openStream(world, who.bearer);
      await dev('POST', '/snapshots/streams/restore');
      const lines = await stream.ended;
      assert.equal(lines.at(-1)?.errors?.[0]?.disconnect_type, 'UpstreamOperationalDisconnect');
      assert.ok(stream.isWhole());
      const again = await openStream(world, who.bearer);
      await happen(world, who.user, [1]);
      assert.equal((await again.until(1)).length, 1);
      again.close();
    });
  });

  describe('after a restore', () => {
    test('webhooks are sent what happens from then on', { timeout: 60_000 }, async () => {
      const hooks = await makeHooks(world, 1);
      const [webhook] = hooks.ids;
      await happen(world, hooks.user, [1]);
      await hooks.receiver.came(1);
      // A delivery that is not stored yet would be repeated after the restore.
      const last = await world.service.store.read((tx) => tx.events.findLast());
      while ((await settledPosition(world, webhook!)) < last) await wait(10);
      await dev('PUT', '/snapshots/webhooks');
      await happen(world, hooks.user, [2]);
      await hooks.receiver.came(2);
      await dev('POST', '/snapshots/webhooks/restore');
      await happen(world, hooks.user, [3]);
      await hooks.receiver.came(3);
      const texts = hooks.arrived(webhook!).map(({ text }) => text);
      assert.equal(new Set(texts).size, 3, texts.join());
      await hooks.receiver.close();
    });

    test('media is there that was, and no other', async () => {
      const kept = await upload(world.sandbox, JPEG, { media_type: 'image/jpeg', media_category: 'post_image' });
      assert.equal(kept.status, 200, kept.text);
      await world.service.jobs.runDue();
      await dev('PUT', '/snapshots/media');
      const { objects } = await contentsOf(world);
      assert.ok(objects.length > 0);
      await upload(world.sandbox, GIF, { media_type: 'image/gif', media_category: 'post_gif' });
      assert.notDeepEqual((await contentsOf(world)).objects, objects);
      await dev('POST', '/snapshots/media/restore');
      assert.deepEqual((await contentsOf(world)).objects, objects);
    });

    test('an audience has the members that it had, and takes others', async () => {
      const { path } = await openAccount(world.sandbox);
      const kept = await audienceOn(world.sandbox, path);
      await dev('PUT', '/snapshots/audience');
      for (const [from, to] of [
        [0, 1000],
        [5000, 7000],
      ] as const) {
        // The number and the time of the upload are those of the one that was undone.
        assert.equal((await kept.upload([update(persons(from, to))])).status, 200);
        await world.service.jobs.runDue();
        assert.equal((await kept.show()).audience_size, to - from);
        await dev('POST', '/snapshots/audience/restore');
      }
    });
  });

  describe('a reset', () => {
    test('goes back to the demo world', async () => {
      const fresh = await openWorld();
      const before = await contentsOf(fresh);
      const first = await addCampaign(fresh, 'first');
      assert.equal((await dev('POST', '/reset', { on: fresh })).status, 200);
      assert.deepEqual(await contentsOf(fresh), before);
      assert.equal(await addCampaign(fresh, 'first'), first);
      await fresh.close();
    });

    test('ends all faults, so that those of one test do not disturb the next', async () => {
      const fresh = await openWorld();
      const add = () => dev('POST', '/faults', { body: { do: { reset: true } }, on: fresh });
      assert.equal((await add()).status, 201);
      await dev('POST', '/reset', { on: fresh });
      assert.deepEqual((await dev('GET', '/faults', { on: fresh })).body.faults, []);
      assert.equal((await fresh.production.call('GET', '/12/accounts')).status, 200);
      assert.deepEqual((await add()).body, { id: '1' });
      await fresh.close();
    });

    test('to nothing leaves users and applications, whose keys stay valid', async () => {
      const fresh = await openWorld();
      await addCampaign(fresh, 'first');
      const { body } = await dev('POST', '/reset', { body: { to: 'empty' }, on: fresh });
      assert.deepEqual(body, { to: 'empty', clock: '2026-03-02T17:04:55Z' });
      assert.deepEqual((await fresh.production.call('GET', '/12/accounts')).body.data, []);
      assert.deepEqual((await fresh.sandbox.call('GET', '/12/accounts')).body.data, []);
      await dev('POST', '/reset', { on: fresh });
      assert.equal((await fresh.production.call('GET', '/12/accounts')).body.data.length, 1);
      await fresh.close();
    });
  });

  describe('an exported snapshot', () => {
    test('is restored by a server with other keys', async () => {
      const kept = await addCampaign(world, 'exported');
      await dev('PUT', '/snapshots/export');
      const file = await dev('GET', '/snapshots/export/file');
      assert.equal(file.status, 200);
      const other = await openWorld({ flags: { seed: 7 } });
      const { status, body } = await dev('POST', '/snapshots?name=imported', { tar: file.bytes, on: other });
      assert.equal(status, 201, JSON.stringify(body));
      assert.equal((await dev('POST', '/snapshots/imported/restore', { on: other })).status, 200);
      const keys = readDevFile(other.place.folder)!;
      assert.equal(keys.consumer_key, world.keys.consumer_key);
      assert.equal(keys.base_url, other.service.url);
      const client = clientOf(other.service.sandboxUrl, keys, other.clock);
      assert.equal((await client.call('GET', kept)).body.data.name, 'exported');
      await other.close();
    });

    test('brings back the keys that it was taken with', async () => {
      await dev('PUT', '/snapshots/keys');
      const kept = readDevFile(world.place.folder)!;
      const { store, box, clock } = world.service;
      const replaced = await store.write(async (tx) => {
        const { id } = (await tx.credentials.findDemo())!;
        const now = formatInstant(clock.now());
        return regenerateKeys({ tx, box, random: secureRandom, now }, id, kept.consumer_key);
      });
      while (readDevFile(world.place.folder)!.consumer_key !== replaced!.consumerKey) await wait(10);
      assert.equal((await dev('POST', '/snapshots/keys/restore')).status, 200);
      assert.deepEqual(readDevFile(world.place.folder), kept);
      assert.equal((await world.sandbox.call('GET', '/12/accounts')).status, 200);
    });

    test('is refused when it is damaged, and leaves nothing', async () => {
      await dev('PUT', '/snapshots/damage');
      const { bytes } = await dev('GET', '/snapshots/damage/file');
      const folder = join(world.place.folder, 'snapshots');
      const before = readdirSync(folder).sort();
      bytes[Math.floor(bytes.length / 2)]! ^= 1;
      const { status, body } = await dev('POST', '/snapshots?name=damaged', { tar: bytes });
      assert.deepEqual([status, body.error.code], [400, 'SNAPSHOT_UNREADABLE']);
      assert.deepEqual(readdirSync(folder).sort(), before);
    });
  });

  for (const [method, path, body, status, code, field] of [
    ['PUT', '/snapshots/.seed', {}, 400, 'NAME_INVALID', 'name'],
    ['PUT', '/snapshots/a%2fb', {}, 400, 'NAME_INVALID', 'name'],
    ['PUT', '/snapshots/a', { all: 1 }, 400, 'MEMBER_UNKNOWN', 'all'],
    ['POST', '/snapshots/none/restore', {}, 404, 'SNAPSHOT_UNKNOWN', 'name'],
    ['GET', '/snapshots/none/file', {}, 404, 'SNAPSHOT_UNKNOWN', 'name'],
    ['POST', '/snapshots', {}, 415, 'NOT_TAR', undefined],
    ['POST', '/snapshots?as=x', {}, 400, 'PARAMETER_UNKNOWN', 'as'],
    ['POST', '/reset', { to: 'now' }, 400, 'MEMBER_INVALID', 'to'],
    ['POST', '/reset', [], 400, 'NOT_AN_OBJECT', 'body'],
  ] as const) {
    test(`${method} ${path} with ${JSON.stringify(body)} is refused`, async () => {
      const reply = await dev(method, path, { body });
      assert.deepEqual([reply.status, reply.body.error.code, reply.body.error.field], [status, code, field]);
    });
  }
}
