// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, test } from 'node:test';
import { markTexts, unmarkedWords } from '../rig/marked-texts.ts';

// What is imported from here on uses the marked texts.
markTexts();
const { browserOf, logIn } = await import('../rig/browser.ts');
const { demoAccount, ownerOf } = await import('../rig/demo.ts');
const { operatorToken } = await import('../rig/operator.ts');
const { pagesOf } = await import('../rig/pages.ts');
const { openWorld } = await import('../rig/world.ts');
const { operations } = await import('../../src/app/dependencies.ts');

let world: Awaited<ReturnType<typeof openWorld>>;
let account: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  account = await demoAccount(world);
});
after(() => world.close());

/** Times, time zones, requests, addresses, and names of servers and migrations are the same in every language. */
const SAME =
  /^(\d{4}-\d\d-\d\d.*|\d{1,2} \p{L}+ \d{4}.*|· .* ms ·|(GET|POST|PUT|DELETE) \/.*|\p{L}+\/\p{L}+|[\d.]+ s|https?:.*|\d{4}-[a-z-]+|api, stream, worker, search|[0-9a-f]{8})$/u;
/** The service, and what the world consists of. */
const NAMES = [
  'Barker',
  'English',
  'Deutsch',
  'curl',
  'Node.js',
  'Python',
  'PHP',
  'Ruby',
  'ada_demo',
  'user:900000001',
  'ben_demo',
  'Ada Demo',
  'Ben Demo',
  'anna',
  'operator:anna',
  'demo.example',
  'United States',
  hostname(),
];

/** Every text that people have written: as the API replies with it. */
async function written(): Promise<string[]> {
  const { production } = world;
  const lists = ['campaigns', 'line_items', 'custom_audiences', 'funding_instruments', 'posts', 'features'];
  const params = { with_draft: true, post_type: 'PUBLISHED', timeline_type: 'ALL', trim_user: true };
  const replies = await Promise.all([
    production.call('GET', '/12/accounts'),
    production.call('GET', '/12/targeting_criteria/platforms'),
    ...lists.map((list) => {
      const path = `/12/accounts/${account}/${list}`;
      if (list === 'features') return production.call('GET', path);
      return production.call('GET', path, { params: list === 'posts' ? params : { with_draft: true } });
    }),
  ]);
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) Object.entries(value).flat().forEach(collect);
  };
  replies.forEach(({ body }) => {
    collect(body.data);
  });
  const applications = await world.service.store.read((tx) =>
    tx.credentials.listApplications({ owner: world.keys.user_id!, after: '', limit: 100 }),
  );
  const names = operations.flatMap(({ id, path, parameters }) => [
    ...id.split('.'),
    ...path.split('/:'),
    ...Object.keys(parameters),
  ]);
  return [...found, ...names, ...applications.map(({ name }) => name), ...NAMES];
}

test('every word of a page comes from the catalogue of texts', async () => {
  const user = browserOf(world.service.url);
  const start = await browserOf(world.service.url).get('/');
  const pages: Record<string, string> = { start: start.html, login: (await user.get('/login')).html };
  await logIn(user, ownerOf(world));
  const more = ['/settings/password', '/settings/security', '/settings/security?setup=yes', '/settings/sessions'];
  const others = [...more, '/settings/connected_apps', '/notifications', '/_dev/snapshots', '/login', '/ads/nothing'];
  for (const [name, path] of [...(await pagesOf(world, account)), ...others.map((path) => [path, path] as const)]) {
    pages[name] = (await user.get(path)).html;
  }
  const { operationsUrl } = world.service;
  const operator = browserOf(operationsUrl!);
  pages['operator: signed out'] = (await operator.get('/operator')).html;
  await operator.post('/operator/sign-in', { token: await operatorToken(world.service, 'anna') });
  for (const path of ['', '/users', `/users/${world.keys.user_id}`, '/accounts', '/applications', '/audit'])
    pages[`operator: ${path}`] = (await operator.get(`/operator${path}`)).html;

  const known = new Set(await written());
  const isName = (word: string): boolean => known.has(word.replace(/^\W+|( \(USD\))$/g, ''));
  const isKnown = (word: string): boolean => SAME.test(word) || isName(word) || word.split(', ').every(isName);
  const found = Object.entries(pages).flatMap(([name, page]) => {
    assert.ok(page.includes('⟦'), `${name} has marked texts`);
    return unmarkedWords(page)
      .filter((word) => !isKnown(word))
      .map((word) => `${name}: ${word}`);
  });
  assert.deepEqual(found, []);
});
