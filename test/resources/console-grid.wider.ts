// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { ownerOf } from '../rig/demo.ts';
import { openInside, says as pageSays, textOf } from '../rig/pages-in-chromium.ts';
import { until } from '../rig/patience.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const LINES = 10_000;
const LINES_A_CAMPAIGN = 100;
const nameOf = (number: number): string => `Line ${String(number).padStart(5, '0')}`;

let world: World;
let chromium: Chromium;
let ada: Person;
let path: string;
let page: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = ownerOf(world);
  const opened = await openAccount(world.sandbox);
  path = opened.path;
  page = `/ads/${opened.account}/line_items`;
  for (let first = 0; first < LINES; first += LINES_A_CAMPAIGN) await addCampaign(first, opened.instrument);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

/** A campaign, and as many line items as it can have, from a number on. */
async function addCampaign(first: number, instrument: string): Promise<void> {
  const params = {
    name: `From ${first}`,
    funding_instrument_id: instrument,
    daily_budget_amount_local_micro: 50_000_000,
  };
  const { body } = await world.sandbox.call('POST', `${path}/campaigns`, { params });
  const line = (number: number) => ({
    operation_type: 'Create',
    params: {
      ...{ campaign_id: body.data.id, name: nameOf(number), objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
      ...{ placements: 'ALL_ON_SERVICE', bid_strategy: 'MAX', bid_amount_local_micro: 1_500_000 },
      ...{ entity_status: 'PAUSED' },
    },
  });
  for (let from = first; from < first + LINES_A_CAMPAIGN; from += 25) {
    const json = Array.from({ length: 25 }, (_, at) => line(from + at));
    const made = await world.sandbox.call('POST', `/12/batch${path.slice(3)}/line_items`, { json });
    assert.equal(made.status, 200, made.text);
  }
}

let tab: Tab;
beforeEach(async () => {
  tab = await openInside(chromium, world, `${page}?sort=name-asc`, ada);
  await tab.look("document.querySelectorAll('.columns, .grid').length");
});
afterEach(async () => {
  const refusals = tab.log.filter(
    ({ method, params }) => method === 'Log.entryAdded' && params.entry.source === 'security',
  );
  assert.deepEqual(refusals, []);
  await tab.close();
});

const says = (text: RegExp): Promise<void> => pageSays(tab, text);
/** The element of a button by its label. */
const button = (label: string): string => `document.querySelector(${JSON.stringify(`[aria-label^="${label}"]`)})`;
const press = (label: string): Promise<void> => tab.look(`${button(label)}.click()`);
const undo = (): Promise<void> => tab.look("document.querySelector('.toast button').click()");
const scrollTo = (top: string): Promise<void> =>
  tab.look(`(() => { const box = document.querySelector('.window'); box.scrollTop = ${top}; })()`);
/** Scrolls to the end, and again as rows are loaded, until a name is shown. */
const scrolledTo = (name: string): Promise<void> =>
  until(`${name} is shown`, async () => {
    if ((await textOf(tab)).includes(name)) return true;
    await scrollTo('box.scrollHeight');
    return false;
  });
/** What is stored of a line item. */
const stored = async (name: string) => {
  const { body } = await world.sandbox.call('GET', `${path}/line_items`, { params: { q: name } });
  return body.data[0];
};
/** Scrolls by ten rows a frame, a hundred times; the five longest frames. */
const FRAMES = `(async () => {
  const box = document.querySelector('.window');
  const times = [];
  let last = performance.now();
  for (let frame = 0; frame < 100; frame++) {
    box.scrollTop += 520;
    await new Promise(requestAnimationFrame);
    times.push(Math.round(performance.now() - last));
    last = performance.now();
  }
  return times.sort((a, b) => b - a).slice(0, 5).join(' ');
})()`;
const enter = async (label: string, text: string): Promise<void> => {
  await press(label);
  await until('a box is open', () => tab.look("document.activeElement.matches('.window input')"));
  await tab.type(text);
  await tab.press('Enter');
};

describe('ten thousand line items', () => {
  test('are scrolled through, with few in the document at once', async (context) => {
    await says(/10,000 line items/);
    const paint = await tab.look("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    context.diagnostic(`first paint after ${Math.round(paint)} ms`);
    context.diagnostic(`milliseconds of 100 frames of scrolling, the longest first: ${await tab.look(FRAMES)}`);
    await scrolledTo(nameOf(LINES - 1));
    await says(new RegExp(nameOf(LINES - 1)));
    assert.ok((await tab.look("document.querySelectorAll('.window tbody tr').length")) < 100);
    assert.equal(await tab.look("document.querySelector('.window table').getAttribute('aria-rowcount')"), '10001');
    assert.equal(
      await tab.look(
        "[...document.querySelectorAll('.window tbody tr:not(.gap)')].at(-1).getAttribute('aria-rowindex')",
      ),
      '10001',
    );
  });

  test('are sorted by the server, and the address keeps the order', async () => {
    await says(new RegExp(nameOf(0)));
    await tab.look("document.querySelector('.window thead button').click()");
    await says(new RegExp(nameOf(LINES - 1)));
    assert.match(await tab.look('location.search'), /sort=name-desc/);
    assert.equal(
      await tab.look("document.querySelector('.window th[aria-sort]').getAttribute('aria-sort')"),
      'descending',
    );
  });

  test('of one state are counted, sorted and scrolled through among themselves', async () => {
    await tab.open(`${world.service.url}${page}?state=RUNNING`);
    await says(/No matches/);
    await tab.open(`${world.service.url}${page}?sort=name-asc&state=PAUSED`);
    await says(/10,000 line items/);
    await tab.look("document.querySelector('.window thead button').click()");
    await says(new RegExp(nameOf(LINES - 1)));
    await scrolledTo(nameOf(0));
    await says(new RegExp(nameOf(0)));
  });

  test('have the columns that were chosen when one comes back', async () => {
    const heads = (): Promise<string> => tab.look("document.querySelector('.window thead').textContent");
    await until('the grid is there', () => tab.look("document.querySelector('.columns') !== null"));
    assert.match(await heads(), /Objective/);
    await tab.look("document.querySelectorAll('.columns input')[1].click()");
    await until('the column is hidden', async () => !/Objective/.test(await heads()));
    await tab.open(world.service.url + page);
    await until('the grid is there again', () => tab.look("document.querySelector('.columns') !== null"));
    assert.doesNotMatch(await heads(), /Objective/);
    await tab.look("document.querySelectorAll('.columns input')[1].click()");
    await until('the column is back', async () => /Objective/.test(await heads()));
  });

  test('are switched on, and off again by undo', async () => {
    await says(new RegExp(nameOf(3)));
    await press(`Activate ${nameOf(3)}`);
    await says(/Line 00003 is active/);
    assert.equal((await stored(nameOf(3))).entity_status, 'ACTIVE');
    await undo();
    await says(/Line 00003 is paused/);
    assert.equal((await stored(nameOf(3))).entity_status, 'PAUSED');
  });

  test('are edited in the currency; what is refused is said in the cell, and stays in the box', async (context) => {
    await says(new RegExp(nameOf(4)));
    await enter(`Bid of ${nameOf(4)}`, 'lots');
    await says(/This is not an amount in USD, such as 1,250.50/);
    assert.equal(await tab.look('document.activeElement.value'), 'lots');
    await tab.look('document.activeElement.select()');
    await tab.type('2,250.5');
    await tab.press('Enter');
    await says(/The budget of the campaign is \$50.00: this is more/);
    await tab.look("document.querySelector('.window .doubt button').click()");
    const began = performance.now();
    await says(/Bid of Line 00004 is saved/);
    context.diagnostic(`an edit is confirmed after ${Math.round(performance.now() - began)} ms`);
    assert.equal((await stored(nameOf(4))).bid_amount_local_micro, 2_250_500_000);
    await undo();
    await until('it is as before', async () => (await stored(nameOf(4))).bid_amount_local_micro === 1_500_000);
    await enter(`Bid of ${nameOf(4)}`, '0');
    await until('the service refuses it', () => tab.look("document.querySelector('.window .fault') !== null"));
    assert.match(await tab.look("document.querySelector('.window .fault').innerText"), /^Bid/);
    assert.equal((await stored(nameOf(4))).bid_amount_local_micro, 1_500_000);
  });

  test('are saved by Tab and by a click elsewhere, asked about when the campaign cannot spend so much, and left by nobody unwarned', async () => {
    await says(new RegExp(nameOf(7)));
    const label = `Bid of ${nameOf(7)}`;
    const write = async (text: string): Promise<void> => {
      await press(label);
      await until('a box is open', () => tab.look("document.activeElement.matches('.window input')"));
      await tab.type(text);
    };
    const isWarned = (): Promise<boolean> =>
      tab.look("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    await write('2');
    assert.equal(await isWarned(), true);
    await tab.press('Tab');
    await says(/Bid of Line 00007 is saved/);
    assert.equal((await stored(nameOf(7))).bid_amount_local_micro, 2_000_000);
    assert.equal(await isWarned(), false);
    // What nobody has typed over follows an undo.
    await press(label);
    await until('a box is open', () => tab.look("document.activeElement.matches('.window input')"));
    await tab.look("document.querySelector('.toast button').click()");
    await until('the box shows what is stored', async () =>
      /^1\.5$/.test(await tab.look("document.querySelector('.window td input:not([type=checkbox])')?.value ?? ''")),
    );
    await tab.press('Escape');
    await write('2,000');
    await tab.look("document.querySelector('.window').focus()");
    await says(/The budget of the campaign is \$50.00: this is more/);
    assert.equal((await stored(nameOf(7))).bid_amount_local_micro, 1_500_000);
    assert.equal(await isWarned(), true);
    await tab.look("[...document.querySelectorAll('.window .doubt button')].at(-1).click()");
    await until('it is kept', () => tab.look("document.querySelector('.window .doubt') === null"));
    assert.equal((await stored(nameOf(7))).bid_amount_local_micro, 1_500_000);
    await write('20');
    await tab.press('Enter');
    await says(/This is 13 times what it was, \$1.50/);
    await tab.press('Escape');
  });

  test('that somebody else has changed meanwhile are not overwritten', async () => {
    await says(new RegExp(nameOf(5)));
    const { id } = await stored(nameOf(5));
    const params = { bid_amount_local_micro: 7_000_000 };
    await world.sandbox.call('PUT', `${path}/line_items/${id}`, { params });
    await enter(`Bid of ${nameOf(5)}`, '9');
    await says(/Somebody else has changed this to \$7.00 in the meantime/);
    assert.equal((await stored(nameOf(5))).bid_amount_local_micro, 7_000_000);
    await tab.press('Enter');
    await says(/Bid of Line 00005 is saved/);
    assert.equal((await stored(nameOf(5))).bid_amount_local_micro, 9_000_000);
  });

  test('are paused together, more than a batch takes, and undone', async () => {
    for (let number = 0; number < 45; number++) {
      await scrollTo(`${number} * 52`);
      await until('the row is there', () => tab.look(`${button(`Select ${nameOf(number)}`)} !== null`));
      await press(`Select ${nameOf(number)}`);
    }
    await says(/45 selected/);
    await tab.look("[...document.querySelectorAll('.grid-bar button')].at(-2).click()");
    await says(/45 are active/);
    assert.equal((await stored(nameOf(1))).entity_status, 'ACTIVE');
    await undo();
    await says(/45 are paused/);
    assert.equal((await stored(nameOf(1))).entity_status, 'PAUSED');
  });

  test('say how many were switched before one was refused, which can be undone', async () => {
    for (let number = 50; number < 95; number++) {
      await scrollTo(`${number} * 52`);
      await until('the row is there', () => tab.look(`${button(`Select ${nameOf(number)}`)} !== null`));
      await press(`Select ${nameOf(number)}`);
    }
    await says(/45 selected/);
    const { id } = await stored(nameOf(94));
    assert.equal((await world.sandbox.call('DELETE', `${path}/line_items/${id}`)).status, 200);
    await tab.look("[...document.querySelectorAll('.grid-bar button')].at(-2).click()");
    await says(/40 of 45 are active; the rest are as they were. /);
    assert.equal((await stored(nameOf(50))).entity_status, 'ACTIVE');
    assert.equal((await stored(nameOf(93))).entity_status, 'PAUSED');
    await undo();
    await says(/40 are paused/);
    assert.equal((await stored(nameOf(50))).entity_status, 'PAUSED');
  });

  test('lose nothing that was entered when the connection is lost, or the session', async () => {
    await says(new RegExp(nameOf(6)));
    const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.send('Network.emulateNetworkConditions', { offline: true, ...network });
    await enter(`Bid of ${nameOf(6)}`, '3');
    await says(/No connection, or the service is busy/);
    assert.equal(await tab.look("document.querySelector('.window td input:not([type=checkbox])').value"), '3');
    await tab.send('Network.emulateNetworkConditions', { offline: false, ...network });
    const { cookies } = await tab.send('Network.getCookies');
    await tab.send('Network.clearBrowserCookies');
    await tab.press('Enter');
    await says(/You were logged out. Log in again/);
    assert.equal(await tab.look("document.querySelector('.window td input:not([type=checkbox])').value"), '3');
    await tab.send('Network.setCookies', { cookies });
    await tab.press('Enter');
    await says(/Bid of Line 00006 is saved/);
    assert.equal((await stored(nameOf(6))).bid_amount_local_micro, 3_000_000);
  });

  test('keep their order when another cannot be fetched, and say so until the service is there again', async () => {
    await says(new RegExp(nameOf(0)));
    const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.send('Network.emulateNetworkConditions', { offline: true, ...network });
    await tab.look("document.querySelector('.window thead button').click()");
    await says(/No connection, or the service is busy/);
    assert.match(await tab.look('location.search'), /sort=name-asc/);
    assert.equal(
      await tab.look("document.querySelector('.window th[aria-sort]').getAttribute('aria-sort')"),
      'ascending',
    );
    await tab.send('Network.emulateNetworkConditions', { offline: false, ...network });
    await tab.look("document.querySelector('.alert button').click()");
    await until('nothing is wrong any more', () => tab.look("document.querySelector('.alert') === null"));
    await tab.look("document.querySelector('.window').scrollTop = 1000 * 52");
    await says(new RegExp(nameOf(1000)));
  });

  test('are edited with keys alone', async () => {
    await says(new RegExp(nameOf(0)));
    const label = `Bid of ${nameOf(0)}`;
    for (let tries = 0; tries < 40; tries++) {
      await tab.press('Tab');
      if ((await tab.look("document.activeElement.getAttribute('aria-label') ?? ''")).startsWith(label)) break;
    }
    await tab.press('Enter');
    await until('a box is open', () => tab.look("document.activeElement.matches('.window input')"));
    await tab.type('4');
    await tab.press('Enter');
    await says(/Bid of Line 00000 is saved/);
    await until('the cell has the focus again', () =>
      tab.look(`(document.activeElement.getAttribute('aria-label') ?? '').startsWith(${JSON.stringify(label)})`),
    );
  });
});
