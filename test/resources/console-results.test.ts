// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addDays } from '../../src/base/zones.ts';
import { addPerson, type Browser, browserOf, logIn, outlineOf, type Person, unescaped } from '../rig/browser.ts';
import { csvRows } from '../rig/csv.ts';
import { openWorld, type World } from '../rig/world.ts';
import { fillDirectory } from './delivery-calls.ts';

let world: World;
let ada: Person;
let user: Browser;
let account: string;
let results: string;
const campaigns: string[] = [];
const lines: string[] = [];

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
  await fillDirectory(world, 3000);
  ada = await addPerson(world);
  user = browserOf(world.service.url);
  await logIn(user, ada);
  const { location } = await send('/ads', {});
  account = location!.split('/').at(-1)!;
  results = `/ads/${account}/results`;
  for (const [at, name] of ['Spring', '=Summer'].entries()) {
    campaigns.push(await book(name, at));
  }
  world.clock.advance(9 * 24 * 3600);
  user = browserOf(world.service.url);
  await logIn(user, ada);
});
after(() => world.close());

async function send(path: string, members: Record<string, string>) {
  const { html } = await user.get(path);
  const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
  return user.post(path.replace(/\?.*/, ''), { authenticity_token, ...members });
}

/** A campaign with two line items, each of which shows a post. */
async function book(name: string, number: number): Promise<string> {
  if (number === 0) await send(`/ads/${account}/campaigns/new`, { act: 'fund' });
  const page = (await user.get(`/ads/${account}/campaigns/new`)).html;
  const [, funding_instrument_id] = /<option value="(\w+)"/.exec(page)!;
  const daily_budget_amount_local_micro = String(10 + 10 * number);
  const made = await send(`/ads/${account}/campaigns/new`, {
    ...{ act: 'create', name, funding_instrument_id: funding_instrument_id!, daily_budget_amount_local_micro },
  });
  const campaign = made.location!.split('/').at(-1)!;
  await send(`/ads/${account}/creatives`, { act: 'create', text: `Post ${number}`, name: '' });
  for (const line of ['one', 'two']) {
    const path = `/ads/${account}/line_items/new?campaign_id=${campaign}`;
    const form = { campaign_id: campaign, name: `${name} ${line}`, objective: 'ENGAGEMENTS', bid_strategy: 'AUTO' };
    const { location } = await send(path, form);
    const [, post] = new RegExp(`<option value="(\\d+)">Post ${number}`).exec((await user.get(location!)).html)!;
    await send(location!, { act: 'promote', post: post! });
    await send(location!, { act: 'ACTIVE' });
    lines.push(location!.split('/').at(-1)!);
  }
  await send(`/ads/${account}/campaigns/${campaign}`, { act: 'ACTIVE' });
  return campaign;
}

/** The rows of the tables of a page: the text of each cell. */
const rowsOf = (html: string): string[][] =>
  [...html.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row]) =>
    row!
      .split(/<\/th>|<\/td>/)
      .map((cell) => unescaped(cell.replace(/<[^>]*>/g, '')).trim())
      .slice(0, -1),
  );
const numberIn = (cell: string | undefined): number => Number(cell!.replaceAll(/[$,]/g, ''));
const today = (): string => new Date(world.clock.now()).toISOString().slice(0, 10);

