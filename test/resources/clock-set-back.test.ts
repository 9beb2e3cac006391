import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { formatInstant } from '../../src/base/instants.ts';
import { basic } from '../rig/application.ts';
import { openReceiver, type Receiver, status } from '../rig/receiver.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { command, upload } from '../rig/uploading.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const HOUR_S = 3600;
let world: World;
let receiver: Receiver;
before(async () => {
  world = await openWorld({ flags: { media_processing_s: 1, rate_reads_per_15min: 3, rate_writes_per_min: 1000 } });
  receiver = await openReceiver(world.keys.consumer_secret);
});
after(async () => {
  await receiver.close();
  await world.close();
});

/** Sets the clock back after whoever works by it has seen it as it was. */
async function setBack(): Promise<void> {
  await world.service.jobs.runDue();
  world.clock.advance(-HOUR_S);
}

describe('when the clock is set back by an hour', () => {
  test('media is processed in its usual time', async () => {
    const { id } = await upload(world.sandbox, MP4, { media_type: 'video/mp4', media_category: 'amplify_video' });
    await setBack();
    for (let second = 0; second < 3; second++) {
      await world.service.jobs.runDue();
      world.clock.advance(1);
    }
    const { body } = await command(world.sandbox, 'STATUS', { media_id: id });
    assert.equal(body.processing_info.state, 'succeeded');
  });

  test('a webhook is sent what failed before', { timeout: 60_000 }, async () => {
    receiver.answer = status(500);
    await subscribe();
    const params = { description: 'told before' };
    assert.equal((await world.production.call('POST', '/1.1/account/update_profile.json', { params })).status, 200);
    await receiver.came(1);
    const isWaiting = async (): Promise<boolean> =>
      (await world.service.store.read((tx) => tx.webhookDeliveries.listWaiting())).length === 1;
    while (!(await isWaiting())) await wait(10);
    receiver.answer = status(200);
    await setBack();
    await world.service.jobs.runDue();
    assert.equal((await receiver.came(2)).length, 2);
  });

  test('a scheduled post is published at its time, and not before', async () => {
    const { path } = await openAccount(world.sandbox);
    const scheduled_at = formatInstant(world.clock.now() + 1800_000);
    const made = await world.sandbox.call('POST', `${path}/scheduled_posts`, {
      params: { text: 'later', scheduled_at, nullcast: 'true' },
    });
    assert.equal(made.status, 200, made.text);
    const statusOf = async (): Promise<string> =>
      (await world.sandbox.call('GET', `${path}/scheduled_posts/${made.body.data.id}`)).body.data.scheduled_status;
    await setBack();
    await world.service.jobs.runDue();
    assert.equal(await statusOf(), 'SCHEDULED');
    world.clock.advance(HOUR_S + 1800);
    await world.service.jobs.runDue();
    assert.notEqual(await statusOf(), 'SCHEDULED');
  });

  test('a caller who used up a window waits at most one window', async () => {
    const { path } = await openAccount(world.sandbox);
    const read = () => world.sandbox.call('GET', `${path}/features`);
    let last = await read();
    for (let count = 0; last.status === 200 && count < 10_000; count++) last = await read();
    assert.equal(last.status, 429);
    await setBack();
    const reset = Number((await read()).headers.get('x-rate-limit-reset'));
    assert.ok(reset <= Math.floor(world.clock.now() / 1000) + 900);
  });
});

describe('when the clock was a year ahead, and was corrected while the server was stopped', () => {
  test('jobs due soon are done', async () => {
    const ahead = await openWorld({ start: '2027-03-02T17:04:55Z', flags: { media_processing_s: 1 } });
    const { id } = await upload(ahead.sandbox, MP4, { media_type: 'video/mp4', media_category: 'amplify_video' });
    await ahead.stop();
    const { place } = ahead;
    const right = await openWorld({ place, start: '2026-03-02T17:04:55Z', flags: { media_processing_s: 1 } });
    try {
      for (let second = 0; second < 3; second++) {
        await right.service.jobs.runDue();
        right.clock.advance(1);
      }
      assert.equal((await right.service.store.read((tx) => tx.uploads.find(id)))?.state, 'succeeded');
    } finally {
      await right.close();
    }
  });
});

async function subscribe(): Promise<void> {
  const { base_url, user_id } = world.keys;
  const token = await fetch(`${base_url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basic(world.keys), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const reply = await fetch(base_url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(reply.status, 200, await reply.clone().text());
    return (await reply.json()) as { data: { id: string } };
  };
  const webhook_id = (await post('/2/webhooks', { url: receiver.url })).data.id;
  await post('/2/activity/subscriptions', { event_type: 'profile.update.bio', filter: { user_id }, webhook_id });
}
