import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { audienceOn, persons, update } from '../resources/people-calls.ts';
import { bearerOf } from '../rig/application.ts';
import { type Client, clientOf, type Keys, protocol } from '../rig/client.ts';
import { bearerClient } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { openReceiver } from '../rig/receiver.ts';
import { callAs, happen, numbersOf, openStream, subscribe, subscriber } from '../rig/streams.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { command } from '../rig/uploading.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const FLAGS = { audience_size_min: 1, media_processing_s: 0, rate_lookups_per_15min: 20 };

let world: World;
before(async () => {
  world = await openWorld({ which: 'postgres', nodes: 3, flags: FLAGS });
});
after(() => world.close());

/** A client of each node itself. */
const clients = (keys: Keys = world.keys): [Client, Client, Client] =>
  world.origins.map(({ sandbox }) => clientOf(sandbox, keys, world.clock)) as [Client, Client, Client];

const urlOf = (node: number): string => world.origins[node]!.production;

const status = async (
  url: string,
  headers: Record<string, string>,
  method: 'GET' | 'POST' = 'GET',
): Promise<number> => {
  const reply = await request(url, { method, headers });
  await reply.body.dump();
  return reply.statusCode;
};

describe('what one of three nodes acknowledged', () => {
  test('holds on the others at once: a revoked access token', async () => {
    const own = await register(world);
    const [a, b, c] = clients(own);
    for (const client of [a, b, c]) assert.equal((await client.call('GET', '/12/accounts')).status, 200);
    const reply = await clientOf(world.origins[0]!.production, own, world.clock).call(
      'POST',
      '/1.1/oauth/invalidate_token.json',
    );
    assert.equal(reply.status, 200, reply.text);
    for (const client of [b, c, a]) assert.equal((await client.call('GET', '/12/accounts')).status, 401);
  });

  test('holds on the others at once: a revoked bearer token', async () => {
    const own = await register(world);
    const bearer = await bearerOf(world, own);
    const use = (node: number) =>
      status(`${world.origins[node]!.production}/2/webhooks`, { authorization: `Bearer ${bearer}` });
    for (const node of [0, 1, 2]) assert.equal(await use(node), 200);
    await world.nodes[0]!.store.write(async (tx) => {
      const application = await tx.credentials.findApplicationByKey(own.consumer_key);
      const token = await tx.bearerTokens.findOutstanding(application!.id);
      await tx.bearerTokens.revoke(token!.id, '2026-03-02T17:04:55Z');
      tx.invalidate(`bearer:${token!.id}`);
    });
    for (const node of [1, 2, 0]) assert.equal(await use(node), 401);
  });

  test('holds on the others at once: a deleted account, and a deleted funding instrument', async () => {
    const [a, b, c] = clients();
    const { path, instrument } = await openAccount(a);
    const one = `${path}/funding_instruments/${instrument}`;
    for (const client of [b, c]) assert.equal((await client.call('GET', one)).status, 200);
    assert.equal((await a.call('DELETE', one)).status, 200);
    for (const client of [b, c]) assert.equal((await client.call('GET', one)).status, 404);
    for (const client of [b, c]) assert.equal((await client.call('GET', path)).status, 200);
    assert.equal((await a.call('DELETE', path)).status, 200);
    for (const client of [b, c]) assert.equal((await client.call('GET', path)).status, 404);
  });

  test('is an audience, which grows on all of them', async () => {
    const [a, b, c] = clients();
    const { path } = await openAccount(a);
    const audience = await audienceOn(a, path);
    assert.equal((await audience.upload([update(persons(0, 1000))])).status, 200);
    const sizeOn = async (client: Client): Promise<number> =>
      (await client.call('GET', audience.path)).body.data.audience_size;
    await until('it is processed', async () => {
      world.clock.advance(60);
      await world.service.jobs.runDue();
      return (await sizeOn(a)) === 1000;
    });
    for (const client of [b, c]) assert.equal(await sizeOn(client), 1000);
    const leaf = `audience:${audience.id}` as const;
    const now_s = Math.floor(world.clock.now() / 1000);
    await until('every node counts its members', async () => {
      const sizes = await Promise.all(
        world.nodes.map(({ services }) =>
          services.audiences.members.countTree({ leaf, negate: false }, 'every-record', now_s),
        ),
      );
      return sizes.every(({ size }) => size === 1000);
    });
  });
});

