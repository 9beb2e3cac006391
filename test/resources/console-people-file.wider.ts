// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { demoAccount, ownerOf } from '../rig/demo.ts';
import { openInside, says as pageSays } from '../rig/pages-in-chromium.ts';
import { until } from '../rig/patience.ts';
import { chooseFile, fileOf } from '../rig/people-files.ts';
import { addressOf, settleReaders } from '../rig/people-of-directory.ts';
import { openWorld, type World } from '../rig/world.ts';

const ROWS = 100_000;
/** How many of them are known here. */
const KNOWN = 2000;

let world: World;
let chromium: Chromium;
let ada: Person;
let account: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_processing_delay_production_s: 60 } });
  await settleReaders(world, KNOWN);
  chromium = await startChromium();
  ada = ownerOf(world);
  account = `/ads/${await demoAccount(world)}`;
});
after(async () => {
  await chromium?.close();
  await world.close();
});

let tab: Tab;
/** The page of a new audience. */
let page: string;

beforeEach(async (context) => {
  tab = await openInside(chromium, world, `${account}/audiences`, ada);
  const name = `Readers of ${context.name}`;
  await tab.leave(`document.getElementById('name').value = ${JSON.stringify(name)};
    [...document.querySelectorAll('main form')].at(-1).querySelector('button').click()`);
  page = await tab.look('location.href');
});

const begin = (): Promise<void> => tab.look("document.querySelector('main button.main[type=button]').click()");
const says = (text: RegExp): Promise<void> => pageSays(tab, text);
/** Uploads that the server has answered with 200. */
const answered = (): number =>
  tab.log.filter(
    ({ method, params }) =>
      method === 'Network.responseReceived' && params.response.url.endsWith('/users') && params.response.status === 200,
  ).length;

/** Rows with an address and a number each. */
function largeFile(): string {
  const rows = Array.from(
    { length: ROWS },
    (_, number) => `Reader ${number}, ${addressOf(number).toUpperCase()} ,+1 (415) ${2_000_000 + number}`,
  );
  return fileOf(['Name,E-mail,Phone', ...rows, 'Nobody,none,none']);
}

/** How many people the server has taken for the audience. */
async function taken(): Promise<number> {
  const id = page.split('/').at(-1)!.replace(/\?.*/, '');
  const sql = `select coalesce(sum(records), 0) as records from audience_uploads where subject = 'audience:${id}'`;
  const [row] = await world.service.driver.read((session) => session.allRaw<{ records: number | string }>(sql));
  return Number(row!.records);
}

