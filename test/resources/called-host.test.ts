// On SQLite: where links lead is no matter of the database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { STATS_JOB } from '../../src/features/ads/analytics/stats-job.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { bookAd, decide, makePublisher } from '../rig/served-ads.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { TAG } from './conversion-calls.ts';
import { insertUpload } from './media-calls.ts';

let world: World;
/** The sandbox under another name, and a client that calls it so. */
let called = '';
let client: Client;
before(async () => {
  world = await openWorld({ which: 'sqlite', flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  called = world.service.sandboxUrl.replace('127.0.0.1', 'localhost');
  client = clientOf(called, world.keys as Keys, world.clock);
});
after(() => world.close());

/** Asserts that a text has links, all of them under the name that was called. */
function assertCalled(what: string, text: string): void {
  assert.ok(text.includes(called), `${what} has no link: ${text}`);
  for (const own of [world.service.url, world.service.sandboxUrl]) assert.ok(!text.includes(own), `${what}: ${text}`);
}

test('every link in a reply has the host that was called', async () => {
  const { path } = await openAccount(client);
  const texts = new Map<string, string>();
  const keep = async (what: string, method: string, target: string, params = {}): Promise<Record<string, never>> => {
    const reply = await client.call(method, target, { params });
    assert.equal(reply.status, 200, reply.text);
    texts.set(what, reply.text);
    return reply.body.data;
  };
  const { id: tag } = await keep('a tag', 'POST', `${path}/web_event_tags`, TAG);
  await keep('tags', 'GET', `${path}/web_event_tags`);
  await keep('a tag that is read', 'GET', `${path}/web_event_tags/${tag}`);
  const video = await insertUpload(world, 'AMPLIFY_VIDEO');
  await keep('media of the library', 'POST', `${path}/media_library`, { media_key: video, name: 'Tour' });
  await keep('the library', 'GET', `${path}/media_library`);
  const { id: post } = await keep('a post', 'POST', `${path}/post`, { text: 'Tea', media_keys: video });
  await keep('its preview', 'GET', `${path}/post_previews`, { post_ids: post, post_type: 'PUBLISHED' });
  const ad = await bookAd(world, { text: 'Nothing to click' });
  const asked = { entity: 'LINE_ITEM', entity_ids: ad.line, granularity: 'TOTAL', placement: 'ALL_ON_SERVICE' };
  const window = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z', metric_groups: 'BILLING' };
  const jobs = `/12/stats/jobs/accounts/${ad.account}`;
  const job = await client.call('POST', jobs, { params: { ...asked, ...window } });
  world.clock.advance(1);
  await world.service.services.jobs.runNow(STATS_JOB, `${ad.account}/${job.body.data.id_str}`);
  await keep('a job with a file', 'GET', jobs, { job_ids: job.body.data.id_str });
  const publisher = await makePublisher(world);
  const wanted = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] };
  texts.set('a decision', (await decide(world, publisher, wanted, called)).text);
  texts.set('a problem', (await client.call('DELETE', '/2/activity/subscriptions/1')).text);
  for (const [what, text] of texts) if (what !== 'a post') assertCalled(what, text);

  const [, number] = video.split('_');
  const manifest = await fetch(`${called}/media/amplify_video/vmap/${number}.vmap`);
  assertCalled('a playlist', await manifest.text());
});

test('what is called under its own address has links there, and no header of a stranger changes them', async () => {
  const { path } = await openAccount(world.sandbox);
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const reply = await world.sandbox.call('POST', `${path}/web_event_tags`, { params: TAG, headers });
  assert.match(reply.body.data.embed_code, new RegExp(`${world.service.sandboxUrl}/measurement/tag\\.js`));
});
