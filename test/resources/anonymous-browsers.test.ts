import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browserOf } from '../rig/browser.ts';
import { onPlace } from '../rig/databases.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

/** How many rows the tables have that pages write. */
const rows = (): Promise<number[]> =>
  onPlace(world.place, (driver) =>
    driver.read(async (session) => {
      const counts: number[] = [];
      for (const table of ['sessions', 'sent_forms', 'login_tallies', 'audit_events']) {
        const [found] = await session.allRaw<{ count: number }>(`select count(*) as count from ${table}`);
        counts.push(Number(found!.count));
      }
      return counts;
    }),
  );

test('pages that anybody sees store nothing, with or without a cookie', async () => {
  const before = await rows();
  let seen = 0;
  for (const { path } of world.service.pages.filter(
    (page) => page.methods.includes('GET') && !page.path.includes(':'),
  )) {
    for (const cookie of ['', `sess=${'a'.repeat(43)}`, 'sess=short']) {
      const headers: Record<string, string> = cookie === '' ? {} : { cookie };
      const reply = await fetch(`${world.service.url}${path}`, { headers, redirect: 'manual' });
      await reply.arrayBuffer();
      seen += 1;
    }
  }
  assert.ok(seen > 30, `${seen} pages`);
  assert.deepEqual(await rows(), before);
});

test('a form of a browser with a cookie is taken, of any other browser refused', async () => {
  const credentials = { 'session[username_or_email]': 'nobody', 'session[password]': 'wrong horse' };
  const browser = browserOf(world.service.url);
  const page = await browser.get('/login');
  assert.notEqual((await browser.submit(page, credentials)).status, 403);
  const token = /name="authenticity_token" value="([^"]+)"/.exec(page.html)![1]!;
  const stranger = browserOf(world.service.url);
  assert.equal((await stranger.post('/login', { ...credentials, authenticity_token: token })).status, 403);
  await stranger.get('/login');
  assert.equal((await stranger.post('/login', { ...credentials, authenticity_token: token })).status, 403);
});
