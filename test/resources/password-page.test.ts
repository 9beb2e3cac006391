// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { addPasswordLink } from '../../src/features/platform/user-status.ts';
import { addPerson, type Browser, browserOf, logIn, outlineOf, type Person, type Seen, typed } from '../rig/browser.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

const PAGE = '/settings/password';
const NEXT = 'seven quiet harbours';
let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', support_contact: 'help@ads.test' } });
  recordSecret('password', NEXT);
});
after(() => world.close());

const browser = (): Browser => browserOf(world.service.url);
const headingOf = (page: Seen): string => outlineOf(page.html).heading;
const isLoggedIn = async (user: Browser): Promise<boolean> =>
  headingOf(await user.get('/login')) === 'You are logged in';

async function change(user: Browser, person: Person, filled: Record<string, string> = {}): Promise<Seen> {
  const members = { 'session[password]': person.password, new_password: NEXT, new_password_again: NEXT };
  return user.submit(await user.get(PAGE), { ...members, ...filled }, { to: PAGE });
}

describe('the page of the password', () => {
  test('asks for a login and returns', async () => {
    const sent = await browser().get(PAGE);
    assert.deepEqual([sent.status, sent.location], [303, '/login?continue=%2Fsettings%2Fpassword']);
  });

  test('changes it: other sessions end, this one continues under a new id', async () => {
    const person = await addPerson(world);
    const [here, there] = [browser(), browser()];
    await logIn(here, person);
    await logIn(there, person);
    const former = here.cookies.get('sess')!;
    const sent = await change(here, person);
    assert.deepEqual([sent.status, sent.location], [303, `${PAGE}?changed=yes`], sent.html);
    assert.match((await here.get(sent.location!)).html, /Password changed\./);
    assert.equal(await isLoggedIn(there), false);
    assert.notEqual(here.cookies.get('sess'), former);
    const stolen = browser();
    stolen.cookies.set('sess', former);
    assert.equal(await isLoggedIn(stolen), false);
    const again = browser();
    assert.equal((await again.submit(await again.get('/login'), typed(person))).status, 401);
    await logIn(again, { ...person, password: NEXT });
  });

  const refused: [why: string, filled: Record<string, string>, status: number, says: string, at: string][] = [
    [
      'a wrong present one',
      { 'session[password]': 'wrong' },
      401,
      'The current password is wrong.',
      'current_password',
    ],
    ['two that differ', { new_password_again: 'x' }, 400, 'The passwords do not match.', 'new_password_again'],
    ['a short one', both('7 chars'), 400, 'The password must have 8 to 256 characters.', 'new_password'],
    [
      'a common one',
      both('Sunshine1'),
      400,
      'The password is one of the 10,000 most common, which are tried first.',
      'new_password',
    ],
    [
      'the service',
      both('my barker login'),
      400,
      'The password must not contain the name of the service.',
      'new_password',
    ],
  ];
  for (const [why, filled, status, says, at] of refused) {
    test(`refuses ${why}, with the reason beside the field`, async () => {
      const person = await addPerson(world);
      const user = browser();
      await logIn(user, person);
      const seen = await change(user, person, filled);
      assert.equal(seen.status, status);
      assert.ok(seen.html.includes(`<a href="#${at}">${says}</a>`), seen.html);
      assert.match(seen.html, new RegExp(`id="${at}"[^>]*aria-invalid="true"`));
      assert.ok(!seen.html.includes(person.password));
      await logIn(browser(), person);
    });
  }

  test('is not changed without the token of the form', async () => {
    const person = await addPerson(world);
    const user = browser();
    await logIn(user, person);
    const page = await user.get(PAGE);
    const seen = await user.submit(page, {}, { to: PAGE, without: ['authenticity_token'] });
    assert.equal(seen.status, 403);
  });

  test('wrong current passwords are counted with the logins', async () => {
    const person = await addPerson(world);
    const user = browser();
    await logIn(user, person);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await change(user, person, { 'session[password]': 'wrong' })).status, 401);
    }
    assert.equal((await change(user, person)).status, 429);
    world.clock.advance(901);
  });
});

describe('a link that sets a password', () => {
  const linkFor = async (person: Person): Promise<string> => {
    const now = new Date(world.clock.now()).toISOString().replace('.000Z', 'Z');
    const { store } = world.service;
    const secret = await store.write((tx) => addPasswordLink(tx, person.id, { random: secureRandom, now }));
    recordSecret('password link', secret);
    return `/login/reset?token=${secret}`;
  };
  const set = { new_password: NEXT, new_password_again: NEXT };

  test('works once, ends sessions, and ends the throttling of the user', async () => {
    const person = await addPerson(world);
    const there = browser();
    await logIn(there, person);
    const path = await linkFor(person);
    const user = browser();
    const page = await user.get(path);
    assert.match(page.html, new RegExp(`For <strong>@${person.name}</strong>`));
    const sent = await user.submit(page, set);
    assert.deepEqual([sent.status, sent.location], [303, '/login?password=reset'], sent.html);
    assert.match((await user.get(sent.location!)).html, /Your password was reset\. Log in with your new password\./);
    assert.equal(await isLoggedIn(there), false);
    await logIn(user, { ...person, password: NEXT });
    assert.deepEqual(
      [(await user.get(path)).status, headingOf(await user.get(path))],
      [403, 'This link no longer works'],
    );
  });

  test('lasts an hour; a newer one replaces it; an invalid password does not use it up', async () => {
    const person = await addPerson(world);
    const [first, second] = [await linkFor(person), await linkFor(person)];
    assert.equal((await browser().get(first)).status, 403);
    const user = browser();
    const seen = await user.submit(await user.get(second), both('password'));
    assert.equal(seen.status, 400);
    world.clock.advance(3599);
    assert.equal((await user.get(second)).status, 200);
    world.clock.advance(1);
    assert.equal((await user.get(second)).status, 403);
    assert.equal((await user.get('/login/reset?token=x')).status, 403);
    assert.equal((await user.get('/login/reset')).status, 403);
  });
});

test('the login page names whom to ask', async () => {
  assert.match((await browser().get('/login')).html, /<a href="mailto:help@ads\.test">help@ads\.test<\/a>/);
});

function both(password: string): Record<string, string> {
  return { new_password: password, new_password_again: password };
}
