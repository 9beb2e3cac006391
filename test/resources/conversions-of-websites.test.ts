import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { sealClickId, withClickId } from '../../src/features/delivery/conversions/click-id.ts';
import { conversionExpiry } from '../../src/features/delivery/expiry.ts';
import { recordSeen } from '../rig/ledger.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let place: { account: string; tag: string; line: string };
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_tag_events_per_15min: 60 } });
  const { account, instrument, path } = await openAccount(world.sandbox);
  const make = async (what: string, params: Record<string, string | number>) =>
    (await world.sandbox.call('POST', `${path}/${what}`, { params })).body.data.id as string;
  const campaign_id = await make('campaigns', {
    ...{ name: 'Spring', funding_instrument_id: instrument, daily_budget_amount_local_micro: 5_000_000 },
  });
  const line = await make('line_items', {
    ...{ campaign_id, name: 'Visits', objective: 'WEBSITE_CLICKS', product_type: 'PROMOTED_POSTS' },
    ...{ placements: 'ALL_ON_SERVICE', bid_strategy: 'AUTO', start_time: '2026-03-01', end_time: '2026-04-01' },
  });
  const tag = await make('web_event_tags', {
    ...{ name: 'Visits', type: 'SITE_VISIT', click_window: 7, view_through_window: 1, retargeting_enabled: 'false' },
  });
  place = { account, tag, line };
});
after(() => world.close());

/** A click id as it stands in the address of a landing page. */
function clickId(age_s: number, click = 'abcdefgh12345678'): string {
  const click_id = sealClickId(world.service.services.box, 'sandbox', {
    ...{ account_id: place.account, person: 'p1', touched_at: formatInstant(world.clock.now() - age_s * 1000) },
    ...{ kind: 'click', line_item_id: place.line, creative_id: 'c1', placement: 'ALL_ON_SERVICE', platform: 'UNKNOWN' },
    click,
  });
  const url = new URL(withClickId('https://shop.example/cakes?click_id=old&a=%20#top', click_id));
  assert.equal(url.href, `https://shop.example/cakes?a=%20&click_id=${click_id}#top`);
  return url.searchParams.get('click_id')!;
}

const eventOf = (changes: object = {}) => ({ website_tag_id: place.account, event_id: place.tag, ...changes });

const post = (body: unknown, base = world.service.sandboxUrl) =>
  fetch(`${base}/measurement/events`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://shop.example' },
  });

async function visits(): Promise<number> {
  const range = { account: place.account, from: '2026-01-01', until: '2027-01-01' };
  const rows = await world.service.store.read((tx) => tx.deliveryLedger.listDays(range));
  const hours = rows.flatMap(
    (row) => unpackHours(row.hours).metrics.get('conversion_site_visits.post_engagement') ?? [],
  );
  return hours.reduce((sum, number) => sum + number, 0);
}

