// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { addPerson, type Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab, type Told } from '../rig/chromium.ts';
import { type CuttableProxy, openCuttableProxy } from '../rig/cuttable-proxy.ts';
import { type Hands, mouseHands, placeOf } from '../rig/hands.ts';
import { openInside, says as pageSays } from '../rig/pages-in-chromium.ts';
import { openWorld, type World } from '../rig/world.ts';

/** Between two clicks of somebody who is impatient. */
const CLICK_MS = 150;

let world: World;
let chromium: Chromium;
let proxy: CuttableProxy;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'off' } });
  chromium = await startChromium();
  proxy = await openCuttableProxy(world.service.url);
});
after(async () => {
  await chromium?.close();
  await proxy?.close();
  await world?.close();
});

/** Clicks three times on what leads to another page, before the first reply is there; notes how many forms are sent. */
function impatientHands(tab: Tab, posts: number[]): Hands {
  return {
    ...mouseHands(tab),
    async follow(text) {
      const place = await placeOf(tab, `each.textContent.trim() === ${JSON.stringify(text)}`, text);
      tab.forget();
      const at = { ...place, button: 'left', clickCount: 1 };
      const clicks: Promise<unknown>[] = [];
      for (let click = 0; click < 3; click++) {
        // The browser acknowledges them when the next page is there.
        for (const type of ['mousePressed', 'mouseReleased']) {
          clicks.push(tab.send('Input.dispatchMouseEvent', { ...at, type }));
        }
        await wait(CLICK_MS);
      }
      await tab.told(({ method }) => method === 'Page.loadEventFired');
      await Promise.all(clicks);
      const isPost = ({ method, params }: Told): boolean =>
        method === 'Network.requestWillBeSent' && params.request.method === 'POST';
      posts.push(tab.log.filter(isPost).length);
    },
  };
}

/** A tab of a service that is a second away, back and forth. */
async function distantTab(path: string, person: Person, hasScripts: boolean): Promise<Tab> {
  const distant = { ...world, service: { ...world.service, url: new URL(proxy.url).origin } };
  const tab = await openInside(chromium, distant, path, person);
  await tab.send('Emulation.setScriptExecutionDisabled', { value: !hasScripts });
  proxy.slow(500);
  return tab;
}

/** How many rows of each kind a person has made. */
async function countsOf({ id }: Person): Promise<Record<string, number>> {
  const accounts = `account_id in (select account_id from account_users where user_id = '${id}')`;
  const kinds = [
    'account_users',
    'funding_instruments',
    'campaigns',
    'line_items',
    'custom_audiences',
    'promoted_posts',
  ];
  const counts = [...kinds.map((kind) => [kind, accounts]), ['posts', `user_id = '${id}'`]];
  const sql = counts.map(([kind, which]) => `(select count(*) from ${kind} where ${which}) as ${kind}`).join(', ');
  const [found] = await world.service.driver.read((session) => session.allRaw<Record<string, number>>(`select ${sql}`));
  return Object.fromEntries(Object.entries(found!).map(([kind, count]) => [kind, Number(count)]));
}

describe('three clicks on each button that creates something, with a second of latency', () => {
  for (const [means, hasScripts] of [
    ['with scripts', true],
    ['without scripts', false],
  ] as const) {
    test(`create one, ${means}`, async () => {
      const person = await addPerson(world);
      const tab = await distantTab('/ads', person, hasScripts);
      const posts: number[] = [];
      const hands = impatientHands(tab, posts);

      const says = (text: RegExp): Promise<void> => pageSays(tab, text);
      const { follow, write } = hands;

      await follow('Create a sandbox account');
      await follow('Campaigns');
      await follow('Create a campaign');
      await follow('Add a test card in US dollars');
      await write('name', 'Spring');
      await write('daily_budget_amount_local_micro', '20');
      await follow('Create the draft');
      await says(/\$20\.00 a day/);
      await follow('Add a line item');
      await follow('Engagements: likes, replies and clicks');
      await write('name', 'Readers');
      await follow('Create the draft');
      await says(/Readers/);
      await follow('Audiences');
      await write('name', 'Subscribers');
      await follow('Create an audience');
      await says(/Subscribers/);
      await follow('Creatives');
      await write('text', 'Rye, still warm.');
      await follow('Create the post');
      await says(/Rye, still warm/);
      await follow('Line items');
      await follow('Readers');
      await follow('Show this post');

      assert.deepEqual(await countsOf(person), {
        ...{ account_users: 1, funding_instruments: 1, campaigns: 1, line_items: 1, custom_audiences: 1, posts: 1 },
        promoted_posts: 1,
      });
      // A script sends the first click alone; without one, the server takes each form once.
      assert.ok(
        posts.every((count) => (hasScripts ? count <= 1 : count !== 1)),
        posts.join(' '),
      );
      proxy.slow(0);
      await tab.close();
    });
  }
});