describe('three nodes together', () => {
  test('perform a signed request once, however they receive it', async () => {
    const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = world.keys;
    const url = `${world.service.sandboxUrl}/12/accounts`;
    const headers = { host: new URL(url).host };
    for (let round = 0; round < 20; round++) {
      const oauth = protocol(world.keys, world.clock);
      const { header } = sign({ method: 'POST', url, oauth, consumerSecret, tokenSecret });
      const sent = Array.from({ length: 12 }, (_, at) =>
        status(`${world.origins[at % 3]!.sandbox}/12/accounts`, { ...headers, authorization: header }, 'POST'),
      );
      const statuses = (await Promise.all(sent)).sort();
      assert.deepEqual(statuses, [200, ...Array(11).fill(401)]);
    }
  });

  test('count a rate limit together', async () => {
    const all = clients(await register(world));
    const statuses: number[] = [];
    for (let count = 0; count < 30; count++) {
      statuses.push((await all[count % 3]!.call('GET', '/12/targeting_criteria/interests')).status);
    }
    assert.deepEqual(statuses, [...Array(20).fill(200), ...Array(10).fill(429)]);
  });

  test('receive the segments of an upload, end it once, and serve it', async () => {
    const [a, b, c] = clients();
    const begun = await command(a, 'INIT', {
      media_type: 'video/mp4',
      media_category: 'post_video',
      total_bytes: MP4.length,
    });
    const media_id = begun.body.media_id_string as string;
    const half = MP4.length >> 1;
    assert.equal(
      (await command(b, 'APPEND', { media_id, segment_index: 0, media: MP4.subarray(0, half) })).status,
      204,
    );
    assert.equal((await command(c, 'APPEND', { media_id, segment_index: 1, media: MP4.subarray(half) })).status, 204);
    const ends = await Promise.all([a, b, c].map((client) => command(client, 'FINALIZE', { media_id })));
    assert.deepEqual(
      ends.map((each) => each.status),
      [200, 200, 200],
    );
    await until('it is processed', async () => {
      await world.service.jobs.runDue();
      const { body } = await command(b, 'STATUS', { media_id });
      return body.processing_info.state === 'succeeded';
    });
    const upload = await world.service.store.read((tx) => tx.uploads.find(media_id));
    const { mediaPath } = await import('../../src/contract/services/media.ts');
    for (const { sandbox } of world.origins) {
      const reply = await fetch(`${sandbox}/media${mediaPath(upload!)}`);
      assert.equal(reply.status, 200);
      assert.deepEqual(Buffer.from(await reply.arrayBuffer()), MP4);
    }
  });

  test('send each event once to a webhook that all of them know', async () => {
    const own = await register(world);
    const client = await bearerClient(world, own);
    const receiver = await openReceiver(own.consumer_secret);
    const { id: webhook_id } = (await client.call('POST', '/2/webhooks', { url: receiver.url })).body.data;
    const made = await client.call('POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: own.user },
      webhook_id,
    });
    assert.equal(made.status, 200, made.text);
    for (let number = 1; number <= 50; number++) {
      const origin = world.origins[number % 3]!.production;
      const reply = await clientOf(origin, own, world.clock).call('POST', '/1.1/account/update_profile.json', {
        params: { description: `bio ${number}` },
      });
      assert.equal(reply.status, 200, reply.text);
    }
    const told = (await receiver.came(50)).map(({ body }) => JSON.parse(body).data.payload.after as string);
    assert.deepEqual(told.sort(), Array.from({ length: 50 }, (_, at) => `bio ${at + 1}`).sort());
    await receiver.close();
  });

  test('let every stream hear what happens on any of them, and close each from any', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    const at = (node: number): World => ({ ...world, service: { ...world.nodes[node]!, url: urlOf(node) } });
    const streams = [await openStream(at(0), who.bearer), await openStream(at(1), who.bearer)];
    for (const number of [0, 1, 2]) await happen(at(number), who.user, [number]);
    for (const stream of streams) assert.deepEqual(numbersOf(await stream.until(3)).sort(), [0, 1, 2]);
    const reply = await callAs(at(2), who, 'DELETE', '/2/connections/all');
    assert.equal(reply.status, 200, reply.text);
    for (const stream of streams) {
      const last = (await stream.ended).at(-1)!;
      assert.equal(last.errors![0]!.disconnect_type, 'ForceDisconnect');
    }
  });
});