describe('a file of people', () => {
  test('is hashed in the page, uploaded and matched', async () => {
    await tab.send('Network.enable', { maxPostDataSize: 10_000_000 });
    tab.forget();
    await chooseFile(tab, largeFile());
    await says(/What the columns contain/);
    const kinds = "[...document.querySelectorAll('[data-island] select')].map(({ value }) => value)";
    assert.deepEqual(await tab.look(kinds), ['', 'email', 'phone_number', '']);
    await begin();
    await says(/100,000 people were uploaded. 1 row was refused/);
    await says(/The people of this audience are being matched/);
    world.clock.advance(60);
    await world.service.jobs.runDue();
    await says(/Done: 2,000 people of this audience are known here/);
    assert.equal(await taken(), ROWS);
    const sent = tab.log
      .filter(({ method }) => method === 'Network.requestWillBeSent')
      .map(({ params }) => params.request);
    assert.ok(sent.filter(({ url }) => url.endsWith('/users')).length > 10);
    for (const { url, postData = '' } of sent) {
      assert.equal(new URL(url).origin, world.service.url);
      assert.doesNotMatch(`${url} ${postData}`, /mail\.test|MAIL\.TEST|\(415\)|Reader/);
    }
    const bodies = sent.map(({ postData = '' }) => postData).join();
    assert.ok(bodies.includes(hash('sha256', addressOf(ROWS - 1))));
    assert.deepEqual(
      tab.log.filter(({ method }) => method === 'Log.entryAdded'),
      [],
    );
  });

  test('goes on when the connection is back', async () => {
    await chooseFile(tab, largeFile());
    await says(/What the columns contain/);
    await begin();
    await until('something has come', () => answered() > 1);
    const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.send('Network.emulateNetworkConditions', { offline: true, ...network });
    await says(/No connection, or the service is busy/);
    await tab.send('Network.emulateNetworkConditions', { offline: false, ...network });
    await says(/100,000 people were uploaded/);
    assert.ok((await taken()) >= ROWS);
  });

  test('goes on after a login in another tab', async () => {
    await chooseFile(tab, largeFile());
    await says(/What the columns contain/);
    await begin();
    await until('something has come', () => answered() > 1);
    await tab.send('Network.clearBrowserCookies');
    await says(/You were logged out after [\d,]+ people/);
    const before = await taken();
    assert.ok(before > 0 && before < ROWS);
    await begin();
    await says(/You are not logged in yet/);
    const other = await openInside(chromium, world, '/ads', ada);
    await tab.send('Network.setCookies', await other.send('Network.getCookies'));
    await other.close();
    await begin();
    await says(/100,000 people were uploaded/);
    assert.equal(await taken(), ROWS);
  });

  test('goes on where it was left after the page was opened anew', async () => {
    const file = largeFile();
    await chooseFile(tab, file);
    await says(/What the columns contain/);
    await begin();
    await until('something has come', () => answered() > 1);
    await tab.look(
      "[...document.querySelectorAll('main button')].find((each) => each.textContent === 'Pause').click()",
    );
    await says(/Paused after [\d,]+ people/);
    const before = await taken();
    assert.ok(before > 0 && before < ROWS);
    await tab.open(page);
    await chooseFile(tab, file);
    await says(/What the columns contain/);
    await begin();
    await says(/100,000 people were uploaded/);
    assert.equal(await taken(), ROWS);
  });

  test('may have semicolons, and removes people', async () => {
    const file = fileOf(['Kunde;E-Mail', 'Ada;ada@one.test', '"Ben; the baker";ben@two.test']);
    await chooseFile(tab, file);
    await says(/Ben; the baker/);
    await tab.look("document.querySelectorAll('[name=people-type]')[1].click()");
    await begin();
    await says(/2 people were uploaded/);
  });

  test('without names has columns by number, and is told what it lacks', async () => {
    const rows = ['Ada;ada@one.test;0171 2345678', 'Ben;;0171 2345679', 'Cem;cem@three.test;000'];
    await chooseFile(tab, fileOf(Buffer.from(`\ufeff${rows.join('\n')}`, 'utf16le')));
    await says(/Column 3/);
    await begin();
    await says(/2 people were uploaded. 1 row was refused. 2 values were left out of other rows/);
    await says(/Line 2, Column 3: a phone number without country code, and no country was chosen/);
    await tab.look(`(() => {
      const country = document.getElementById('people-country');
      country.value = 'DE';
      country.dispatchEvent(new Event('change'));
    })()`);
    await begin();
    await says(/3 people were uploaded. 1 value was left out of other rows/);
  });

  test('is still being matched after a reload', async () => {
    await chooseFile(tab, fileOf(['email', 'ada@one.test']));
    await says(/What the columns contain/);
    await begin();
    await says(/The people of this audience are being matched/);
    await tab.open(page);
    await says(/Being processed: people are matched/);
    await says(/The people of this audience are being matched/);
    world.clock.advance(60);
    await world.service.jobs.runDue();
    await says(/Done, but too few people of this audience are known here/);
  });

  test('is sent again where the service did not count everybody', async () => {
    await chooseFile(tab, fileOf(['email', 'ada@one.test', 'ben@two.test']));
    await says(/What the columns contain/);
    await tab.look(`(() => {
      const real = fetch;
      let isFirst = true;
      window.fetch = async (...given) => {
        const response = await real(...given);
        if (!isFirst || !given[0].endsWith('/users')) return response;
        isFirst = false;
        return Response.json({ data: { success_count: 1, total_count: 2 } });
      };
    })()`);
    await begin();
    await says(/2 people were uploaded/);
    assert.equal(answered(), 2);
  });

  test('that cannot be read is explained', async () => {
    await chooseFile(tab, fileOf([]));
    await says(/The file is empty/);
    await chooseFile(tab, fileOf(['Town,Street', '"Berlin"x,1']));
    await says(/This is not a CSV file: text follows a value in quotes/);
    await chooseFile(tab, fileOf(['Town,Street', 'Berlin,1']));
    await says(/What the columns contain/);
    await begin();
    await says(/Choose what at least one column contains/);
    assert.equal(await taken(), 0);
  });

  test('of an audience that is gone is refused in words', async () => {
    await chooseFile(tab, fileOf(['email', 'ada@one.test']));
    await says(/What the columns contain/);
    const gone = await tab.look(`(async () => {
      const { path } = JSON.parse(document.querySelector('[data-island]').dataset.input);
      const headers = { 'x-form-token': document.body.dataset.formToken };
      return (await fetch(path, { method: 'DELETE', headers })).status;
    })()`);
    assert.equal(gone, 200);
    await begin();
    await says(/The upload was refused/);
  });
});
