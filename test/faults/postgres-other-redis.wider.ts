import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { connectRedis } from '../../src/storage/redis/connection.ts';
import { redisId } from '../../src/storage/redis/redis-id.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { serve } from '../rig/serving.ts';

let place: Place;
let redis: OwnRedis;
let other: OwnRedis;
before(async () => {
  place = await openPlace('postgres', { hasSchema: true, isInMemory: true });
  [redis, other] = await Promise.all([startRedis(), startRedis()]);
});
after(async () => {
  await Promise.all([place.remove(), redis.stop(), other.stop()]);
});

test('all connections to a Redis read one id, which it gets back when it has lost it', async () => {
  const listener = { lost() {}, back() {} };
  const connections = await Promise.all(
    [redis, redis, other].map(({ url }) => connectRedis({ url, timeout_ms: 50 }, listener)),
  );
  const [first, second, elsewhere] = connections.map((each) => redisId(each, secureRandom));
  const id = await first!();
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(await second!(), id);
  assert.notEqual(await elsewhere!(), id);
  await redis.command('flushall');
  assert.deepEqual([await second!(), await first!()], [id, id]);
  await redis.kill();
  await until('it is away', () => !connections[0]!.isUp());
  assert.equal(await first!(), id, 'the last one that was read');
  await redis.start();
  for (const each of connections) each.close();
});

test('a server with another Redis than that of a live one does not start, and one with the same does', async () => {
  const start = (name: string, redis_url: string) =>
    serve(place, { redis_url, data_folder: join(place.folder, name), object_store: join(place.folder, 'objects') });
  const first = await start('first', redis.url);
  await assert.rejects(start('second', other.url), {
    message: 'other servers of this database use another Redis; give all the same redis_url, to its last digit',
  });
  const second = await start('second', redis.url);
  const readiness = async () => {
    const reply = await fetch(`${second.operationsUrl}/readyz`);
    return [reply.status, ((await reply.json()) as { checks: Record<string, string> }).checks.redis];
  };
  assert.deepEqual(await readiness(), [200, 'ok']);
  await second.close();
  await first.close();
});
