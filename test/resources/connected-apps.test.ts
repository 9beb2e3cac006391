// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addPerson, type Browser, browserOf, logIn, type Person } from '../rig/browser.ts';
import { clientOf, type Keys } from '../rig/client.ts';
import { approve, begin, end, pairs } from '../rig/login.ts';
import { register } from '../rig/people.ts';
import { openWorld, type World } from '../rig/world.ts';

const PAGE = '/settings/connected_apps';

let world: World;
let consumer: Keys & { user: string };
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  consumer = await register(world, { callbacks: ['https://client.test/'] });
});
after(() => world.close());

/** Somebody new who is logged in. */
async function somebody(): Promise<{ person: Person; browser: Browser }> {
  const person = await addPerson(world);
  const browser = browserOf(world.service.url);
  await logIn(browser, person);
  return { person, browser };
}

/** Gives the application access; the answer is what it got. */
async function grant(person: Person, query: Record<string, string> = {}): Promise<Record<string, string>> {
  const token = await begin(world, consumer, { callback: 'oob', query });
  return pairs(await end(world, consumer, token, await approve(world, token.token, person.id)));
}

const call = async (input: Record<string, string>): Promise<unknown> => {
  const keys = { ...consumer, access_token: input.oauth_token!, access_token_secret: input.oauth_token_secret! };
  const reply = await clientOf(world.service.url, keys, world.clock).call(
    'GET',
    '/1.1/account/verify_credentials.json',
  );
  return reply.status === 200 ? 200 : [reply.status, reply.body.errors[0].code];
};

describe('connected apps', () => {
  test('are empty at first', async () => {
    const { browser } = await somebody();
    assert.match((await browser.get(PAGE)).html, /No application has access to your account/);
  });

  test('ask for a login and come back', async () => {
    const sent = await browserOf(world.service.url).get(PAGE);
    assert.deepEqual([sent.status, sent.location], [303, '/login?continue=%2Fsettings%2Fconnected_apps']);
  });

  test('show level, start and last use, once for each application', async () => {
    const { person, browser } = await somebody();
    await grant(person, { ext_auth_access_type: 'read' });
    const input = await grant(person);
    const before_ = (await browser.get(PAGE)).html;
    assert.equal(before_.match(/Revoke access</g)?.length, 1);
    assert.match(before_, /<dt>Access<\/dt><dd>Read and write<\/dd>/);
    assert.match(before_, /<dt>Authorized<\/dt><dd><time datetime="2026-03-02T\d\d:\d\d:\d\dZ">2 March 2026/);
    assert.match(before_, /<dt>Last used<\/dt><dd>Never/);
    assert.equal(await call(input), 200);
    // Nobody waits for this note: it is there soon after the reply.
    const isNoted = /<dt>Last used<\/dt><dd><time datetime="2026-03-02">2 March 2026/;
    let html = '';
    for (let looks = 0; looks < 100 && !isNoted.test(html); looks++) html = (await browser.get(PAGE)).html;
    assert.match(html, isNoted);
  });

  test('withdrawing ends every token and pending login, of this user only', async () => {
    const { person, browser } = await somebody();
    const other = await somebody();
    const input = [await grant(person, { ext_auth_access_type: 'read' }), await grant(person)];
    const others = await grant(other.person);
    const waiting = await begin(world, consumer, { callback: 'oob' });
    const verifier = await approve(world, waiting.token, person.id);

    const done = await browser.submit(await browser.get(PAGE));
    assert.deepEqual([done.status, done.location], [303, `${PAGE}?withdrawn=yes`]);
    const after_ = await browser.get(done.location!);
    assert.match(after_.html, /role="status">Access revoked/);
    assert.match(after_.html, /No application has access/);
    for (const each of input) assert.deepEqual(await call(each), [401, 89]);
    assert.equal(await call(others), 200);
    const exchanged = await end(world, consumer, waiting, verifier);
    assert.deepEqual([exchanged.status, exchanged.body.errors[0].code], [401, 89]);
    const again = await grant(person);
    assert.ok(
      input.every(({ oauth_token }) => oauth_token !== again.oauth_token),
      'a new grant has another value',
    );
    assert.equal(await call(again), 200);
  });

  test('withdrawing without access is refused, and so is a form without its token', async () => {
    const { person, browser } = await somebody();
    const input = await grant(person);
    const page = await browser.get(PAGE);
    for (const application of ['999999', 'x', '']) {
      assert.equal((await browser.submit(page, { application })).status, 404);
    }
    assert.equal((await browser.submit(page, {}, { without: ['authenticity_token'] })).status, 403);
    assert.equal(await call(input), 200);
  });
});
