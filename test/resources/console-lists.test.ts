// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { entityLists } from '../../src/console/lists/entity-lists.ts';
import { type Browser, browserOf, logIn, outlineOf, unescaped } from '../rig/browser.ts';
import { ownerOf } from '../rig/demo.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const GRID = /<script type="module" src="([^"]+\/grid-[^"]+)"><\/script>/;

let world: World;
let user: Browser;
let path: string;
let page: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  const opened = await openAccount(world.sandbox);
  path = opened.path;
  page = `/ads/${opened.account}/campaigns`;
  for (let number = 0; number < 120; number++) {
    const params = {
      ...{ name: `Bread ${String(number).padStart(3, '0')}`, funding_instrument_id: opened.instrument },
      ...{ daily_budget_amount_local_micro: 1_500_000 + number * 10_000, entity_status: 'PAUSED' },
    };
    const made = await world.sandbox.call('POST', `${path}/campaigns`, { params });
    assert.equal(made.status, 200, made.text);
  }
  user = browserOf(world.service.url);
  await logIn(user, ownerOf(world));
});
after(() => world.close());

/** The names in the table of a page, in order. */
const namesIn = (html: string): string[] =>
  [...html.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, name]) => unescaped(name!));
const linkOf = (html: string, text: string): string =>
  unescaped(new RegExp(`<a [^>]*href="([^"]*)"[^>]*>${text}</a>`).exec(html)![1]!);

