// On either database: what is tried here is decided before the database is asked.
// Of one node: nonces in the files of a server that has no Redis.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { nonceDigest } from '../../src/contract/store/nonces.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { openPlace } from '../rig/databases.ts';
import { openWorld, type World } from '../rig/world.ts';

/** Calls of lists of accounts in a quarter of an hour. */
const READS = 5;

describe('a request that is refused by a rate limit', () => {
  let world: World;
  before(async () => {
    world = await openWorld({ flags: { rate_global_reads_per_15min: READS } });
  });
  after(() => world.close());

  const signed = () => {
    const url = `${world.service.sandboxUrl}/12/accounts`;
    const oauth = protocol(world.keys, world.clock);
    const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = world.keys;
    const { header } = sign({ method: 'GET', url, oauth, consumerSecret, tokenSecret });
    const send = async () => (await fetch(url, { headers: { authorization: header } })).status;
    return { send, timestamp: oauth.oauth_timestamp!, nonce: oauth.oauth_nonce! };
  };
  /** Whether a nonce is in the files, whichever token it was used with. */
  const stored = (): string => {
    const folder = join(world.place.folder, 'nonces');
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
  };
  const isStored = ({ timestamp, nonce }: { timestamp: string; nonce: string }): boolean =>
    stored().includes(nonceDigest(world.keys.access_token.split('-')[0]!, timestamp, nonce));

  test('stores nothing, and is accepted once when the limit allows it', async () => {
    const used = [];
    for (let count = 0; count < READS; count++) {
      const request = signed();
      used.push(request);
      assert.equal(await request.send(), 200);
    }
    const before = stored();
    const early = signed();
    assert.equal(await early.send(), 429);
    assert.equal(await early.send(), 429, 'not 401: its nonce is still good');
    assert.equal(await used[0]!.send(), 401, 'a nonce that was used is refused before anything is counted');
    assert.equal(stored(), before);
    world.clock.advance(900 - 1);
    const late = signed();
    assert.equal(await late.send(), 429);
    world.clock.advance(1);
    assert.equal(await late.send(), 200);
    assert.equal(await late.send(), 401);
    assert.equal(isStored(early), false);
    assert.notEqual(stored(), before);
  });
});

test('a step of a login is refused when it is repeated, after a restart too', async () => {
  const place = await openPlace(undefined, { hasSchema: true, isInMemory: true });
  let world = await openWorld({ place });
  const { origin, port } = new URL(world.service.url);
  const url = `${origin}/oauth/request_token`;
  const { oauth_token: _, ...unsigned } = protocol(world.keys, world.clock);
  const oauth = { ...unsigned, oauth_callback: 'oob' };
  const { header } = sign({ method: 'POST', url, oauth, consumerSecret: world.keys.consumer_secret, tokenSecret: '' });
  const send = async () => (await fetch(url, { method: 'POST', headers: { authorization: header } })).status;
  assert.equal(await send(), 200);
  assert.equal(await send(), 401);
  await world.stop();
  world = await openWorld({ place, flags: { port: Number(port) } });
  assert.equal(await send(), 401);
  await world.close();
});
