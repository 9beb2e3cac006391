// On either database: one rig fills the same rows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { type DailyNumbers, REPORT_METRICS } from '../../src/contract/delivery/report.ts';
import { addPerson, type Browser, browserOf, logIn, unescaped } from '../rig/browser.ts';
import { csvRows } from '../rig/csv.ts';
import { fillLargeAccount, type LargeAccount } from '../rig/large-account.ts';
import { openWorld, type World } from '../rig/world.ts';

const LINES = 10_000;
type Metric = keyof DailyNumbers;
type Sums = Record<Metric, number>;
const METRICS = Object.keys(REPORT_METRICS) as Metric[];

let world: World;
let user: Browser;
let large: LargeAccount;
let pages: string;
/** What the ledger has, by currency and then by a key, such as a line item or a day. */
const ledger = {
  total: new Map<string, Sums>(),
  days: new Map<string, Sums>(),
  campaigns: new Map<string, Sums>(),
  line_items: new Map<string, Sums>(),
  ads: new Map<string, Sums>(),
  linesByDay: new Map<string, Sums>(),
};
let compared = 0;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'off' } });
  large = await fillLargeAccount(world, world.sandbox, LINES);
  const ada = await addPerson(world);
  const membership = {
    account_id: large.account,
    user_id: ada.id,
    role: 'CAMPAIGN_ANALYST',
    post_composer: 0,
  } as const;
  await world.service.store.write((tx) => tx.accountMembers.add(membership));
  user = browserOf(world.service.url);
  await logIn(user, ada);
  pages = `/ads/${large.account}`;
  const add = (to: Map<string, Sums>, key: string, sums: Sums): void => {
    const known = to.get(key) ?? { spend: 0, impressions: 0, engagements: 0, clicks: 0, views: 0 };
    for (const metric of METRICS) known[metric] += sums[metric];
    to.set(key, known);
  };
  for (const { line_item_id, creative_id, day, hours } of large.ledger) {
    const { metrics } = unpackHours(hours);
    const of = (metric: Metric): number => (metrics.get(REPORT_METRICS[metric]) ?? []).reduce((a, b) => a + b, 0);
    const sums = Object.fromEntries(METRICS.map((metric) => [metric, of(metric)])) as Sums;
    const { campaign, currency } = large.lines.get(line_item_id)!;
    add(ledger.total, currency, sums);
    add(ledger.days, `${currency} ${day}`, sums);
    add(ledger.campaigns, `${currency} ${campaign}`, sums);
    add(ledger.line_items, `${currency} ${line_item_id}`, sums);
    add(ledger.ads, `${currency} ${creative_id}`, sums);
    add(ledger.linesByDay, `${currency} ${line_item_id} ${day}`, sums);
  }
});
after(() => world.close());

/** Amounts in whole units of their currency, as pages and CSV show them. */
function equal(found: readonly number[], { spend, impressions, engagements, clicks, views }: Sums, of: string): void {
  assert.deepEqual(found, [spend / 1e6, impressions, engagements, clicks, views], of);
  compared += METRICS.length;
}

/** The tables of a page: under which currency, and the text of each cell of each row. */
function tablesOf(html: string): { readonly currency: string; readonly rows: string[][] }[] {
  let currency = '';
  return [...html.matchAll(/<h2>In (\w{3})<\/h2>|<tbody>(.*?)<\/tbody>/gs)].flatMap(([, heading, body]) => {
    if (heading !== undefined) {
      currency = heading;
      return [];
    }
    const cells = (row: string): string[] =>
      row
        .split(/<\/th>|<\/td>/)
        .map((cell) => unescaped(cell.replace(/<[^>]*>/g, '')).trim())
        .slice(0, -1);
    const rows = [...body!.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row]) => cells(row!));
    return [{ currency, rows }];
  });
}

/** A row of a page beside the ledger. Amounts on pages are rounded to the smallest unit of the currency. */
function equalOnPage(row: readonly string[], sums: Sums, currency: string): void {
  const [money, ...counts] = row.slice(1, 6).map((cell) => Number(cell.replaceAll(/[^\d.]/g, '')));
  const unit = currency === 'JPY' ? 1 : 0.01;
  assert.ok(Math.abs(money! - sums.spend / 1e6) <= unit / 2 + 1e-6, `${row}: ${sums.spend}`);
  const { impressions, engagements, clicks, views } = sums;
  assert.deepEqual(counts, [impressions, engagements, clicks, views], row.join());
  compared += METRICS.length;
}

const range = (): string => `range=own&from=${large.days[0]}&to=${large.days.at(-1)}`;

/** The cells of a CSV file after its heads; there are no commas in names here. */
async function csv(path: string): Promise<string[][]> {
  const { status, html } = await user.get(path);
  assert.equal(status, 200, html.slice(0, 500));
  return csvRows(html).slice(1);
}

const LEVELS = ['campaigns', 'line_items', 'ads'] as const;

