import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { basic } from '../rig/application.ts';
import { clientOf } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { openReceiver, type Receiver } from '../rig/receiver.ts';

let place: Place;
let receiver: Receiver;
let running: Running;
before(async () => {
  place = await openPlace();
});
after(async () => {
  await running.kill();
  await receiver.close();
  await place.remove();
});

const FLAGS = { flags: ['--rate-limits', 'off'] };
const KILLS = 2;
const EVENTS = 60;

/** What the receiver was told, by event. */
const heard = (): Set<string> =>
  new Set(receiver.messages.map(({ body }) => JSON.parse(body).data.payload.after as string));

describe('a service that is killed again and again', () => {
  test('delivers every event that it acknowledged, to receivers that are slow too', async () => {
    running = await startBarker(place, FLAGS);
    const { file } = running;
    receiver = await openReceiver(file.consumer_secret);
    receiver.answer = (_, response) => void setImmediate(() => response.end());
    const token = await fetch(`${file.base_url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: basic(file), 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const { access_token } = (await token.json()) as { access_token: string };
    const post = async (path: string, body: object): Promise<{ data: Record<string, never> }> => {
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
      const reply = await fetch(file.base_url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(reply.status, 200, await reply.clone().text());
      return (await reply.json()) as { data: Record<string, never> };
    };
    const webhook_id = (await post('/2/webhooks', { url: receiver.url })).data.id;
    const filter = { user_id: file.user_id };
    await post('/2/activity/subscriptions', { event_type: 'profile.update.bio', filter, webhook_id });

    const acknowledged = new Set<string>();
    for (let kill = 0; kill < KILLS; kill++) {
      const client = clientOf(`${running.file.base_url}`, file, systemClock);
      const doomed = running;
      let count = 0;
      const produce = async (lane: number): Promise<void> => {
        for (let index = lane; index < EVENTS; index += 4) {
          const description = `round ${kill} event ${index}`;
          const reply = await client
            .call('POST', '/1.1/account/update_profile.json', { params: { description } })
            .catch(() => undefined);
          if (reply?.status !== 200) return;
          acknowledged.add(description);
          count += 1;
          // In the middle of it all.
          if (count === EVENTS / 2) await doomed.kill();
        }
      };
      await Promise.all([0, 1, 2, 3].map(produce));
      await doomed.kill();
      running = await startBarker(place, FLAGS);
    }
    assert.ok(acknowledged.size >= (KILLS * EVENTS) / 2, `${acknowledged.size} were acknowledged`);
    let count = receiver.messages.length;
    while ([...acknowledged].some((each) => !heard().has(each))) {
      await receiver.came(count + 1);
      count = receiver.messages.length;
    }
    assert.deepEqual(
      [...acknowledged].filter((each) => !heard().has(each)),
      [],
    );
  });
});
