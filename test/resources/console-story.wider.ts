// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { addPerson } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { csvRows } from '../rig/csv.ts';
import { type Hands, keyHands, mouseHands } from '../rig/hands.ts';
import { openAt, says as pageSays } from '../rig/pages-in-chromium.ts';
import { until } from '../rig/patience.ts';
import { chooseFile, fileOf } from '../rig/people-files.ts';
import { addressOf, settleReaders } from '../rig/people-of-directory.ts';
import { sampled } from '../rig/sampling.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { openWorld, type World } from '../rig/world.ts';

const ROWS = 100_000;
/** How many of them are known here. */
const KNOWN = 5000;
const DAY_s = 24 * 3600;

let chromium: Chromium;
let people: string;

before(async () => {
  chromium = await startChromium();
  people = fileOf(['E-Mail', ...Array.from({ length: ROWS }, (_, number) => addressOf(number))]);
});
after(() => chromium?.close());

const MEANS = [
  ['a mouse', mouseHands],
  ['keys alone', keyHands],
] as const;

describe('an advertiser who writes no code', () => {
  for (const [means, handsOf] of sampled(
    MEANS,
    () => 'any',
    ([means]) => means,
  )) {
    test(`books, pays, looks and pauses with ${means}`, async () => {
      const world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
      try {
        await settleReaders(world, KNOWN, { country: 'US' });
        const tab = await openAt(chromium, world, '/login');
        await wholeStory(world, tab, handsOf(tab));
        assert.deepEqual(
          tab.log.filter(({ method }) => method === 'Log.entryAdded'),
          [],
        );
        await tab.close();
      } finally {
        await world.close();
      }
    });
  }
});

async function wholeStory(world: World, tab: Tab, hands: Hands): Promise<void> {
  const says = (text: RegExp): Promise<void> => pageSays(tab, text);
  const { name, password } = await addPerson(world);
  const logIn = async (): Promise<void> => {
    await hands.write('username_or_email', name);
    await hands.write('password', password);
    await hands.follow('Log in');
  };
  await tab.send('Network.enable', { maxPostDataSize: 10_000_000 });

  await logIn();
  await tab.open(`${world.service.url}/ads`);
  await hands.follow('Create a sandbox account');
  await hands.follow('Campaigns');
  await hands.follow('Create a campaign');
  await hands.follow('Add a test card in US dollars');
  await hands.write('name', 'Spring');
  await hands.write('daily_budget_amount_local_micro', '20');
  await hands.follow('Create the draft');
  await says(/\$20\.00 a day/);
  await hands.follow('Add a line item');
  await hands.follow('Engagements: likes, replies and clicks');
  await hands.write('name', 'Readers');
  await hands.follow('Create the draft');

  await hands.follow('Audiences');
  await hands.write('name', 'Subscribers');
  await hands.follow('Create an audience');
  await chooseFile(tab, people);
  await says(/What the columns contain/);
  tab.forget();
  await hands.press('Upload');
  await says(/100,000 people were uploaded/);
  const sent = tab.log.flatMap(({ method, params }) =>
    method === 'Network.requestWillBeSent' ? [params.request as { url: string; postData?: string }] : [],
  );
  assert.ok(sent.filter(({ url }) => url.endsWith('/users')).length > 5);
  for (const { url, postData = '' } of sent) {
    assert.equal(new URL(url).origin, world.service.url);
    assert.doesNotMatch(`${url} ${postData}`, /mail\.test/);
  }

  await hands.follow('Creatives');
  await hands.write('text', 'Rye, still warm.');
  await chooseFile(tab, fileOf(JPEG, 'bread.jpg'), 'picture');
  await says(/The picture will be part of the post/);
  await hands.follow('Create the post');

  await hands.follow('Line items');
  await hands.follow('Readers');
  await hands.pick('kind', 'Custom audience');
  await hands.write('value', 'Subscribers');
  await hands.follow('Add to the audience');
  await says(/Custom audience: Subscribers/);
  await hands.follow('Show this post');
  await hands.follow('Review, and go live');
  await says(/Custom audience: Subscribers\s+Estimated audience: [1-9]/);
  await hands.follow('Go live');
  await says(/Running/);

  world.clock.advance(14 * DAY_s);
  await tab.open(`${world.service.url}/login`);
  if (await tab.look("document.getElementById('password') !== null")) await logIn();
  await tab.open(`${world.service.url}/ads`);
  await hands.follow('Sandbox account');
  await hands.follow('Results');
  await says(/Spring/);
  assert.ok((await tab.look("document.querySelectorAll('main svg').length")) > 0);
  const folder = mkdtempSync(join(tmpdir(), 'barker-downloads-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  await tab.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
  await hands.press('Download CSV');
  // The browser makes the file before it writes into it.
  const isThere = async (): Promise<boolean> =>
    readdirSync(folder).some((each) => each.endsWith('.csv') && statSync(join(folder, each)).size > 0);
  await until('the file is there', isThere);
  const csv = readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8');
  const [head, ...rows] = csvRows(csv);
  const column = (name: string): number[] => rows.map((row) => Number(row[head!.indexOf(name)]));
  assert.ok(rows.length >= 13, csv);
  // Every whole day has spent its budget of 20, or nearly.
  for (const spend of column('Spend').slice(0, 12)) assert.ok(spend > 15 && spend <= 20, csv);
  assert.ok(column('Impressions').every((each) => each > 0));

  await hands.follow('Campaigns');
  await hands.follow('Spring');
  await hands.write('daily_budget_amount_local_micro', '35');
  await hands.follow('Save');
  await says(/\$35\.00 a day/);
  await hands.follow('Pause');
  await says(/Paused/);
}
