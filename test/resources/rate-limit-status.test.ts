// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bearerOf, withBearer } from '../rig/application.ts';
import type { Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { type RawCall, rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const get = (target: string, more: Partial<RawCall> = {}): Promise<Reply> =>
  rawCall(world.service.sandboxUrl, world.clock, { method: 'GET', target, keys: world.keys, ...more });

describe('rate_limit_status', () => {
  const target = '/1.1/application/rate_limit_status.json';

  test('returns to a user the windows of its calls', async () => {
    const keys = await register(world);
    await get('/1.1/account/verify_credentials.json', { keys });
    const opened_s = Math.floor(world.clock.now() / 1000);
    world.clock.advance(100);
    const reply = await get(target, { keys });
    const fresh = { limit: 900, remaining: 900, reset: opened_s + 1000 };
    assert.deepEqual(reply.body, {
      rate_limit_context: { access_token: keys.access_token },
      resources: {
        oauth: { '/oauth/invalidate_token': { limit: 75, remaining: 75, reset: opened_s + 1000 } },
        account: {
          '/account/verify_credentials': { limit: 75, remaining: 74, reset: opened_s + 900 },
          '/account/update_profile': { limit: 75, remaining: 75, reset: opened_s + 1000 },
        },
        direct_messages: { '/direct_messages/indicate_typing': fresh, '/direct_messages/mark_read': fresh },
        users: { '/users/show': fresh },
        application: { '/application/rate_limit_status': { ...fresh, remaining: 899 } },
        media: { '/media/upload': { limit: 450, remaining: 450, reset: opened_s + 160 } },
      },
    });
    world.clock.advance(800);
    const later = await get(`${target}?resources=account`, { keys });
    assert.equal(later.body.resources.account['/account/verify_credentials'].remaining, 75);
  });

  test('returns to an application its windows of the requested families', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    await withBearer(world, value, '/1.1/users/show.json?screen_name=ada_demo');
    const reply = await withBearer(world, value, `${target.replace('.json', '')}?resources=users,account,none`);
    const reset = Math.floor(world.clock.now() / 1000) + 900;
    assert.deepEqual(reply.body, {
      rate_limit_context: { application: keys.consumer_key },
      resources: { users: { '/users/show': { limit: 900, remaining: 899, reset } } },
    });
  });

  test('refuses an empty list of families', async () => {
    const reply = await get(`${target}?resources=`);
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(reply.body, { errors: [{ code: 44, message: 'resources parameter is invalid.' }] });
  });
});
