// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listen } from '../rig/activity.ts';
import { addPerson, type Browser, browserOf, logIn, type Person } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

const PAGE = '/settings/profile';
let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

async function somebody(): Promise<{ person: Person; browser: Browser }> {
  const person = await addPerson(world);
  const browser = browserOf(world.service.url);
  await logIn(browser, person);
  return { person, browser };
}

const found = (person: Person) => world.service.store.read((tx) => tx.credentials.findUser(person.id));

describe('the page of a profile', () => {
  test('asks for a login and returns', async () => {
    const sent = await browserOf(world.service.url).get(PAGE);
    assert.deepEqual([sent.status, sent.location], [303, '/login?continue=%2Fsettings%2Fprofile']);
    const { browser } = await somebody();
    assert.equal((await browser.get(PAGE)).status, 200);
  });

  test('saves what is filled in, and emits events for followed fields', async () => {
    const { person, browser } = await somebody();
    const heard = listen(world);
    const filled = {
      name: 'Ada <3',
      screen_name: 'Ada_new',
      description: 'Zeile 1\r\nZeile 2 & "mehr"',
      location: 'Linz',
      url: 'https://ada.test/',
    };
    const sent = await browser.submit(await browser.get(PAGE), filled, { to: PAGE });
    assert.deepEqual([sent.status, sent.location], [303, `${PAGE}?saved=yes`], sent.html);
    const user = (await found(person))!;
    assert.deepEqual(
      [user.name, user.screen_name, user.description, user.location, user.url],
      ['Ada <3', 'Ada_new', 'Zeile 1\nZeile 2 & "mehr"', 'Linz', 'https://ada.test/'],
    );
    await world.service.services.activity.feed.waitUntilCaughtUp();
    const events = heard.batches.flatMap((batch) => batch.events);
    assert.deepEqual(
      events.map(({ event_type, user_id, payload }) => [event_type, user_id, JSON.parse(payload)]),
      [
        ['profile.update.bio', person.id, { before: '', after: 'Zeile 1\nZeile 2 & "mehr"' }],
        ['profile.update.screenname', person.id, { before: person.name, after: 'Ada_new' }],
      ],
    );
    const { html } = await browser.get(`${PAGE}?saved=yes`);
    assert.match(html, /Profile saved\./);
    assert.match(html, /value="Ada &#60;3"/);
    assert.match(html, />Zeile 1\nZeile 2 &#38; &#34;mehr&#34;<\/textarea>/);
  });

  const refused = [
    ['name', '', 'A name is 1 to 50 characters.'],
    ['screen_name', 'a-b', 'A user name is 1 to 15 letters, digits or underscores.'],
    ['description', 'x'.repeat(161), 'A description is at most 160 characters.'],
    ['location', 'x'.repeat(31), 'A location is at most 30 characters.'],
    ['url', 'ftp://x', 'An address begins with https:// or http:// and has at most 100 characters.'],
  ] as const;
  for (const [member, value, says] of refused) {
    test(`saves nothing when ${member} is invalid, and shows why`, async () => {
      const { person, browser } = await somebody();
      const before_ = await found(person);
      const seen = await browser.submit(await browser.get(PAGE), { location: 'Graz', [member]: value }, { to: PAGE });
      assert.equal(seen.status, 400);
      assert.ok(seen.html.includes(`<a href="#${member}">${says}</a>`), seen.html);
      assert.match(seen.html, new RegExp(`aria-describedby="[^"]*${member}-fault" aria-invalid="true"`));
      assert.deepEqual(await found(person), before_);
    });
  }

  test('does not give a user name to two users', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const page = await one.browser.get(PAGE);
    const seen = await one.browser.submit(page, { screen_name: other.person.name.toUpperCase() }, { to: PAGE });
    assert.equal(seen.status, 409);
    assert.match(seen.html, /This user name is taken\./);
  });

  test('is not saved without the token of the form', async () => {
    const { browser } = await somebody();
    const seen = await browser.submit(
      await browser.get(PAGE),
      { name: 'x' },
      { to: PAGE, without: ['authenticity_token'] },
    );
    assert.equal(seen.status, 403);
  });
});