describe('events of websites', () => {
  test('count with the click id of the landing page, each once', async () => {
    const before = await visits();
    const one = eventOf({ click_id: clickId(60), conversion_id: 'visit-1' });
    for (const _ of [1, 2]) {
      const reply = await post(one);
      assert.equal(reply.status, 204, await reply.text());
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
      assert.equal(reply.headers.get('set-cookie'), null);
    }
    assert.equal((await visits()) - before, 1);
  });

  test('without a click, or with one that is forged or too old, show that the tag works and count nothing', async () => {
    const before = await visits();
    for (const click_id of [undefined, 'forged', clickId(7 * 86_400 + 1)]) {
      assert.equal((await post(eventOf({ click_id }))).status, 204);
    }
    assert.equal((await visits()) - before, 0);
    const read = await world.sandbox.call('GET', `/12/accounts/${place.account}/web_event_tags/${place.tag}`);
    assert.equal(read.body.data.status, 'ACTIVE');
  });

  test('count for a click up to its limits, however often it was followed', async () => {
    const beyond = (parameter: string) => ({
      ...{ code: 'INVALID_PARAMETER', parameter },
      message:
        'For each click and event at most 100 events, 1000 things in each and 10000 USD in all count without credentials',
    });
    const errorsOf = async (event: object): Promise<unknown> => {
      const reply = await post(eventOf(event));
      if (reply.status === 204) return [];
      const body = (await reply.json()) as { errors: unknown };
      recordSeen({ family: 'ads', status: reply.status, body });
      return body.errors;
    };
    const click = 'limited000000000';
    const before = await visits();
    assert.deepEqual(await errorsOf({ click_id: clickId(60, click), value: 6000 }), []);
    assert.deepEqual(await errorsOf({ click_id: clickId(50, click), value: 4001 }), [beyond('value')]);
    assert.deepEqual(await errorsOf({ click_id: clickId(40, click), number_items: 1001 }), [beyond('number_items')]);
    assert.deepEqual(await errorsOf({ click_id: clickId(30, click), value: 9e9, price_currency: 'EUR' }), []);
    const key = { account_id: place.account, web_event_tag_id: place.tag, click };
    await world.service.store.write((tx) =>
      tx.conversions.saveOfClick({ ...key, events: 99, value_micro: 0, clicked_at: '2026-03-02T17:00:00Z' }),
    );
    assert.deepEqual(await errorsOf({ click_id: clickId(20, click), conversion_id: 'last' }), []);
    assert.deepEqual(await errorsOf({ click_id: clickId(10, click) }), [beyond('click_id')]);
    assert.deepEqual(await errorsOf({ click_id: clickId(10, click), conversion_id: 'last' }), []);
    assert.deepEqual(await errorsOf({ click_id: clickId(10, 'another000000000') }), []);
    assert.equal((await visits()) - before, 4);
  });

  const refused: readonly (readonly [string, () => unknown, status: number, errors: object[]])[] = [
    ['no JSON', () => 'x', 400, [{ code: 'INVALID_PARAMETER', message: 'Request body is not valid JSON' }]],
    [
      'no object',
      () => [],
      400,
      [{ code: 'INVALID_PARAMETER', message: 'Expected an object for event', parameter: 'event' }],
    ],
    [
      'neither tag nor event',
      () => ({}),
      400,
      ['website_tag_id', 'event_id'].map((parameter) => ({
        ...{ code: 'MISSING_PARAMETER', message: `"${parameter}" is a required parameter`, parameter },
      })),
    ],
    [
      'wrong members',
      () => eventOf({ value: 'x', number_items: 0, price_currency: '€', conversion_id: [], click_id: {} }),
      400,
      [
        { code: 'INVALID_PARAMETER', message: 'Expected text for click_id', parameter: 'click_id' },
        {
          code: 'INVALID_PARAMETER',
          message: 'Expected a currency of three letters for price_currency',
          parameter: 'price_currency',
        },
        { code: 'INVALID_PARAMETER', message: 'Expected text for conversion_id', parameter: 'conversion_id' },
        {
          code: 'INVALID_PARAMETER',
          message: 'Expected int between 1 and 1000000000, got "0" for number_items',
          ...{ parameter: 'number_items', value: '0', details: 'value out of range' },
        },
        { code: 'INVALID_PARAMETER', message: 'Expected an amount from 0 to 9000000000 for value', parameter: 'value' },
      ],
    ],
    [
      'an unknown website tag',
      () => eventOf({ website_tag_id: 'zzz' }),
      404,
      [{ code: 'NOT_FOUND', message: 'Website tag zzz was not found', parameter: 'website_tag_id', value: 'zzz' }],
    ],
    [
      'an unknown event',
      () => eventOf({ event_id: 'zzz' }),
      400,
      [{ code: 'INVALID_PARAMETER', message: 'EVENT', parameter: 'event_id' }],
    ],
  ];
  for (const [what, body, status, errors] of refused) {
    test(`with ${what} are refused`, async () => {
      const reply = await post(body());
      assert.equal(reply.status, status);
      const unknown = `Event_id (zzz) is not a web event tag of account ${place.account}`;
      const expected = JSON.parse(JSON.stringify(errors).replace('"EVENT"', JSON.stringify(unknown)));
      assert.deepEqual(((await reply.json()) as { errors: unknown }).errors, expected);
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    });
  }

  test('of the other environment are unknown', async () => {
    assert.equal((await post(eventOf(), world.service.url)).status, 404);
  });

  test('larger than 4 KiB are refused', async () => {
    assert.equal((await post(eventOf({ padding: 'x'.repeat(4096) }))).status, 413);
  });

  test('can be sent by any website, without credentials', async () => {
    const reply = await fetch(`${world.service.sandboxUrl}/measurement/events`, { method: 'OPTIONS' });
    assert.equal(reply.status, 204);
    assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    assert.equal(reply.headers.get('access-control-allow-credentials'), null);
    assert.equal(reply.headers.get('access-control-allow-methods'), 'POST');
    assert.equal(reply.headers.get('access-control-allow-headers'), 'content-type');
    const read = await fetch(`${world.service.sandboxUrl}/measurement/events`);
    assert.deepEqual([read.status, read.headers.get('allow')], [405, 'POST, OPTIONS']);
  });

  test('have a script that any website may load and browsers keep', async () => {
    const url = `${world.service.sandboxUrl}/measurement/tag.js`;
    const reply = await fetch(url);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(reply.headers.get('cache-control'), 'public, max-age=3600');
    assert.equal(reply.headers.get('cross-origin-resource-policy'), 'cross-origin');
    assert.match(await reply.text(), /eventTag/);
    const again = await fetch(url, { headers: { 'if-none-match': reply.headers.get('etag')! } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  test('are limited per address', async () => {
    let reply = await post(eventOf());
    for (let sent = 0; sent < 60 && reply.status === 204; sent++) reply = await post(eventOf());
    assert.equal(reply.status, 429);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  });
});

describe('touches and counted conversions', () => {
  test('are removed when no report can need them any more', async () => {
    const { store } = world.service;
    const now_ms = world.clock.now();
    const ago = (days: number): string => formatInstant(now_ms - days * 86_400_000);
    const account_id = 'expiry';
    const touch = (kind: 'view' | 'click', days: number) => ({
      ...{ account_id, person: 'p', touched_at: ago(days), kind, line_item_id: 'l', creative_id: 'c' },
      ...{ placement: 'TREND', platform: 'UNKNOWN' },
    });
    const touches = [touch('click', 180), touch('click', 181), touch('view', 120), touch('view', 121)];
    const counted = (conversion_id: string, days: number) => ({
      ...{ account_id, web_event_tag_id: 't', conversion_id, converted_at: ago(days) },
    });
    const CLICKED = { account_id, web_event_tag_id: 't' };
    const clicks = [['kept', 91] as const, ['gone', 92] as const];
    await store.write(async (tx) => {
      await tx.conversions.addTouches([...touches, ...touches]);
      await tx.conversions.saveCounted([counted('kept', 91), counted('gone', 92)]);
      for (const [click, days] of clicks) {
        const reported = { ...CLICKED, click, events: 1, value_micro: 0 };
        await tx.conversions.saveOfClick({ ...reported, clicked_at: ago(days) });
      }
    });
    const job = { kind: conversionExpiry.name, key: 'all' };
    await store.write((tx) => conversionExpiry.store(tx, job as never, undefined as never, ago(0)));
    const left = await store.read(async (tx) => [
      (await tx.conversions.listTouches(account_id, ['p'], ago(400))).map(({ kind, touched_at }) => [kind, touched_at]),
      (await tx.conversions.listCounted(account_id, 't', ['gone', 'kept'])).map(({ conversion_id }) => conversion_id),
      [(await tx.conversions.findOfClick({ ...CLICKED, click: 'kept' }))?.click],
      [(await tx.conversions.findOfClick({ ...CLICKED, click: 'gone' }))?.click],
    ]);
    assert.deepEqual(left, [
      [
        ['view', ago(120)],
        ['click', ago(180)],
      ],
      ['kept'],
      ['kept'],
      [undefined],
    ]);
  });
});
