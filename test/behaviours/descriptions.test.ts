// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_writes_per_min: 451 } });
});
after(() => world.close());

const listeners = ['url', 'sandboxUrl'] as const;

for (const listener of listeners) {
  describe(`descriptions at the ${listener === 'url' ? 'production' : 'sandbox'} address`, () => {
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(world.service[listener] + path, { headers });

    test('the OpenAPI document is served to anyone, with the addresses and limits of this service', async () => {
      const response = await get('/openapi.json');
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      const document = (await response.json()) as { openapi: string; servers: { url: string }[]; paths: object };
      assert.equal(document.openapi, '3.1.0');
      assert.deepEqual(
        document.servers.map((server) => server.url),
        [world.service.url, world.service.sandboxUrl],
      );
      const create = (document.paths as Record<string, Record<string, Record<string, unknown>>>)['/12/accounts']!.post!;
      assert.deepEqual(create['x-rate-limit'], { category: 'writes', calls: 451, window_s: 60, per: 'user' });
    });

    for (const path of [
      '/openapi.json',
      '/docs/reference',
      '/docs/site.css',
      '/docs/search.json',
      '/docs/operate',
      '/docs/operate.md',
      '/docs/reference/campaigns.get',
      '/reference/client.mjs',
      '/reference/receiver.mjs',
    ]) {
      test(`${path} is not sent again to clients that have it`, async () => {
        const first = await get(path);
        const etag = first.headers.get('etag')!;
        assert.match(etag, /^"[\w-]{22}"$/);
        const again = await get(path, { 'if-none-match': etag });
        assert.equal(again.status, 304);
        assert.equal(await again.text(), '');
        assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
      });
    }

    for (const [path, location] of [
      ['/docs', '/docs/'],
      ['/docs/operate/', '/docs/operate'],
      ['/reference', '/docs/reference'],
      ['/reference?q=bid%20amount', '/docs/search?q=bid%20amount'],
      ['/reference/campaigns', '/docs/reference/campaigns'],
      ['/reference/campaigns.get', '/docs/reference/campaigns.get'],
    ] as const) {
      test(`${path} leads to ${location}`, async () => {
        const { status, headers } = await fetch(world.service[listener] + path, { redirect: 'manual' });
        assert.deepEqual([status, headers.get('location')], [301, location]);
      });
    }

    for (const path of [
      '/docs/nothing',
      '/docs/reference/campaigns.nothing',
      '/reference/campaigns.nothing',
      '/docs/..%2fprogram%2fsources.json',
      '/docs/pictures',
    ]) {
      test(`${path} has no page`, async () => {
        const { status } = await get(path);
        assert.equal(status, 404);
      });
    }

    for (const [path, type] of [
      ['/docs/', 'text/html; charset=utf-8'],
      ['/docs/index.md', 'text/markdown; charset=utf-8'],
      ['/docs/llms.txt', 'text/plain; charset=utf-8'],
      ['/docs/site.js', 'text/javascript; charset=utf-8'],
      ['/docs/search.json', 'application/json; charset=utf-8'],
    ] as const) {
      test(`${path} is ${type}`, async () => {
        const { status, headers } = await get(path);
        assert.deepEqual([status, headers.get('content-type')], [200, type]);
      });
    }

    test('pages have the values of this service', async () => {
      const page = await (await get('/docs/reference/campaigns.create')).text();
      assert.ok(page.includes('451 in a minute per user'));
      assert.ok(page.includes(world.service.sandboxUrl));
      const markdown = await (await get('/docs/reference/campaigns.create.md')).text();
      assert.ok(markdown.includes(`URL="${world.service.sandboxUrl}/12/`));
      for (const text of [page, markdown]) assert.doesNotMatch(text, /[⟦⟧]/);
    });

    test('examples have the keys of the demo world, which nobody stores, but not under a foreign name', async () => {
      const { consumer_secret } = world.keys as Record<string, string>;
      const own = await get('/docs/reference/campaigns.create');
      assert.equal(own.headers.get('cache-control'), 'no-store');
      assert.ok((await own.text()).includes(consumer_secret!));
      const headers = { host: 'foreign.localhost.example' };
      const foreign = await request(`${world.service[listener]}/docs/reference/campaigns.create`, { headers });
      assert.equal(foreign.headers['cache-control'], 'no-cache');
      const page = await foreign.body.text();
      assert.ok(!page.includes(consumer_secret!));
      assert.ok(page.includes('CONSUMER_SECRET'));
      assert.ok(!page.includes('/_dev/'));
    });

    test('the records of the search are sent compressed to those who can read that', async () => {
      const packed = await request(`${world.service[listener]}/docs/search.json`, {
        headers: { 'accept-encoding': 'gzip, br' },
      });
      assert.equal(packed.headers['content-encoding'], 'br');
      const text = brotliDecompressSync(Buffer.from(await packed.body.arrayBuffer())).toString();
      assert.equal(text, await (await request(`${world.service[listener]}/docs/search.json`)).body.text());
    });

    test('pages load only what is their own', async () => {
      const response = await get('/docs/reference');
      const policy = response.headers.get('content-security-policy')!;
      assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self';/);
      assert.doesNotMatch(policy, /unsafe|\*|http/);
      const page = await response.text();
      const loaded = [...page.matchAll(/<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]*)"/g)].map(
        (match) => match[1],
      );
      assert.deepEqual(loaded, ['/pages/favicon', 'site.css', 'reference.md', 'site.js']);
      assert.doesNotMatch(page, /<style|style="|<script>|\son\w+="/);
      assert.doesNotMatch(await (await get('/docs/site.css')).text(), /https?:|\/\/[a-z]|@import|url\(/);
    });
  });
}
