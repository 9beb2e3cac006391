// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuth } from 'oauth';
import { systemClock } from '../../src/base/clock.ts';
import { dev } from '../rig/developer-surface.ts';
import { openWorld } from '../rig/world.ts';

const PATH = '/12/accounts';

test('a client that tries again after a lost reply makes a second account, and the inspector shows both', async () => {
  const world = await openWorld({ seams: { clock: systemClock } });
  try {
    const { consumer_key, consumer_secret, access_token, access_token_secret } = world.keys;
    const client = new OAuth(null, null, consumer_key, consumer_secret, '1.0', null, 'HMAC-SHA1');
    const url = world.service.sandboxUrl + PATH;
    const count = () =>
      new Promise<number>((resolve, reject) => {
        const done = (error: unknown, text: string): void =>
          error ? reject(error) : resolve(JSON.parse(text).data.length);
        client.get(url, access_token, access_token_secret, done);
      });
    const before = await count();
    await dev(world, 'POST', '/_dev/faults', {
      body: { match: { operation: 'accounts.create' }, when: 'after', times: 1, do: { reset: true } },
    });
    const post = () =>
      new Promise<number>((resolve, reject) => {
        const done = (error: unknown, _: string, response?: { statusCode: number }): void =>
          response ? resolve(response.statusCode) : reject(error);
        client.post(url, access_token, access_token_secret, { retry: 'yes' }, undefined, done);
      });
    let tries = 0;
    const untilAnswered = (): Promise<number> => {
      tries += 1;
      return post().catch((error) => (tries < 3 ? untilAnswered() : Promise.reject(error)));
    };
    assert.deepEqual([await untilAnswered(), tries], [200, 2]);
    assert.equal(await count(), before + 2);
    const { requests } = (await dev(world, 'GET', '/_dev/requests?operation=accounts.create')).body;
    assert.deepEqual(
      requests.map(({ status, faults }: { status: number | null; faults?: string[] }) => [status, faults]),
      [
        [200, undefined],
        [null, ['1']],
      ],
    );
  } finally {
    await world.close();
  }
});
