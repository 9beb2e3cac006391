import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { issueToken } from '../../src/platform/register.ts';
import { addApplication, addPerson, addRequestToken, type Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { openWorld, type World } from '../rig/world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

const fill = (id: string, value: string): string =>
  `document.getElementById('${id}').value = ${JSON.stringify(value)};`;

/** A tab at a page of the service. */
async function at(path: string): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.open(world.service.url + path);
  return tab;
}

/** A tab at a page, as somebody who is logged in sees it. */
async function inside(path: string, person = ada): Promise<Tab> {
  const tab = await at('/login');
  await send(tab, fill('username_or_email', person.name) + fill('password', person.password));
  await tab.open(world.service.url + path);
  return tab;
}

/** Does something to the last form of a page, and sends it. */
const send = (tab: Tab, filling = ''): Promise<void> =>
  tab.leave(`${filling} [...document.forms].at(-1).querySelector('button').click()`);

/** The path of the page on which an application asks. */
async function asking(callback: string): Promise<string> {
  const application = await addApplication(world, {
    callbacks: JSON.stringify([callback]),
    description: 'Makes reports of what you spent.',
    organization_name: 'Reports Ltd',
    organization_url: 'https://reports.test/',
    website_url: 'https://reports.test/about',
    terms_url: 'https://reports.test/terms',
    privacy_url: 'https://reports.test/privacy',
  });
  return `/oauth/authorize?oauth_token=${await addRequestToken(world, application, { callback })}`;
}

/** An application of somebody, with tokens of others, one of them at another level. */
async function owned(owner: Person): Promise<string> {
  const { store, box, random } = world.service;
  const { id } = await addApplication(world, { owner_user_id: owner.id, callbacks: '["http://localhost:1/cb"]' });
  for (const level of ['read', 'read-write'] as const) {
    const { id: user } = await addPerson(world);
    const now = '2026-02-03T04:05:06Z';
    await store.write((tx) => issueToken({ tx, box, random, now }, { application: id, user, level }));
  }
  return `/developer/apps/${id}`;
}

const credentials = (): string => fill('username_or_email', ada.name) + fill('password', ada.password);
const APPLICATION = fill('website_url', 'https://reports.test/') + fill('callbacks', 'https://reports.test/back');

/** Every page, and how one gets there. */
const PAGES: readonly (readonly [name: string, open: () => Promise<Tab>])[] = [
  ['login', () => at('/login')],
  ['account', () => inside('/login')],
  ['login and consent', async () => at(await asking('https://client.test/'))],
  ['consent of somebody who is logged in', async () => inside(await asking('https://client.test/'))],
  ['error', () => at('/oauth/authorize')],
  ['page that does not exist', () => inside('/developer/apps/999999')],
  [
    'wrong password',
    async () => {
      const tab = await at(await asking('oob'));
      await tab.leave(
        `${fill('username_or_email', ada.name)}${fill('password', 'wrong')} document.getElementById('allow').click()`,
      );
      return tab;
    },
  ],
  [
    'PIN',
    async () => {
      const tab = await at(await asking('oob'));
      await tab.leave(`${credentials()} document.getElementById('allow').click()`);
      return tab;
    },
  ],
  [
    'denied',
    async () => {
      const tab = await at(await asking('oob'));
      await tab.leave(`document.getElementById('cancel').click()`);
      return tab;
    },
  ],
  ['profile', async () => inside('/settings/profile?saved=yes', await addPerson(world))],
  ['connected apps, none', async () => inside('/settings/connected_apps', await addPerson(world))],
  [
    'connected apps',
    async () => {
      const person = await addPerson(world);
      const { store, box, random } = world.service;
      for (const suspended of [0, 1] as const) {
        const { id } = await addApplication(world, { suspended, organization_name: 'Reports Ltd' });
        const token = { application: id, user: person.id, level: 'read-write' } as const;
        await store.write((tx) => issueToken({ tx, box, random, now: '2026-02-03T04:05:06Z' }, token));
      }
      return inside('/settings/connected_apps?withdrawn=yes', person);
    },
  ],
  [
    'notifications',
    async () => {
      const person = await addPerson(world);
      const told = { environment: 'sandbox', kind: 'draft_preview', account_id: 'g1', subject_id: '7' } as const;
      const created_at = '2026-02-03T04:05:06Z';
      await world.service.store.write((tx) =>
        tx.notifications.add({ id: '1', user_id: person.id, created_at, ...told }),
      );
      return inside('/notifications', person);
    },
  ],
  ['applications, none', async () => inside('/developer/apps', await addPerson(world))],
  [
    'applications',
    async () => {
      const person = await addPerson(world);
      await owned(person);
      await owned(person);
      return inside('/developer/apps', person);
    },
  ],
  ['registering an application', () => inside('/developer/apps/new')],
  [
    'registering with everything wrong',
    async () => {
      const tab = await inside('/developer/apps/new');
      const wrong = fill('callbacks', 'ftp://x.test/\nhttp://x.test/') + fill('terms_url', 'x');
      await send(
        tab,
        `${wrong} [...document.forms].at(-1).noValidate = true; document.getElementById('email_access').checked = true;`,
      );
      return tab;
    },
  ],
  [
    'keys of a new application',
    async () => {
      const tab = await inside('/developer/apps/new');
      await send(tab, fill('name', `Application ${Math.random()}`) + APPLICATION);
      return tab;
    },
  ],
  ['application', async () => inside(`${await owned(ada)}?saved=yes&callback=https://x.test/`)],
  ['question before new keys', async () => inside(`${await owned(ada)}/keys`)],
  [
    'token told once',
    async () => {
      const tab = await inside(`${await owned(ada)}/own_token`);
      await send(tab);
      return tab;
    },
  ],
];

