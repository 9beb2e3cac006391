// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PROBLEM_PAGES, problemPath } from '../../src/contract/problems/problem-details.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import type { DeliveryTry, WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import { issueToken } from '../../src/features/platform/registration.ts';
import { addApplication, addPerson, addRequestToken, type Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { ownerOf } from '../rig/demo.ts';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { credentialsOf, fill, openAt, openInside, send } from '../rig/pages-in-chromium.ts';
import { isFull, sampled } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';

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

const opened = new Set<string>();
const at = (path: string): Promise<Tab> => openAt(chromium, world, noted(path));
const inside = (path: string, person = ada): Promise<Tab> => openInside(chromium, world, noted(path), person);

function noted(path: string): string {
  opened.add(path.replace(/\?.*/, '').replace(/\/\d+(?=\/|$)/, '/:id'));
  return path;
}

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

/** The page of webhooks of an application: one that is valid with deliveries in every state, one that is not, one that fails. */
async function hooked(): Promise<{ readonly path: string; readonly ids: readonly string[] }> {
  const { store, box } = world.service;
  const { id: application_id } = await addApplication(world, { owner_user_id: ada.id });
  const at = '2026-03-02T17:00:00Z';
  const number = Number(application_id) * 10;
  const ids = [0, 1, 2].map((index) => String(1_800_000_000_000_000_000n + BigInt(number + index)));
  const standing = [
    { url: 'https://hooks.example.test/in', valid: 1, failure: null },
    { url: `https://hooks.example.test/${'very-long-path/'.repeat(9)}in?team=a`, valid: 0, failure: 'Status 410' },
    { url: 'https://other.example.test/', valid: 1, failure: 'No answer within 10 seconds' },
  ] as const;
  const webhooks = standing.map((each, index) => ({
    ...each,
    id: ids[index]!,
    application_id,
    url_form: each.url,
    created_at: at,
    validated_at: at,
    failing_since: each.valid && each.failure ? at : null,
    secret: box.seal('whsec_AAAA', secretContext.webhook(ids[index]!)),
    former_secret: null,
    former_until: null,
  }));
  const tries = (...each: Omit<DeliveryTry, 'at' | 'duration_ms'>[]) =>
    each.map((one) => ({ at, duration_ms: 12, ...one }));
  const refused = { reason: 'connection refused' };
  const states: readonly Pick<WebhookDelivery, 'event_type' | 'state' | 'tries' | 'next_at'>[] = [
    { event_type: 'profile.update.screenname', state: 'pending', tries: [], next_at: '2027-03-02T17:00:00Z' },
    {
      event_type: 'dm.indicate_typing',
      state: 'pending',
      tries: tries({ status: 500 }, { reason: 'connect timeout' }),
      next_at: '2027-03-02T17:00:27Z',
    },
    { event_type: 'dm.received', state: 'delivered', tries: tries({ status: 503 }, { status: 204 }), next_at: null },
    { event_type: 'spaces.start', state: 'failed', tries: tries(refused, refused, refused, refused), next_at: null },
  ];
  const deliveries = [ids[0]!, ids[1]!].flatMap((webhook_id, nth) =>
    states.slice(nth * 3).map((each, index) => ({
      ...each,
      webhook_id,
      message_id: `msg_73${String(number + index).padStart(17, '0')}_1600000000000000001`,
      position: number + index,
      subscription_id: '1600000000000000001',
      body: '{}',
      tries_before: 0,
      created_at: at,
    })),
  );
  await store.write(async (tx) => {
    for (const webhook of webhooks) await tx.webhooks.add(webhook, 0);
    await tx.webhookDeliveries.putAll(deliveries);
  });
  return { path: `/developer/apps/${application_id}/webhooks`, ids };
}

/** Calls with the application of the demo, some of them wrong; its id. */
async function callOften(): Promise<string> {
  for (const query of ['', '?count=0', '?cursor=x']) await world.production.call('GET', `/12/accounts${query}`);
  const application = await world.service.store.read((tx) =>
    tx.credentials.findApplicationByKey(world.keys.consumer_key),
  );
  return application!.id;
}

/** An application with a stream that is open, and one that has ended. */
async function streamed(): Promise<string> {
  const { id: application_id } = await addApplication(world, { owner_user_id: ada.id });
  const stream = { application_id, node: null, endpoint_name: 'activity_stream', client_ip: '192.0.2.7' } as const;
  const connected_at = '2026-03-02T17:00:00.000Z';
  const open = { ...stream, connected_at, disconnected_at: null, disconnect_reason: null };
  await world.service.store.write(async (tx) => {
    await tx.streamConnections.add({ ...open, id: crypto.randomUUID() });
    const ended = crypto.randomUUID();
    await tx.streamConnections.add({ ...open, id: ended });
    await tx.streamConnections.end(ended, 'ForceDisconnect', '2026-03-02T17:04:00.000Z');
  });
  return application_id;
}

/** Sends one of the forms of a page: the one with a button of this text, the first of them. */
const press = (tab: Tab, button: string): Promise<void> =>
  tab.leave(
    `[...document.querySelectorAll('button')].find((each) => each.textContent === ${JSON.stringify(button)}).click()`,
  );

const APPLICATION = fill('website_url', 'https://reports.test/') + fill('callbacks', 'https://reports.test/back');

/** Pages of the service that are looked at elsewhere, or are the same as another. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '/oauth/authenticate': 'the same as /oauth/authorize',
  '/logout': 'the same as /login',
  '/login/reset': 'people-pages.wider.ts',
  '/settings/password': 'people-pages.wider.ts',
  '/settings/security': 'people-pages.wider.ts',
  '/settings/sessions': 'people-pages.wider.ts',
  '/ads': 'console-pages.wider.ts',
  '/ads/:account_id': 'console-pages.wider.ts',
  '/ads/:account_id/audiences/combine': 'console-pages.wider.ts',
  '/ads/:account_id/keywords': 'console-pages.wider.ts',
  '/ads/:account_id/campaigns': 'console-pages.wider.ts',
  '/ads/:account_id/campaigns/new': 'console-pages.wider.ts',
  '/ads/:account_id/campaigns/:campaign_id': 'console-pages.wider.ts',
  '/ads/:account_id/campaigns/:campaign_id/review': 'console-pages.wider.ts',
  '/ads/:account_id/line_items': 'console-pages.wider.ts',
  '/ads/:account_id/line_items/new': 'console-pages.wider.ts',
  '/ads/:account_id/line_items/:line_item_id': 'console-pages.wider.ts',
  '/ads/:account_id/audiences': 'console-pages.wider.ts',
  '/ads/:account_id/audiences/:audience_id': 'console-pages.wider.ts',
  '/ads/:account_id/results': 'console-pages.wider.ts',
  '/ads/:account_id/creatives': 'console-pages.wider.ts',
  '/ads-manager/post-preview/index.html': 'post-previews.wider.ts',
};

/** Every page, and how one gets there. */
const PAGES: readonly (readonly [name: string, open: () => Promise<Tab>])[] = [
  ['home', () => at('/')],
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
      await tab.leave(`${credentialsOf(ada)} document.getElementById('allow').click()`);
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
  [
    'profile with everything wrong',
    async () => {
      const tab = await inside('/settings/profile');
      const wrong = `${fill('name', '')}${fill('screen_name', 'a b')}${fill('description', 'x'.repeat(500))}${fill('url', 'ftp://x')}`;
      await send(tab, `${wrong} [...document.forms].at(-1).noValidate = true;`);
      return tab;
    },
  ],
  [
    'a form that came too late',
    async () => {
      const person = await addPerson(world);
      const tab = await inside('/settings/profile', person);
      await world.service.store.write((tx) => tx.sessions.removeOf(person.id));
      noted('/login/unsent');
      await send(tab);
      await send(tab, credentialsOf(person));
      return tab;
    },
  ],
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
  ['developer overview, no application', async () => inside('/developer', await addPerson(world))],
  [
    'developer overview',
    async () => {
      await callOften();
      return inside('/developer', ownerOf(world));
    },
  ],
  ['calls and limits', async () => inside(`/developer/apps/${await callOften()}/calls`, ownerOf(world))],
  ['calls and limits, none', async () => inside(`${await owned(ada)}/calls`)],
  ['streams', async () => inside(`/developer/apps/${await streamed()}/streams?closed=yes`)],
  ['workbench', () => inside('/developer/workbench')],
  [
    'a call that was tried',
    async () => {
      const tab = await inside('/developer/workbench?operation=accounts.list');
      await send(tab, fill('p_count', '0'));
      return tab;
    },
  ],
  [
    'a call that cannot be made',
    async () => {
      const tab = await inside('/developer/workbench?operation=audience_estimate.create');
      await send(tab, `${fill('body', '{')} [...document.forms].at(-1).noValidate = true;`);
      return tab;
    },
  ],
  ['publishers, none', async () => inside('/developer/publishers', await addPerson(world))],
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
  ['question before a bearer token', async () => inside(`${await owned(ada)}/bearer`)],
  ['question before a bearer token is revoked', async () => inside(`${await owned(ada)}/bearer/revoke`)],
  [
    'token told once',
    async () => {
      const tab = await inside(`${await owned(ada)}/own_token`);
      await send(tab);
      return tab;
    },
  ],
  ['webhooks, none', async () => inside(`${await owned(ada)}/webhooks`)],
  ['webhooks', async () => inside(`${(await hooked()).path}?sent=again`)],
  [
    'webhook that was validated in vain',
    async () => {
      const tab = await inside((await hooked()).path);
      // Names of this domain lead nowhere.
      await press(tab, 'Validate');
      const [told] = await tab.look('[...document.querySelectorAll("[role=alert]")].map((each) => each.textContent)');
      assert.match(told, /^Still valid, but it did not answer this challenge: The host cannot be reached; /);
      // What came of it stands where the browser looks.
      assert.match(await tab.look('location.hash'), /^#webhook-\d+$/);
      return tab;
    },
  ],
  [
    'secret of a webhook, told once',
    async () => {
      const tab = await inside((await hooked()).path);
      await press(tab, 'Generate a new secret');
      return tab;
    },
  ],
  ['names of event types', () => at('/docs/activity')],
  ...Object.keys(PROBLEM_PAGES).map((slug) => [`problem ${slug}`, () => at(problemPath(slug))] as const),
];

/** The pages that this run looks at: all problems have one template. */
const looked = sampled(
  PAGES,
  ([name]) => (name.startsWith('problem ') ? 'problem' : 'page'),
  ([name]) => name,
  0.25,
);

// Pages wait for the browser, and the browser for pages: some are looked at beside each other.
describe('every page is accessible', { concurrency: 4 }, () => {
  for (const [name, open] of looked) {
    test(name, async () => {
      const tab = await open();
      await checkFit(tab, name);
      await tab.close();
    });
  }
});

if (isFull) {
  test('no page of the service is left out', () => {
    const left = world.service.pages.map(({ path }) => path).filter((path) => !opened.has(path) && !ELSEWHERE[path]);
    assert.deepEqual(left, []);
  });
}
