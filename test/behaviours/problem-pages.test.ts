// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { PROBLEM_PAGES, problemDetails } from '../../src/contract/problems/problem-details.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import { bearerOf, withBearer } from '../rig/application.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

test('every problem type of version 2 has a page, and every page has its problem', () => {
  const said = operations
    .filter(({ family }) => family === 'problem')
    .flatMap((operation) => declaredProblems(operation));
  const slugs = said.map((name) => problemDetails(name).slug).filter((slug) => slug !== undefined);
  // Named by the last line of a stream, whose status was told long before.
  const named = new Set([...slugs, 'operational-disconnect']);
  assert.deepEqual([...named].sort(), Object.keys(PROBLEM_PAGES).sort());
  for (const name of said) {
    const { slug, title, status } = problemDetails(name);
    if (slug === undefined) continue;
    assert.deepEqual([PROBLEM_PAGES[slug]?.title, PROBLEM_PAGES[slug]?.status], [title, status], name);
  }
});

for (const listener of ['url', 'sandboxUrl'] as const) {
  for (const [slug, { title, status, meaning, remedy }] of Object.entries(PROBLEM_PAGES)) {
    describe(`${slug} at the ${listener}`, () => {
      const get = (accept: string, method = 'GET') =>
        fetch(`${world.service[listener]}/2/problems/${slug}`, { method, headers: { accept } });

      for (const accept of ['*/*', 'text/html,application/xhtml+xml', 'text/html, application/json']) {
        test(`is a page for ${accept}`, async () => {
          const response = await get(accept);
          assert.equal(response.status, 200);
          assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
          assert.match(response.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
          assert.equal(response.headers.get('vary'), 'accept');
          const html = await response.text();
          assert.doesNotMatch(html, /&#96;/);
          // What stands between backquotes is code.
          const page = html.replaceAll('&#39;', "'").replace(/<\/?code>/g, '`');
          for (const text of [`<h1>${title}</h1>`, meaning, remedy, String(status)])
            assert.ok(page.includes(text), page);
        });
      }

      test('is JSON for programs that accept it', async () => {
        const response = await get('application/json');
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
        const type = `${world.service[listener]}/2/problems/${slug}`;
        assert.deepEqual(await response.json(), { type, title, status, meaning, remedy });
      });
    });
  }
}

test('the problem type of a version 2 reply leads there', async () => {
  const reply = await withBearer(world, await bearerOf(world, world.keys), '/2/users/me');
  assert.equal(reply.status, 403, reply.text);
  const page = await fetch(reply.body.type, { headers: { accept: 'application/json' } });
  assert.equal(((await page.json()) as { type: string }).type, reply.body.type);
});

test('a problem that does not exist has no page', async () => {
  const response = await fetch(`${world.service.url}/2/problems/nothing`);
  assert.equal(response.status, 404);
  const detail = 'Sorry, that page does not exist.';
  const errors = [{ code: 34, message: detail }];
  assert.deepEqual(await response.json(), { title: 'Not Found', type: 'about:blank', status: 404, detail, errors });
});
