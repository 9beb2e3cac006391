// On either database: pages use both alike.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loginTargetCheck } from '../../src/features/auth/pages/login-targets.ts';
import { addApplication, addPerson, browserOf, logIn, type Person, typed, unescaped } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
/** The address of every page, by its template. */
let addresses: ReadonlyMap<string, string>;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
  const { id } = await addApplication(world, { owner_user_id: ada.id });
  // Whether there is such an account is only known to those who are logged in.
  const addressOf = (path: string): string => path.replace(':id', id).replaceAll(/:\w+_id/g, 'abc1');
  addresses = new Map(world.service.pages.map(({ path }) => [path, addressOf(path)]));
});
after(() => world.close());

/** The paths of this server to which a page links. */
function linksOf(html: string): string[] {
  const links = [...html.matchAll(/<a [^>]*href="(\/[^"]*)"/g)];
  return links.map(([, href]) => unescaped(href!));
}

describe('every page of the service', () => {
  test('that requires a login can be reached through it', async () => {
    const sending: string[] = [];
    for (const [template, address] of addresses) {
      const stranger = browserOf(world.service.url);
      const { status, location } = await stranger.get(address);
      if (status !== 303) continue;
      sending.push(template);
      const target = new URL(location!, world.service.url).searchParams.get('continue');
      const done = await stranger.submit(await stranger.get(location!), typed(ada));
      assert.deepEqual([done.status, done.location], [303, target], `${template} lacks mayFollowLogin`);
    }
    assert.ok(sending.length > 10, String(sending));
    const allowed = world.service.pages.filter(({ mayFollowLogin }) => mayFollowLogin === true);
    assert.deepEqual(
      allowed.map(({ path }) => path).filter((path) => !sending.includes(path)),
      [],
      'no page that is open to strangers needs mayFollowLogin',
    );
  });

  test('links to pages that exist', async () => {
    const user = browserOf(world.service.url);
    await logIn(user, ada);
    const found = new Map<string, string>();
    for (const address of ['/', ...addresses.values()]) {
      for (const link of linksOf((await user.get(address)).html)) found.set(link.split('#')[0]!, address);
    }
    assert.ok(found.size > 10, [...found.keys()].join(' '));
    for (const [link, address] of found) assert.notEqual((await user.get(link)).status, 404, `${link} on ${address}`);
  });
});

describe('a login leads', () => {
  const answer = () => assert.fail('not asked');
  const page = { methods: ['GET'], answer } as const;
  const isTarget = loginTargetCheck([
    { ...page, path: '/settings', mayFollowLogin: true },
    { ...page, path: '/apps/:id', mayFollowLogin: true },
    { ...page, path: '/preview/index.html', mayFollowLogin: { withQuery: /^data=\w{1,5}$/ } },
    { ...page, path: '/secret' },
  ]);

  for (const address of ['/settings', '/apps/7', '/apps/1234567890123456789', '/preview/index.html?data=a_1']) {
    test(`to ${address}`, () => assert.equal(isTarget(address), true));
  }

  for (const address of [
    ...['', '/', 'settings', '/Settings', '/settings/', '//settings', '/settings?a=1', '/settings?', '/settings#a'],
    ...['/settings\n', '/settings%2f', '\\settings', 'https://evil.test/settings', '//evil.test/settings'],
    ...['/apps/', '/apps/x', '/apps/12345678901234567890', '/apps/7/x', '/apps/..', '/apps/7\n', '/apps/:id'],
    ...['/preview/index.html', '/preview/index.html?data=', '/preview/index.html?data=a?data=a', '/preview/index_html'],
    ...['/preview/index.html?data=a&x=1', '/preview/index.html?data=a\n', '/secret', '/secret?data=a'],
  ]) {
    test(`never to ${JSON.stringify(address)}`, () => assert.equal(isTarget(address), false));
  }
});
