// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { declaredProblems, wording } from '../../src/engine/declared-problems.ts';
import { bodyTables, replyTables } from '../../src/engine/describe/member-words.ts';
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
      '/reference',
      '/reference/style.css',
      '/reference/rows.css',
      '/reference/narrow.css',
      '/reference/campaigns',
      '/reference?q=campaigns',
      '/reference/client.mjs',
      '/reference/receiver.mjs',
      '/reference/campaigns.get',
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

    test('the reference has every operation on the page of its group, with its limits and problems', async () => {
      const textOf = async (path: string) => (await (await get(path)).text()).replaceAll('<wbr>', '');
      const overview = await textOf('/reference');
      const pages = new Map<string, string>();
      for (const group of new Set(operations.map((each) => each.group))) {
        const path = `/reference/${group.replaceAll(' ', '_')}`;
        assert.ok(overview.includes(`<a href="${path}">`), path);
        pages.set(group, await textOf(path));
      }
      for (const operation of operations) {
        // Links to the former page of everything still lead to the operation.
        const link = overview.split(`id="${operation.id}"`)[1]?.split('</li>')[0];
        assert.ok(
          link?.includes(`href="/reference/${operation.group.replaceAll(' ', '_')}#${operation.id}"`),
          operation.id,
        );
        const section = pages.get(operation.group)!.split(`id="${operation.id}"`)[1]?.split('</article>')[0];
        assert.ok(section, `no section of ${operation.id}`);
        const members = bodyTables(operation).flatMap((table) => table.members.map(({ name }) => name));
        for (const name of [...Object.keys(operation.parameters), ...members]) {
          assert.ok(section.includes(`<code>${name}</code>`), name);
        }
      }
      const page = [overview, ...pages.values()].join('');
      assert.ok(page.includes('451 in a minute per user'));
      const codes = new Set(
        operations.flatMap((each) => declaredProblems(each).map((name) => String(wording(each, name)[1]))),
      );
      for (const code of codes) assert.ok(page.includes(`<code>${code}</code>`), code);
    });

    test('pages of the reference are short', async () => {
      const paths = [
        ...new Set(operations.map(({ group }) => `/reference/${group.replaceAll(' ', '_')}`)),
        '/reference',
      ];
      for (const path of paths) {
        const { byteLength } = await (await get(path)).arrayBuffer();
        assert.ok(byteLength < 120_000, `${path}: ${byteLength} bytes`);
      }
    });

    for (const [search, ...expected] of [
      ['DELETE /12/accounts/:account_id/campaigns/', 'campaigns.get', 'campaigns.remove'],
      ['campaigns.list', 'campaigns.list'],
      ['conversion_time', 'conversions.send'],
      ['Invalid_Post', 'promoted_posts.create', 'scheduled_promoted_posts.create'],
      ['<b>"'],
    ] as const) {
      test(`the reference finds calls by ${search}`, async () => {
        const page = await (await get(`/reference?q=${encodeURIComponent(search)}`)).text();
        assert.deepEqual(
          [...page.matchAll(/<li class="listed" id="([^"]*)"/g)].map(([, id]) => id),
          expected,
        );
        assert.doesNotMatch(page, /<b>/);
      });
    }

    test('each operation has a page with its reply, its errors and its examples', async () => {
      for (const operation of operations) {
        const page = (await (await get(`/reference/${operation.id}`)).text()).replaceAll('<wbr>', '');
        for (const name of declaredProblems(operation)) {
          assert.ok(page.includes(`<code>${wording(operation, name)[1]}</code>`), `${operation.id}: ${name}`);
        }
        for (const { members } of [...replyTables(operation), ...bodyTables(operation)]) {
          for (const { name } of members) assert.ok(page.includes(`<code>${name}</code>`), `${operation.id}: ${name}`);
        }
        for (const language of ['shell', 'node', 'python']) {
          assert.ok(page.includes(`<code data-language="${language}">`), `${operation.id}: ${language}`);
        }
        assert.ok(page.includes(world.service.sandboxUrl), operation.id);
      }
    });

    test('an operation that does not exist has no page', async () => {
      assert.equal((await get('/reference/campaigns.nothing')).status, 404);
    });

    test('the page loads only its own styles', async () => {
      const response = await get('/reference');
      const policy = response.headers.get('content-security-policy')!;
      assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self' data:;/);
      assert.doesNotMatch(policy, /unsafe|\*|http/);
      const page = await response.text();
      const loaded = [...page.matchAll(/<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]*)"/g)].map(
        (match) => match[1],
      );
      assert.deepEqual(loaded, [
        '/pages/favicon',
        '/reference/style.css',
        '/reference/rows.css',
        '/reference/narrow.css',
      ]);
      assert.doesNotMatch(page, /<style|style="|<script>|\son\w+="/);
      for (const path of loaded.slice(1)) {
        const text = await (await get(path!)).text();
        assert.doesNotMatch(text, /https?:|\/\/[a-z]|@import|url\(/);
      }
    });
  });
}
