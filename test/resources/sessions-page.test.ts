// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  addApplication,
  addPerson,
  type Browser,
  browserOf,
  formOf,
  outlineOf,
  type Person,
  typed,
} from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

const PAGE = '/settings/sessions';
let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', trusted_proxies: '127.0.0.1' } });
});
after(() => world.close());

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

async function somebody(headers: Record<string, string> = {}): Promise<{ person: Person; user: Browser }> {
  const person = await addPerson(world);
  return { person, user: await browserFor(person, headers) };
}

async function browserFor(person: Person, headers: Record<string, string> = {}): Promise<Browser> {
  const user = browserOf(world.service.url);
  const sent = await user.submit(await user.get('/login', headers), typed(person), { headers });
  assert.equal(sent.status, 303, sent.html);
  return user;
}

const isLoggedIn = async (user: Browser): Promise<boolean> =>
  outlineOf((await user.get('/login')).html).heading === 'You are logged in';
const rowsOf = (html: string): string[] =>
  [...html.matchAll(/<li>\s*<h2>(.*?)<\/h2>/gs)].map(([, row]) => row!.replace(/<[^>]*>/g, ''));
const buttons = (html: string): string[] => outlineOf(html).buttons.filter((text) => text !== 'Log out');

describe('the page of sessions', () => {
  test('lists each with its browser and address; the present one first and marked', async () => {
    const { person, user } = await somebody();
    const headers = { 'user-agent': FIREFOX, 'x-forwarded-for': '2001:db8:1:2:3::4' };
    await browserFor(person, headers);
    const { html } = await user.get(PAGE);
    assert.deepEqual(rowsOf(html), ['Unknown browser This browser', 'Firefox on Linux']);
    assert.match(html, /2001:db8:1:2::\/64/);
    assert.deepEqual(buttons(html), ['End session', 'Log out everywhere else']);
  });

  test('ends one, and all others, of this user only', async () => {
    const { person, user } = await somebody();
    const { user: stranger } = await somebody();
    const [second, third, fourth] = [await browserFor(person), await browserFor(person), await browserFor(person)];
    const page = await user.get(PAGE);
    const sent = await user.post(PAGE, formOf(`${page.html.split('class="bad"')[0]}</form>`, PAGE).members);
    assert.deepEqual([sent.status, sent.location], [303, `${PAGE}?ended=yes`], sent.html);
    const left = await Promise.all([second, third, fourth].map(isLoggedIn));
    assert.equal(left.filter(Boolean).length, 2);
    assert.equal((await user.submit(await user.get(PAGE), {}, { to: PAGE })).status, 303);
    assert.deepEqual(await Promise.all([second, third, fourth].map(isLoggedIn)), [false, false, false]);
    assert.deepEqual([await isLoggedIn(user), await isLoggedIn(stranger)], [true, true]);
  });

  test('does not end sessions of somebody else', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const [session] = await world.service.store.read((tx) => tx.sessions.list(other.person.id));
    const { authenticity_token } = formOf((await one.user.get('/login')).html).members;
    const members = { authenticity_token: authenticity_token!, session: session!.id_hash };
    assert.equal((await one.user.post(PAGE, members)).status, 404);
    assert.equal(await isLoggedIn(other.user), true);
  });
});

describe('a login that is not recent', () => {
  const CONFIRM = 'Confirm that it is you';
  const headingOf = ({ html }: { html: string }): string => outlineOf(html).heading;

  test('pages that show or change what protects an account ask for the password, and then go on', async () => {
    const { person, user } = await somebody();
    const { id } = await addApplication(world, { owner_user_id: person.id });
    for (const path of [PAGE, `/developer/apps/${id}/keys`, `/developer/apps/${id}/bearer?x=1`]) {
      world.clock.advance(599);
      assert.notEqual(headingOf(await user.get(path)), CONFIRM, path);
      world.clock.advance(1);
      const page = await user.get(path);
      assert.equal(headingOf(page), CONFIRM, path);
      const wrong = await user.submit(page, { 'session[password]': 'wrong' });
      assert.deepEqual([wrong.status, headingOf(wrong)], [401, CONFIRM]);
      const former = user.cookies.get('sess');
      const sent = await user.submit(wrong, { 'session[password]': person.password });
      assert.deepEqual([sent.status, sent.location], [303, path], sent.html);
      assert.notEqual(user.cookies.get('sess'), former);
      assert.notEqual(headingOf(await user.get(path)), CONFIRM);
    }
  });

  test('a login that lies ahead, because the clock was set back, is not recent', async () => {
    const { user } = await somebody();
    world.clock.advance(-3600);
    assert.equal(headingOf(await user.get(PAGE)), CONFIRM);
    world.clock.advance(3600);
  });

  test('a form continues once the password is given', async () => {
    const { person, user } = await somebody();
    const name = `New_${person.id}`.slice(0, 15);
    const found = () => world.service.store.read((tx) => tx.credentials.findUser(person.id));
    const page = await user.get('/settings/profile');
    world.clock.advance(600);
    const asked = await user.submit(page, { screen_name: name, description: 'a\n"b"' }, { to: '/settings/profile' });
    assert.deepEqual([asked.status, headingOf(asked)], [401, CONFIRM]);
    assert.equal((await found())!.screen_name, person.name);
    const sent = await user.submit(asked, { 'session[password]': person.password });
    assert.deepEqual([sent.status, sent.location], [303, '/settings/profile?saved=yes'], sent.html);
    assert.deepEqual([(await found())!.screen_name, (await found())!.description], [name, 'a\n"b"']);
  });

  test('the rest of a profile needs no confirmation', async () => {
    const { user } = await somebody();
    world.clock.advance(600);
    const page = await user.get('/settings/profile');
    const sent = await user.submit(page, { location: 'Graz' }, { to: '/settings/profile' });
    assert.equal(sent.location, '/settings/profile?saved=yes');
    assert.notEqual(headingOf(await user.get('/settings/connected_apps')), CONFIRM);
  });

  test('callbacks are changed once the password is given', async () => {
    const { person, user } = await somebody();
    const { id, callbacks } = await addApplication(world, { owner_user_id: person.id });
    const found = async () => (await world.service.store.read((tx) => tx.credentials.findApplication(id)))!.callbacks;
    const path = `/developer/apps/${id}`;
    world.clock.advance(600);
    const page = await user.get(path);
    assert.notEqual(headingOf(page), CONFIRM);
    const filled = { website_url: 'https://a.test/', callbacks: 'https://elsewhere.test/back' };
    const asked = await user.submit(page, filled, { to: path });
    assert.deepEqual([asked.status, headingOf(asked), await found()], [401, CONFIRM, callbacks]);
    const sent = await user.submit(asked, { 'session[password]': person.password });
    assert.deepEqual([sent.status, sent.location], [303, `${path}?saved=yes`], sent.html);
    assert.equal(await found(), JSON.stringify([filled.callbacks]));
  });

  test('keys of a new application are shown after that, and the session continues', async () => {
    const { person, user } = await somebody();
    const page = await user.get('/developer/apps/new');
    world.clock.advance(600);
    const filled = { name: `App ${person.id}`, website_url: 'https://a.test/', callbacks: 'https://a.test/b' };
    const asked = await user.submit(page, filled);
    assert.equal(headingOf(asked), CONFIRM);
    const told = await user.submit(asked, { 'session[password]': person.password });
    assert.match(headingOf(told), /^The keys of App /);
    assert.equal(await isLoggedIn(user), true);
    // A form of the page that told the keys is good with the new session.
    assert.equal((await user.submit(told, {}, { to: '/logout' })).status, 303);
  });
});
