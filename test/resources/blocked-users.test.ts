import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errorPage } from '../../src/features/auth/pages/error-pages.ts';
import { changeUserStatus } from '../../src/features/platform/user-status.ts';
import { addApplication, addPerson, addRequestToken, browserOf, logIn, outlineOf, typed } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const headings = { suspended: 'Your account is suspended', locked: 'Your account is locked' } as const;

for (const standing of ['suspended', 'locked'] as const) {
  test(`a user who was ${standing} meanwhile sees the reason on every page, once, and is then logged out`, async () => {
    const person = await addPerson(world);
    const { id } = await addApplication(world, { owner_user_id: person.id });
    const { pages, store } = world.service;
    assert.ok(pages.length > 15);
    for (const { path: template } of pages) {
      const user = browserOf(world.service.url);
      await logIn(user, person);
      // What a command or another process may do at any time: nothing but the flag changes.
      await store.write((tx) => tx.credentials.changeUser(person.id, { [standing]: 1 }));
      const path = template.replace(':id', id);
      const seen = await user.get(path);
      assert.deepEqual([seen.status, outlineOf(seen.html).heading], [403, headings[standing]], path);
      assert.equal(user.cookies.has('sess'), false, path);
      await store.write((tx) => tx.credentials.changeUser(person.id, { [standing]: 0 }));
    }
  });

  test(`a form of a user who was ${standing} meanwhile changes nothing`, async () => {
    const person = await addPerson(world);
    const user = browserOf(world.service.url);
    await logIn(user, person);
    const page = await user.get('/settings/profile');
    const { store } = world.service;
    await store.write((tx) => tx.credentials.changeUser(person.id, { [standing]: 1 }));
    const seen = await user.submit(page, { location: 'Graz' }, { to: '/settings/profile' });
    assert.equal(outlineOf(seen.html).heading, headings[standing]);
    assert.equal((await store.read((tx) => tx.credentials.findUser(person.id)))!.location, '');
  });

  test(`sessions of a user who becomes ${standing} end for good`, async () => {
    const person = await addPerson(world);
    const user = browserOf(world.service.url);
    await logIn(user, person);
    const { store } = world.service;
    await store.write((tx) => changeUserStatus(tx, person.id, { [standing]: 1 }));
    assert.deepEqual(await store.read((tx) => tx.sessions.list(person.id)), []);
    await store.write((tx) => changeUserStatus(tx, person.id, { [standing]: 0 }));
    assert.equal(outlineOf((await user.get('/login')).html).heading, 'Log in');
  });
}

describe('an application that forces a login', () => {
  async function begin() {
    const token = await addRequestToken(world, await addApplication(world));
    const state = async () => (await world.service.store.read((tx) => tx.requestTokens.find(token)))!.state;
    return { path: `/oauth/authorize?oauth_token=${token}`, token, state };
  }

  test('binds it to the request token, however the page is opened later', async () => {
    const [ada, ben] = [await addPerson(world), await addPerson(world)];
    const user = browserOf(world.service.url);
    await logIn(user, ada);
    const { path, state } = await begin();
    const free = await user.get(path);
    assert.ok(!free.html.includes('session[password]'));
    await user.get(`${path}&force_login=true`);
    // The question of before, which asked for no password, is no way around it, nor is the address without the word.
    const sent = await user.submit(free);
    assert.equal(sent.status, 401);
    assert.equal(await state(), 'issued');
    const page = await user.get(path);
    assert.match(page.html, /session\[password\]/);
    const without = await user.submit(
      page,
      {},
      { without: ['force_login', 'session[username_or_email]', 'session[password]'] },
    );
    assert.equal(without.status, 401);
    const done = await user.submit(page, typed(ben), { without: ['force_login'] });
    assert.equal(done.status, 303, done.html);
    assert.equal(await state(), 'authorized');
  });

  test('accepts a login for this request token, and none for another', async () => {
    const ada = await addPerson(world);
    const user = browserOf(world.service.url);
    const [one, other] = [await begin(), await begin()];
    const asked = await user.get(`${other.path.replace('authorize', 'authenticate')}&force_login=true`);
    assert.match(asked.html, /session\[password\]/);
    const page = await user.get(`${one.path}&force_login=true`);
    assert.equal((await user.submit(page, { ...typed(ada), step: 'login' })).location, one.path.replace(/&.*/, ''));
    assert.ok(!(await user.get(one.path)).html.includes('session[password]'));
    assert.match((await user.get(other.path)).html, /session\[password\]/);
    assert.equal((await user.submit(await user.get(one.path))).status, 303);
    assert.deepEqual([await one.state(), await other.state()], ['authorized', 'issued']);
  });
});

test('the reason is a refusal, with a code in JSON', () => {
  assert.deepEqual([errorPage('user suspended').error?.code, errorPage('user locked').error?.code], [64, 326]);
});
