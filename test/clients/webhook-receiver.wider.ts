// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { rotateSecret } from '../../src/features/activity/webhooks/administration.ts';
import { bearerClient, changeBio } from '../rig/events.ts';
import { register } from '../rig/people.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'webhook_receiver.py');

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

test('a receiver of Python’s standard library verifies challenges, messages and the end of a replay', async () => {
  needPackages('python3');
  const keys = await register(world);
  const client = await bearerClient(world, keys);
  const child = spawn(PYTHON, [SCRIPT, keys.consumer_secret], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  // biome-ignore lint/suspicious/noExplicitAny: whatever the receiver says
  const next = async (): Promise<any> => JSON.parse((await lines.next()).value as string);
  try {
    const { port } = await next();
    const made = await client.call('POST', '/2/webhooks', { url: `http://127.0.0.1:${port}/in?a=b` });
    assert.equal(made.status, 200, made.text);
    const webhook_id = made.body.data.id as string;
    const challenge = await next();
    assert.match(challenge.challenge, /^[0-9a-f]{64}$/);
    assert.equal(challenge.signed, true);
    const { store, box } = world.service;
    const registrar = { box, random: secureRandom, now: formatInstant(world.clock.now()) };
    const secret = await store.write((tx) => rotateSecret({ tx, ...registrar }, webhook_id));
    recordSecret('webhook secret', secret);
    child.stdin.write(`${secret}\n`);
    await client.call('POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: keys.user },
      webhook_id,
      tag: 'grüße',
    });
    const text = 'Käse & “quotes” \u{1f600} <b>';
    await changeBio(world, keys.user, [text]);
    const { message, signed, standard } = await next();
    assert.deepEqual([signed, standard], [true, true]);
    assert.deepEqual([message.data.payload.after, message.data.tag], [text, 'grüße']);
    const minute = (offset_s: number): string =>
      new Date(world.clock.now() + offset_s * 1000).toISOString().replace(/\D/g, '').slice(0, 12);
    const body = { webhook_id, from_date: minute(-60), to_date: minute(0) };
    const replay = await client.call('POST', '/2/webhooks/replay', body);
    assert.equal(replay.status, 200, replay.text);
    assert.equal((await next()).signed, true);
    const [again, last] = [await next(), await next()];
    assert.deepEqual([again.signed, again.standard, again.message.meta], [true, true, { replay: true }]);
    assert.deepEqual([last.signed, last.standard], [true, true]);
    assert.equal(last.message.replay_job_status.job_state, 'Complete');
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
});
