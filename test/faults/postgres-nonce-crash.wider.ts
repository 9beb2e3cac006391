import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type OwnPostgres, startPostgres } from '../rig/postgres.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const ROUNDS = 3;
const AT_ONCE = 16;
const ENOUGH = 1_000_000;

describe('changes while PostgreSQL is killed', () => {
  let redis: OwnRedis;
  let postgres: OwnPostgres;
  let place: Place;
  let world: World;
  before(async () => {
    redis = await startRedis();
    postgres = await startPostgres();
    const { folder, remove } = await openPlace('sqlite');
    place = { folder, databaseUrl: postgres.url, remove };
  });
  after(async () => {
    await world.close();
    await postgres.stop();
    await redis.stop();
  });
  const open = async (sandbox_port: number): Promise<void> => {
    const limits = { rate_writes_per_min: ENOUGH, rate_requests_per_address_per_min: ENOUGH };
    world = await openWorld({ place, flags: { redis_url: redis.url, sandbox_port, ...limits } });
  };

  test('none is performed twice, although nonces do not wait for the disk', async () => {
    await open(0);
    const { path, instrument } = await openAccount(world.sandbox);
    const sandbox_port = Number(new URL(world.service.sandboxUrl).port);
    const url = `${world.service.sandboxUrl}${path}/campaigns`;
    /** A signed request that creates a campaign, to be sent more than once; its status, or 0 without a reply. */
    const creating = (name: string) => {
      const form = Object.entries({
        name,
        funding_instrument_id: instrument,
        entity_status: 'PAUSED',
        daily_budget_amount_local_micro: '1000000',
      });
      const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = world.keys;
      const oauth = protocol(world.keys, world.clock);
      const { header } = sign({ method: 'POST', url, form, oauth, consumerSecret, tokenSecret });
      const headers = { authorization: header, 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(form).toString();
      return async (): Promise<number> => {
        const reply = await request(url, { method: 'POST', headers, body }).catch(() => undefined);
        await reply?.body.dump();
        return reply?.statusCode ?? 0;
      };
    };
    const counts = { performed: 0, replayed: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const sent: { readonly send: () => Promise<number>; readonly status: number }[] = [];
      let isKilled = false;
      const load = Array.from({ length: AT_ONCE }, async (_, at) => {
        for (let count = 0; !isKilled; count++) {
          const send = creating(`${round} ${at} ${count}`);
          sent.push({ send, status: await send() });
        }
      });
      while (sent.length < 20 * (round + 1))
        await Promise.race([...load, new Promise((resolve) => setImmediate(resolve))]);
      await postgres.down('kill');
      isKilled = true;
      await Promise.all(load);
      await postgres.up();
      // What the process remembers is gone too.
      await world.stop();
      await open(sandbox_port);
      for (const { send, status } of sent) {
        const again = await send();
        assert.ok(status === 200 ? again === 401 : again === 200 || again === 401, `first ${status}, then ${again}`);
        counts.performed += status === 200 ? 1 : 0;
        counts.replayed += again === 200 ? 1 : 0;
      }
    }
    assert.ok(counts.performed > 100);
    const rows = await world.service.driver.read((session) =>
      session.allRaw<{ name: string; times: number }>(
        'select name, count(*)::int as times from campaigns group by name',
      ),
    );
    assert.deepEqual(
      rows.filter(({ times }) => times > 1),
      [],
    );
    assert.ok(rows.length >= counts.performed + counts.replayed);
  });
});
