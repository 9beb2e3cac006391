// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Application } from '../../src/contract/store/credentials.ts';
import { type BreakableWorld, openBreakableWorld } from '../rig/breakable.ts';
import {
  addApplication,
  addPerson,
  addRequestToken,
  type Browser,
  browserOf,
  logIn,
  outlineOf,
  type Person,
  typed,
} from '../rig/browser.ts';

let world: BreakableWorld;
let ada: Person;
const browser = (): Browser => browserOf(world.service.url);

before(async () => {
  world = await openBreakableWorld({ rate_limits: 'off' });
  ada = await addPerson(world);
});
after(() => world.close());

const VERIFIED = /^https:\/\/client\.test\/back\?next=%2Fhome&oauth_token=[a-z0-9]+&oauth_verifier=[A-Za-z0-9]{20,}$/;

/** A request token of a new application. */
async function begin(told: Partial<Application> = {}, asked: Parameters<typeof addRequestToken>[2] = {}) {
  const application = await addApplication(world, told);
  const token = await addRequestToken(world, application, asked);
  const state = async () => (await world.service.store.read((tx) => tx.requestTokens.find(token)))!.state;
  return { path: `/oauth/authorize?oauth_token=${token}`, state };
}

describe('links that do not work', () => {
  const GONE = 'This link no longer works';
  const cases: [name: string, path: () => Promise<string>, code: number, heading: string][] = [
    ['no token', async () => '/oauth/authorize', 89, GONE],
    ['unknown', async () => '/oauth/authenticate?oauth_token=%3Cscript%3Enever', 89, GONE],
    ['overlong', async () => `/oauth/authorize?oauth_token=${'x'.repeat(5000)}`, 89, GONE],
    ['with a zero byte', async () => '/oauth/authorize?oauth_token=a%00b', 89, GONE],
    ['used', async () => spent({}), 89, GONE],
    ['denied', async () => spent({ cancel: '1' }), 89, GONE],
    ['suspended', async () => (await begin({ suspended: 1 })).path, 416, 'This application is suspended'],
    [
      'address no longer registered',
      async () => (await begin({}, { callback: 'https://other.test/' })).path,
      415,
      'This callback URL is not approved',
    ],
  ];
  async function spent(filled: Record<string, string>): Promise<string> {
    const user = browser();
    const { path } = await begin();
    await user.submit(await user.get(path), { ...typed(ada), ...filled });
    return path;
  }
  for (const [name, make, code, heading] of cases) {
    test(name, async () => {
      const user = browser();
      await logIn(user, ada);
      const path = await make();
      const page = await user.get(path);
      assert.deepEqual([page.status, page.location, outlineOf(page.html).heading], [403, null, heading]);
      assert.ok(!page.html.includes('<form') && !page.html.includes('never'));
      const told = await user.get(path, { accept: 'application/json' });
      assert.equal(told.status, 403);
      assert.deepEqual(JSON.parse(told.html).errors[0].code, code);
    });
  }

  test('expired: it is open for 15 minutes', async () => {
    const user = browser();
    const { path } = await begin();
    world.clock.advance(899);
    assert.equal((await user.get(path)).status, 200);
    world.clock.advance(2);
    assert.equal((await user.get(path)).status, 403);
  });

  test('expired while the form was open', async () => {
    const user = browser();
    const { path, state } = await begin();
    const page = await user.get(path);
    world.clock.advance(901);
    const sent = await user.submit(page, typed(ada));
    assert.deepEqual([sent.status, sent.location], [403, null]);
    assert.notEqual(await state(), 'authorized');
  });

  test('no input decides where a browser goes', async () => {
    const user = browser();
    const { path } = await begin();
    const lures = ['oauth_callback', 'callback', 'redirect_uri', 'next', 'return_to', 'url'];
    const query = lures.map((name) => `${name}=https%3A%2F%2Fevil.test%2F`).join('&');
    const page = await user.get(`${path}&${query}`);
    assert.ok(!page.html.includes('evil.test'));
    const filled = Object.fromEntries(lures.map((name) => [name, 'https://evil.test/']));
    assert.match((await user.submit(page, { ...typed(ada), ...filled })).location!, VERIFIED);
    const login = await user.get(`/login?${query}`);
    assert.ok(!login.html.includes('evil.test'));
  });
});

describe('an internal error', () => {
  const errors: [name: 'whileBroken' | 'whileUnreachable', status: number, code: number, retry: boolean][] = [
    ['whileBroken', 500, 131, false],
    ['whileUnreachable', 503, 130, true],
  ];
  for (const [name, status, code, retry] of errors) {
    test(`${name}: ${status}, without details, and the login can continue afterwards`, async () => {
      const user = browser();
      const { path } = await begin();
      const page = await user.get(path);
      await world[name](async () => {
        const sent = await user.submit(page, typed(ada));
        assert.deepEqual([sent.status, sent.location, sent.headers.has('retry-after')], [status, null, retry]);
        assert.ok(!/rack 7|10\.0\.0\.7/.test(sent.html));
        const told = await user.get(path, { accept: 'application/json' });
        assert.deepEqual([told.status, JSON.parse(told.html).errors[0].code], [status, code]);
      });
      assert.match((await user.submit(page, typed(ada))).location!, VERIFIED);
    });
  }
});