async function resultsAreThoseOfLedger(level: (typeof LEVELS)[number]): Promise<void> {
  const { status, html } = await user.get(`${pages}/results?level=${level}&${range()}`);
  assert.equal(status, 200, html.slice(0, 500));
  const tables = tablesOf(html);
  assert.equal(tables.length, 6);
  for (const [at, { currency, rows }] of tables.entries()) {
    equalOnPage(rows.at(-1)!, ledger.total.get(currency)!, currency);
    if (at % 2 === 1) {
      for (const row of rows.slice(0, -1)) equalOnPage(row, ledger.days.get(`${currency} ${row[0]}`)!, currency);
      continue;
    }
    const own = [...ledger[level]].filter(([key]) => key.startsWith(currency)).map(([, sums]) => sums);
    const ranked = own.sort((one, other) => other.spend - one.spend).slice(0, 100);
    assert.equal(rows.length - 1, ranked.length);
    for (const [place, row] of rows.slice(0, -1).entries()) {
      assert.ok(Math.abs(Number(row[1]!.replaceAll(/[^\d.]/g, '')) - ranked[place]!.spend / 1e6) < 1, row.join());
      compared += 1;
    }
    const isCut = own.length > 100;
    assert.equal(html.includes(`of ${own.length.toLocaleString('en')}.`), isCut, `${own.length} rows`);
  }
}

for (const level of LEVELS) {
  test(`results by ${level} have the totals of the ledger, in each currency, and the rows with the highest spend`, () =>
    resultsAreThoseOfLedger(level));
}

test('the overview has the totals of the ledger', async () => {
  const days = 'days=14&';
  const tables = tablesOf((await user.get(`${pages}?${days}`)).html);
  assert.equal(tables.length, 6);
  for (const [currency] of ledger.total) {
    const [, byDay] = tables.filter((each) => each.currency === currency);
    for (const row of byDay!.rows.slice(0, -1)) {
      equalOnPage(row, ledger.days.get(`${currency} ${row[0]}`)!, currency);
    }
  }
  for (const [day, currency, ...cells] of await csv(`${pages}?${days}format=csv`)) {
    equal(cells.map(Number), ledger.days.get(`${currency} ${day}`)!, `${day} ${currency}`);
  }
});

test('CSV has every line item on every day, to the micro', async () => {
  const rows = await csv(`${pages}/results?level=line_items&${range()}&format=csv`);
  for (const [day, id, , currency, ...cells] of rows) {
    equal(cells.map(Number), ledger.linesByDay.get(`${currency} ${id} ${day}`)!, `${id} ${day}`);
  }
  const active = [...ledger.linesByDay.values()].filter(({ impressions }) => impressions > 0);
  assert.equal(rows.length, active.length);
});

test('break-downs add up to the ledger', async () => {
  const { html } = await user.get(`${pages}/results?${range()}&segmentation_type=GENDER`);
  const own = html.slice(html.indexOf('id="breakdown"'));
  const currencies = [...own.matchAll(/<h3>In (\w{3})<\/h3>/g)].map(([, currency]) => currency!);
  assert.deepEqual(currencies.sort(), [...ledger.total.keys()].sort());
  for (const part of own.split('<h3>In ').slice(1)) {
    const [table] = tablesOf(part);
    equalOnPage(table!.rows.at(-1)!, ledger.total.get(part.slice(0, 3))!, part.slice(0, 3));
  }
});

test('calls for statistics say the same', async (t) => {
  for (let from = 0; from < 400; from += 20) {
    const ids = [...large.lines.keys()].slice(from * 25, from * 25 + 20);
    const sums = new Map(ids.map((id) => [id, new Map<string, number>()]));
    for (const [start, end] of [
      [large.days[0]!, large.days[7]!],
      [large.days[7]!, '2026-03-03'],
    ]) {
      for (const placement of ['ALL_ON_SERVICE', 'PUBLISHER_NETWORK']) {
        const params = {
          ...{ entity: 'LINE_ITEM', entity_ids: ids.join(','), granularity: 'TOTAL', placement },
          ...{ start_time: start!, end_time: end!, metric_groups: 'ENGAGEMENT,BILLING,VIDEO' },
        };
        const reply = await world.sandbox.call('GET', `/12/stats/accounts/${large.account}`, { params });
        assert.equal(reply.status, 200, reply.text);
        for (const { id, id_data } of reply.body.data) {
          for (const metric of METRICS) {
            const [value] = id_data[0].metrics[REPORT_METRICS[metric]] ?? [0];
            sums.get(id)!.set(metric, (sums.get(id)!.get(metric) ?? 0) + value);
          }
        }
      }
    }
    for (const [id, found] of sums) {
      const expected = ledger.line_items.get(`${large.lines.get(id)!.currency} ${id}`);
      for (const metric of METRICS) {
        assert.equal(found.get(metric), expected?.[metric] ?? 0, `${metric} of ${id}`);
        compared += 1;
      }
    }
  }
  assert.ok(compared > 500_000, String(compared));
  t.diagnostic(`${compared.toLocaleString('en')} numbers compared with the ledger`);
});

test('days that were last changed before their sums were kept are added up from their hours', async () => {
  const [day] = large.days.slice(7);
  const changed = world.service.driver.write(({ runRaw }) =>
    runRaw(
      `update delivery_days set engagements = null, clicks = null, video_total_views = null where day >= '${day}'`,
    ),
  );
  assert.ok((await changed) > 50_000);
  for (const level of LEVELS) await resultsAreThoseOfLedger(level);
});