describe('results', () => {
  test('add up, at each level, to what the ledger has', async () => {
    // What has been delivered is settled before it is read.
    await user.get(results);
    const totals = await world.service.store.read((tx) => tx.deliveryLedger.listTotals(account));
    const impressions = totals.reduce((sum, each) => sum + each.impressions, 0);
    const spend = totals.reduce((sum, each) => sum + each.spend_local_micro, 0);
    assert.ok(impressions > 0 && spend > 0);
    for (const [level, names] of [
      ['campaigns', ['=Summer', 'Spring']],
      ['line_items', ['=Summer one', '=Summer two', 'Spring one', 'Spring two']],
      ['ads', ['Post 1', 'Post 1', 'Post 0', 'Post 0']],
    ] as const) {
      const { html, status } = await user.get(`${results}?level=${level}&range=last_30`);
      assert.equal(status, 200, html);
      assert.equal(outlineOf(html).heading, 'Results');
      const rows = rowsOf(html);
      const at = rows.findIndex(([name]) => name === 'Total');
      assert.deepEqual(
        rows
          .slice(0, at)
          .map(([name]) => name)
          .sort(),
        [...names].sort(),
        level,
      );
      for (const [column, sum] of [[2, impressions]] as const) {
        assert.equal(numberIn(rows[at]![column]), sum, level);
        assert.equal(
          rows.slice(0, at).reduce((all, row) => all + numberIn(row[column]), 0),
          sum,
          level,
        );
        const byDay = rows.slice(at + 1, -1);
        assert.equal(byDay.length, 30);
        assert.equal(
          byDay.reduce((all, row) => all + numberIn(row[column]), 0),
          sum,
          level,
        );
        assert.equal(numberIn(rows.at(-1)![column]), sum);
      }
      assert.ok(Math.abs(numberIn(rows[at]![1]) * 1e6 - spend) < 10_000);
      const spends = rows.slice(0, at).map((row) => numberIn(row[1]));
      assert.deepEqual(
        spends,
        [...spends].sort((one, other) => other - one),
        'the most expensive first',
      );
    }
  });

  test('are divided by age, and add up', async () => {
    const asked = { campaign_id: campaigns[1]!, level: 'line_items', range: 'last_30', from: '', to: '' };
    const query = new URLSearchParams({ ...asked, segmentation_type: 'AGE', country: '' });
    const { html } = await user.get(`${results}?${query}`);
    const [before, after] = html.split('Results by age');
    const rows = rowsOf(after!);
    const at = rows.findIndex(([name]) => name === 'Total');
    assert.ok(at > 2, 'several ages');
    const total = rowsOf(before!).find(([name]) => name === 'Total')!;
    assert.deepEqual(rows[at]!.slice(1, 4), total.slice(1, 4));
    const sum = rows.slice(0, at).reduce((all, row) => all + numberIn(row[2]), 0);
    assert.equal(sum, numberIn(total[2]));
  });

  test('are not divided by a country that nobody knows; what was entered stays', async () => {
    const by = (country: string) => user.get(`${results}?range=last_7&segmentation_type=REGIONS&country=${country}`);
    const refused = await by('Atlantis');
    assert.equal(refused.status, 400);
    assert.match(refused.html, /id="country"[^>]*value="Atlantis"[^>]*aria-invalid="true"/);
    const divided = await by('united+states');
    assert.equal(divided.status, 200);
    assert.match(divided.html, /Results by region of a country/);
  });

  test('of a line item say how it spends today, and why it got what it got', async () => {
    const { html } = await user.get(`${results}?line_item_id=${lines[0]}`);
    assert.match(html, /Why these numbers\?/);
    assert.match(html, /People in the audience<\/dt><dd>[\d,]+</);
    assert.match(html, /Impressions<\/dt><dd>[\d,]+</);
    const campaign = unescaped((await user.get(`${results}?campaign_id=${campaigns[0]}`)).html);
    assert.match(campaign, /<meter min="0" max="10000000" value="\d+"/);
    assert.match(campaign, /\$\d+\.\d\d of today's \$10\.00 is spent, and \d+% of the day has passed/);
    const whole = (await user.get(results)).html;
    assert.doesNotMatch(whole, /Pacing|Why these numbers/);
  });

  test('of a campaign and a line item are linked from their pages, and have only what is below them', async () => {
    for (const [page, below] of [
      [`campaigns/${campaigns[0]}`, ['Spring one', 'Spring two']],
      [`line_items/${lines[0]}`, ['Post 0']],
    ] as const) {
      const [, link] = /href="([^"]*\/results\?[^"]*)"/.exec((await user.get(`/ads/${account}/${page}`)).html)!;
      const { html } = await user.get(unescaped(link!));
      const rows = rowsOf(html);
      const at = rows.findIndex(([name]) => name === 'Total');
      assert.deepEqual(
        rows
          .slice(0, at)
          .map(([name]) => name)
          .sort(),
        below,
      );
      assert.match(html, new RegExp(`href="/ads/${account}/${page}"`));
    }
  });

  test('are compared with as many days before', async () => {
    const { html } = await user.get(`${results}?range=yesterday&compare=yes`);
    assert.match(html, /% (more|less) than before/);
    const [day, before] = [addDays(today(), -1), addDays(today(), -2)];
    const one = await user.get(`${results}?range=own&from=${before}&to=${day}`);
    assert.equal(rowsOf(one.html).filter(([name]) => /^\d{4}-/.test(name!)).length, 2);
    const never = await user.get(`${results}?range=own&from=2025-01-01&to=2025-01-31&compare=yes`);
    assert.match(never.html, /Nothing was delivered in this period/);
  });

  test('are CSV too, by day, and no cell is a formula', async () => {
    const reply = await user.get(`${results}?level=campaigns&range=last_7&format=csv`);
    const rows = csvRows(reply.html);
    assert.deepEqual(rows[0], [
      'Day',
      'Id',
      'Name',
      'Currency',
      'Spend',
      'Impressions',
      'Engagements',
      'Clicks',
      'Video views',
    ]);
    assert.equal(rows.length, 1 + 2 * 7);
    assert.ok(rows.some(([, , name]) => name === "'=Summer"));
    const page = rowsOf((await user.get(`${results}?level=campaigns&range=last_7`)).html);
    const total = page.find(([name]) => name === 'Total')!;
    assert.equal(
      rows.slice(1).reduce((sum, row) => sum + Number(row[5]), 0),
      numberIn(total[2]),
    );
  });

  test('are refused at the field that is wrong', async () => {
    const fault = (html: string, field: string) => new RegExp(`id="${field}-fault">([^<]*)<`).exec(html)?.[1];
    for (const [query, field, message] of [
      ['from=2026-02-30&to=2026-03-02', 'from', /not a day/],
      ['from=2026-02-01&to=', 'to', /not a day/],
      ['from=2026-03-02&to=2026-03-01', 'to', /before the first day/],
      ['from=2026-01-01&to=2026-04-03', 'to', /At most 92 days/],
    ] as const) {
      const { html, status } = await user.get(`${results}?range=own&${query}`);
      assert.equal(status, 400);
      assert.match(fault(html, field) ?? '', message);
    }
    assert.equal((await user.get(`${results}?range=own&from=2026-01-01&to=2026-04-02`)).status, 200);
    for (const unknown of ['campaign_id=zz9', 'line_item_id=zz9']) {
      assert.equal((await user.get(`${results}?${unknown}`)).status, 404);
    }
  });
});