// Scripts of users look for this very element, so it stays as it is; the name it gives is what is read aloud.
const KEPT = 'aria-prohibited-attr: <kbd aria-labelledby="code-desc">';

const HEIGHTS = `[...document.querySelectorAll('button, label.choice, textarea, input:not([type=hidden], [type=radio], [type=checkbox])')]
  .filter((element) => element.offsetParent !== null).map((element) => element.offsetHeight)`;

describe('every page is fit for everybody', () => {
  for (const [name, open] of PAGES) {
    test(name, async () => {
      const tab = await open();
      assert.equal(await tab.look('document.documentElement.lang'), 'en');
      assert.equal(await tab.look('document.querySelectorAll("h1").length'), 1);
      assert.equal(await tab.look('document.title === document.querySelector("h1").textContent'), true);
      // What is folded away must be right too.
      await tab.look('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
      await tab.look(AXE);
      for (const scheme of ['light', 'dark']) {
        const features = [{ name: 'prefers-color-scheme', value: scheme }];
        await tab.send('Emulation.setEmulatedMedia', { features });
        for (const width of [320, 390, 1280]) {
          const size = { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 };
          await tab.send('Emulation.setDeviceMetricsOverride', size);
          assert.ok((await tab.look('document.documentElement.scrollWidth')) <= width, `wider than ${width}`);
          for (const height of await tab.look(HEIGHTS)) assert.ok(height >= 44, `${height} high at ${width}`);
        }
        const found = await tab.look(`axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then(
          ({ passes, violations, incomplete }) => ({
            passes: passes.length,
            wrong: [...violations, ...incomplete].flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html + ' ' + any.map(({ message }) => message))),
          }))`);
        assert.ok(found.passes > 10, 'the rules were applied');
        const wrong = (found.wrong as string[]).filter((each) => !each.startsWith(KEPT));
        assert.deepEqual(wrong, [], scheme);
      }
      const { nodes } = await tab.send('Accessibility.getFullAXTree');
      const roles = ['button', 'textbox', 'link', 'heading', 'checkbox', 'radio'];
      for (const node of nodes as { role: { value: string }; name?: { value: string } }[]) {
        if (roles.includes(node.role.value)) assert.notEqual(node.name?.value ?? '', '', node.role.value);
      }
      const complaints = tab.log
        .filter(({ method }) => method === 'Log.entryAdded')
        .map(({ params }) => params.entry.text);
      assert.deepEqual(
        complaints.filter((text) => /Content Security Policy|Refused/.test(text)),
        [],
      );
      await tab.close();
    });
  }
});
