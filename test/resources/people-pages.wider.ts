// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import { secureRandom } from '../../src/base/random.ts';
import { addPasswordLink } from '../../src/features/platform/user-status.ts';
import { barker, flagsOf, toldBy } from '../commands/program.ts';
import { addApplication, addPerson, addRequestToken, type Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { credentialsOf, fill, focusedId, openAt, openInside, send } from '../rig/pages-in-chromium.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

const NEXT = 'six green umbrellas';
let world: World;
let chromium: Chromium;
let ada: Person;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

const headingOf = (tab: Tab): Promise<string> => tab.look('document.querySelector("h1").textContent');
const pathOf = (tab: Tab): Promise<string> => tab.look('location.pathname');

const inside = (person: Person, path: string): Promise<Tab> => openInside(chromium, world, path, person);

describe('in a browser', () => {
  test('a password is changed, and other sessions end', async () => {
    const person = await addPerson(world);
    const [tab, other] = [await inside(person, '/settings/password'), await inside(person, '/settings/profile')];
    await send(
      tab,
      fill('current_password', person.password) + fill('new_password', NEXT) + fill('new_password_again', NEXT),
    );
    assert.match(await tab.look('document.querySelector("[role=status]").textContent'), /Password changed/);
    await other.open(`${world.service.url}/settings/profile`);
    assert.equal(await pathOf(other), '/login');
    await tab.close();
    await other.close();
  });

  test('a link from an operator sets a password', async () => {
    const person = await addPerson(world);
    const words = ['user', 'password', person.name, '--link', '--public-base-url', 'https://ads.test'];
    const { link } = toldBy(await barker([...words, ...flagsOf(world.place)]));
    recordSecret('password link', link!.split('token=')[1]);
    const tab = await chromium.tab();
    await tab.open(link!.replace('https://ads.test', world.service.url));
    await send(tab, fill('new_password', NEXT) + fill('new_password_again', NEXT));
    await send(tab, fill('username_or_email', person.name) + fill('password', NEXT));
    assert.equal(await headingOf(tab), 'Accounts');
    await tab.close();
  });

  test('two-step login is turned on with the key on the page, and then required', async () => {
    const person = await addPerson(world);
    const tab = await inside(person, '/settings/security?setup=yes');
    const key: string = await tab.look('document.querySelector("dl.secrets code").textContent');
    recordSecret('secret of one-time codes', key);
    const codeIn = (steps: number) => {
      const { secret } = new TOTP({ secret: key.replaceAll('-', '') });
      return TOTP.generate({ secret, timestamp: world.clock.now() + steps * 30_000 });
    };
    await send(tab, fill('code', codeIn(0)));
    assert.equal(await headingOf(tab), 'Your recovery codes');
    const again = await inside(person, '/login');
    // The login above stopped at the code: it is typed on the page that comes after the password.
    await send(again, credentialsOf(person));
    assert.equal(await headingOf(again), 'Enter your code');
    assert.equal(await focusedId(again), 'code');
    await again.type(codeIn(1));
    await send(again);
    assert.equal(await headingOf(again), 'Accounts');
    await tab.close();
    await again.close();
  });

  test('sessions are listed and ended; a login that is not recent is confirmed first', async () => {
    const person = await addPerson(world);
    const [tab, other] = [await inside(person, '/settings/sessions'), await inside(person, '/settings/profile')];
    await tab.open(`${world.service.url}/settings/sessions`);
    assert.match(
      await tab.look('document.querySelector(".entries h2").textContent'),
      /^Chrome on Linux *This browser$/,
    );
    world.clock.advance(600);
    await send(tab);
    assert.equal(await headingOf(tab), 'Confirm that it is you');
    await send(tab, fill('password', person.password));
    assert.match(await tab.look('document.querySelector("[role=status]").textContent'), /has been logged out/);
    await other.open(`${world.service.url}/settings/profile`);
    assert.equal(await pathOf(other), '/login');
    await tab.close();
    await other.close();
  });
});

/** Somebody who has just turned on two-step login, at the page that tells the recovery codes. */
async function twoStep(): Promise<{ readonly tab: Tab; readonly person: Person }> {
  const person = await addPerson(world);
  const tab = await inside(person, '/settings/security?setup=yes');
  const key: string = await tab.look('document.querySelector("dl.secrets code").textContent');
  const { secret } = new TOTP({ secret: key.replaceAll('-', '') });
  await send(tab, fill('code', TOTP.generate({ secret, timestamp: world.clock.now() })));
  return { tab, person };
}

const at = (path: string): Promise<Tab> => openAt(chromium, world, path);

/** Every page about passwords and sessions, and how one gets there. */
const PAGES: readonly (readonly [name: string, open: () => Promise<Tab>])[] = [
  ['password', () => inside(ada, '/settings/password?changed=yes')],
  [
    'password with everything wrong',
    async () => {
      const tab = await inside(ada, '/settings/password');
      await send(tab, `${fill('new_password', 'x')} [...document.forms].at(-1).noValidate = true;`);
      return tab;
    },
  ],
  [
    'setting a password by a link',
    async () => {
      const { store } = world.service;
      const person = await addPerson(world);
      const now = '2026-03-02T17:04:55Z';
      const secret = await store.write((tx) => addPasswordLink(tx, person.id, { random: secureRandom, now }));
      return at(`/login/reset?token=${secret}`);
    },
  ],
  [
    'sessions',
    async () => {
      const person = await addPerson(world);
      await inside(person, '/login');
      return inside(person, '/settings/sessions?ended=yes');
    },
  ],
  ['two-step login, off', async () => inside(await addPerson(world), '/settings/security')],
  ['two-step login, setting up', async () => inside(await addPerson(world), '/settings/security?setup=yes')],
  ['recovery codes', async () => (await twoStep()).tab],
  [
    'two-step login, on, turned off in vain',
    async () => {
      const { tab } = await twoStep();
      await tab.open(`${world.service.url}/settings/security`);
      await send(tab, fill('password', 'wrong') + fill('code', '123456'));
      return tab;
    },
  ],
  [
    'code after the password',
    async () => {
      const { person } = await twoStep();
      const token = await addRequestToken(world, await addApplication(world));
      const tab = await at(`/oauth/authorize?oauth_token=${token}`);
      const typed = credentialsOf(person);
      await tab.leave(`${typed} document.getElementById('allow').click()`);
      await send(tab, fill('code', '123456'));
      return tab;
    },
  ],
  [
    'confirming a login',
    async () => {
      const { tab } = await twoStep();
      world.clock.advance(600);
      await tab.open(`${world.service.url}/settings/sessions`);
      return tab;
    },
  ],
];

describe('every page is fit for everybody', () => {
  for (const [name, open] of PAGES) {
    test(name, async () => {
      const tab = await open();
      await checkFit(tab, name);
      await tab.close();
    });
  }
});