describe('a list, without a script', () => {
  test('is narrowed to what belongs to something, which its pages, totals and file keep', async () => {
    const { html } = await user.get(page);
    const [, payer] = /<select id="within".*?<option value="(\w+)"/s.exec(html)!;
    const some = (await user.get(`${page}?within=${payer}&totals=yes&view=plain`)).html;
    assert.match(unescaped(some), /Paid by: .*Show all/s);
    assert.match(some, /<dt>Paused<\/dt><dd>120<\/dd>/);
    assert.match(linkOf(some, 'Next page'), new RegExp(`within=${payer}`));
    const lines = page.replace('campaigns', 'line_items');
    const [, campaign] = /<select id="within".*?<option value="(\w+)"/s.exec((await user.get(lines)).html)!;
    assert.match((await user.get(`${lines}?within=${campaign}`)).html, /No matches/);
  });

  test('says why it cannot be read', async () => {
    for (const query of ['', '&state=PAUSED']) {
      const { status, html } = await user.get(`${page}?cursor=nonsense${query}`);
      assert.equal(status, 400);
      assert.match(unescaped(html), /role="alert">.*Expected a cursor of this list, got "nonsense"/s);
      assert.doesNotMatch(html, /No campaigns yet|No matches/);
    }
  });

  test('is narrowed to a state, which its totals and file keep, and a script shows whole', async () => {
    const { html } = await user.get(`${page}?state=PAUSED&totals=yes`);
    assert.match(unescaped(html), /Status: Paused.*Show all/s);
    assert.match(html, /<dt>Paused<\/dt><dd>120<\/dd>/);
    // All that are in the state at once: the API cannot go on from there.
    assert.equal(namesIn(html).length, 120);
    assert.match(unescaped(html), /"next":null,"total":120,"state":"PAUSED"/);
    const none = await user.get(`${page}?state=RUNNING`);
    assert.match(none.html, /No matches/);
    assert.equal((await user.get(`${page}?state=RUNNING&format=csv`)).html.trim().split('\r\n').length, 1);
    assert.doesNotMatch((await user.get(`${page}?state=nonsense`)).html, /class="chip"/);
  });

  test('creates line items where one campaign is shown', async () => {
    const lines = page.replace('campaigns', 'line_items');
    assert.equal(linkOf((await user.get(lines)).html, 'Create a campaign').endsWith('/campaigns/new'), true);
    const { html } = await user.get(`${lines}?within=abc`);
    assert.match(linkOf(html, 'Add a line item'), /line_items\/new\?campaign_id=abc$/);
  });

  test('adds up all that it has, by state and by budget', async () => {
    const { html } = await user.get(`${page}?totals=yes`);
    // 120 from 1.50 on, each a cent more: 180 and 71.40.
    assert.match(unescaped(html), /<dt>Paused<\/dt><dd>120<\/dd>.*<dt>Daily budget<\/dt><dd>\$251\.40<\/dd>/s);
    const some = (await user.get(`${page}?totals=yes&q=Bread%2000`)).html;
    assert.match(some, /<dt>Paused<\/dt><dd>10<\/dd>/);
  });

  test('is sorted by a link, and turned round by the next; its pages keep the order', async () => {
    const first = await user.get(page);
    assert.equal(outlineOf(first.html).heading, 'Campaigns');
    const sorted = await user.get(page + linkOf(first.html, 'Daily budget'));
    assert.deepEqual(namesIn(sorted.html).slice(0, 2), ['Bread 000', 'Bread 001']);
    assert.match(sorted.html, /aria-sort="ascending"/);
    const next = await user.get(page + linkOf(sorted.html, 'Next page'));
    assert.deepEqual(namesIn(next.html).at(-1), 'Bread 119');
    assert.equal(namesIn(next.html).length, 20);
    const turned = await user.get(page + linkOf(sorted.html, 'Daily budget'));
    assert.deepEqual(namesIn(turned.html)[0], 'Bread 119');
    assert.match(turned.html, /aria-sort="descending"/);
  });

  test('stays a plain table from page to page', async () => {
    const plain = await user.get(`${page}?view=plain&q=bread`);
    for (const link of ['Next page', 'Daily budget']) {
      const address = linkOf(plain.html, link);
      assert.match(address, /view=plain/);
      assert.doesNotMatch((await user.get(page + address)).html, GRID);
    }
    const back = linkOf(plain.html, 'Editable table');
    assert.match(back, /q=bread/);
    assert.match((await user.get(page + back)).html, GRID);
  });

  test('sorts by nothing else than its columns', async () => {
    for (const sort of ['id-asc', 'name', 'name-up', 'entity_status-asc'])
      assert.doesNotMatch((await user.get(`${page}?sort=${sort}`)).html, /aria-sort="(a|de)scending"/, sort);
  });

  test('is sorted by every column that says so, both ways', async () => {
    const [, campaign_id] = /campaigns\/(\w+)">Bread/.exec((await user.get(page)).html)!;
    const line = { campaign_id: campaign_id!, objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' };
    const made = await world.sandbox.call('POST', `${path}/line_items`, {
      params: { ...line, placements: 'ALL_ON_SERVICE' },
    });
    assert.equal(made.status, 200, made.text);
    for (const { resource, columns } of entityLists()) {
      for (const { name, label, isSortable = false } of columns) {
        for (const [order, says] of [
          ['asc', 'ascending'],
          ['desc', 'descending'],
        ]) {
          const address = `${page.replace('campaigns', resource)}?view=plain&sort=${name}-${order}`;
          const { status, html } = await user.get(address);
          assert.equal(status, 200, address);
          const [, heading = ''] = new RegExp(`<th scope="col"([^>]*)>(?:<a [^>]*>)?${label}<`).exec(html)!;
          assert.equal(/aria-sort="(\w+)"/.exec(heading)?.[1], isSortable ? says : undefined, address);
        }
      }
    }
  });

  test('is narrowed by name', async () => {
    const { html } = await user.get(`${page}?q=bread+01`);
    assert.equal(namesIn(html).length, 10);
    assert.match((await user.get(`${page}?q=cake`)).html, /No matches/);
  });

  test('comes whole as CSV, in the same order', async () => {
    const file = await user.get(`${page}?sort=name-desc&format=csv`);
    assert.match(file.headers.get('content-disposition')!, /campaigns-\w+\.csv/);
    const [head, first, ...rest] = file.html.split('\r\n');
    assert.equal(head, '"id","Name","Status","Daily budget","Total budget","currency"');
    assert.match(first!, /^"\w+","Bread 119","Paused",2\.69,,"USD"$/);
    assert.equal(rest.length, 120);
  });

  test('switches one, and says why not', async () => {
    const { html } = await user.get(`${page}?q=bread+000`);
    const [, id] = /campaigns\/(\w+)">Bread 000/.exec(html)!;
    const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
    const sent = await user.post(page, { authenticity_token, id: id!, entity_status: 'ACTIVE' });
    assert.equal(sent.location, `${page}#${id}`);
    const { body } = await world.sandbox.call('GET', `${path}/campaigns/${id}`);
    assert.equal(body.data.entity_status, 'ACTIVE');
    const wrong = await user.post(page, { authenticity_token, id: id!, entity_status: 'OPEN' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /role="alert"/);
  });
});

describe('the script of a list', () => {
  test('and that of forms are the only ones that its page may run; it does not come with the plain table', async () => {
    const { html, headers } = await user.get(page);
    const [, script] = GRID.exec(html)!;
    assert.deepEqual(
      [...html.matchAll(/<script[^>]*\/(\w+)-\w+\.js/g)].map(([, name]) => name),
      ['forms', 'grid'],
    );
    const policy = headers.get('content-security-policy')!;
    assert.match(
      policy,
      /default-src 'none'.*script-src 'self'.*require-trusted-types-for 'script'; trusted-types 'none'/,
    );
    const plain = await user.get(`${page}?view=plain`);
    assert.doesNotMatch(plain.html, GRID);
    for (const encoding of ['br', 'identity']) {
      const response = await fetch(world.service.url + script, { headers: { 'accept-encoding': encoding } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-encoding'), encoding === 'br' ? 'br' : null);
      assert.match(response.headers.get('cache-control')!, /immutable/);
      assert.match(response.headers.get('content-type')!, /^text\/javascript/);
      assert.match(await response.text(), /import|function/);
    }
  });

  test('gets the first rows with the page', async () => {
    const { html } = await user.get(page);
    const input = JSON.parse(unescaped(/data-input="([^"]+)"/.exec(html)![1]!));
    assert.equal(input.rows.length, 100);
    assert.equal(input.total, 120);
    assert.equal(input.mayChange, true);
  });
});
