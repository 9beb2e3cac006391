// On either database: a browser sees the same of both.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { sealClickId } from '../../src/features/delivery/conversions/click-id.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { closeAll, openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;
let website: Server;
let shop = '';
let account = '';
let line = '';
let embedded = '';

before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served' } });
  const opened = await openAccount(world.sandbox);
  account = opened.account;
  const make = async (what: string, params: Record<string, string | number>) =>
    (await world.sandbox.call('POST', `${opened.path}/${what}`, { params })).body.data;
  const campaign = await make('campaigns', {
    ...{ name: 'Spring', funding_instrument_id: opened.instrument, daily_budget_amount_local_micro: 5_000_000 },
  });
  const made = await make('line_items', {
    ...{ campaign_id: campaign.id, name: 'Visits', objective: 'WEBSITE_CLICKS', product_type: 'PROMOTED_POSTS' },
    ...{ placements: 'ALL_ON_SERVICE', bid_strategy: 'AUTO', start_time: '2026-03-01', end_time: '2026-04-01' },
  });
  line = made.id;
  const tag = await make('web_event_tags', {
    ...{ name: 'Visits', type: 'SITE_VISIT', click_window: 7, view_through_window: 1, retargeting_enabled: 'false' },
  });
  embedded = tag.embed_code;
  const service = world.service.sandboxUrl;
  website = createServer((_, response) => {
    // Nothing but the service is allowed, and no inline script.
    const policy = `default-src 'none'; script-src ${service}; connect-src ${service}`;
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
    response.end(`<!doctype html><title>Cakes</title><p>Cakes</p>${embedded}`);
  });
  await new Promise<void>((done) => website.listen(0, '127.0.0.1', done));
  // Another site than the service, which browsers know by the address.
  shop = `http://localhost:${(website.address() as AddressInfo).port}`;
  chromium = await startChromium();
});
after(async () => {
  website.close();
  await closeAll([chromium, world]);
});

async function visits(): Promise<number> {
  const range = { account, from: '2026-01-01', until: '2027-01-01' };
  const rows = await world.service.store.read((tx) => tx.deliveryLedger.listDays(range));
  const metric = 'conversion_site_visits.post_engagement';
  return rows.flatMap(({ hours }) => unpackHours(hours).metrics.get(metric) ?? []).reduce((sum, one) => sum + one, 0);
}

/** Opens a page and waits until its event was answered. */
async function visit(tab: Tab, path: string): Promise<void> {
  tab.forget();
  await tab.open(shop + path);
  const { params } = await tab.told(
    ({ method, params }) =>
      method === 'Network.responseReceived' && params.response.url.endsWith('/measurement/events'),
  );
  assert.equal(params.response.status, 204);
}

describe('the script on a website of its own', () => {
  test('reports the landing page and later ones, under a strict policy and without cookies', async () => {
    const click_id = sealClickId(world.service.services.box, 'sandbox', {
      ...{ account_id: account, person: 'p1', touched_at: formatInstant(world.clock.now() - 60_000), kind: 'click' },
      ...{ line_item_id: line, creative_id: 'c1', placement: 'ALL_ON_SERVICE', platform: 'UNKNOWN' },
      click: 'abcdefgh12345678',
    });
    const tab = await chromium.tab();
    await visit(tab, '/cakes');
    assert.equal(await visits(), 0);
    await visit(tab, `/cakes?click_id=${click_id}`);
    assert.equal(await visits(), 1);
    await visit(tab, '/thanks');
    assert.equal(await visits(), 2);
    assert.equal(await tab.look('document.cookie'), '');
    assert.equal(await tab.look("JSON.parse(localStorage.getItem('event_tag.click')).id"), click_id);
    const { cookies } = await tab.send('Network.getAllCookies');
    assert.deepEqual(cookies, []);
    const refused = tab.log.filter(
      ({ method, params }) => method === 'Log.entryAdded' && params.entry.level === 'error',
    );
    // Browsers ask every site for an icon, which this policy forbids too.
    assert.deepEqual(
      refused.map(({ params }) => params.entry.text).filter((text: string) => !text.includes('favicon')),
      [],
    );
  });
});
