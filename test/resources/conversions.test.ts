import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { localDayAround } from '../../src/base/zones.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import type { DeliveryTouch } from '../../src/contract/store/conversions.ts';
import { sealClickId } from '../../src/features/delivery/conversions/click-id.ts';
import type { Client, Reply } from '../rig/client.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
});
after(() => world.close());

const DAY_S = 86_400;
const sha256 = (text: string): string => hash('sha256', text);
/** UTC text some seconds before the present. */
const ago = (seconds: number): string => formatInstant(world.clock.now() - seconds * 1000);

interface Place {
  readonly client: Client;
  readonly account: string;
  readonly path: string;
  readonly line: string;
  readonly tag: string;
}

const TAG = { name: 'Tickets', type: 'PURCHASE', click_window: 30, view_through_window: 1, retargeting_enabled: false };

async function makeTag(client: Client, path: string, changes: Record<string, string | number> = {}): Promise<string> {
  const made = await client.call('POST', `${path}/web_event_tags`, { params: { ...TAG, ...changes } });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

async function makeLine(
  client: Client,
  path: string,
  campaign_id: string,
  changes: Record<string, string> = {},
): Promise<string> {
  const made = await client.call('POST', `${path}/line_items`, {
    params: {
      ...{ campaign_id, name: 'Visits', objective: 'WEBSITE_CLICKS', product_type: 'PROMOTED_POSTS' },
      ...{ placements: 'ALL_ON_SERVICE', bid_strategy: 'AUTO', start_time: '2026-03-01', end_time: '2026-04-01' },
      ...changes,
    },
  });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

async function makeCampaign(client: Client, path: string, funding_instrument_id: string): Promise<string> {
  const params = { name: 'Spring', funding_instrument_id, daily_budget_amount_local_micro: 5_000_000 };
  const made = await client.call('POST', `${path}/campaigns`, { params });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

/** An account with a line item that leads to a website, and a tag for what is bought there. */
async function openPlace(client = world.sandbox, changes: Record<string, string | number> = {}): Promise<Place> {
  const { account, instrument, path } = await openAccount(client);
  const campaign = await makeCampaign(client, path, instrument);
  const [line, tag] = [await makeLine(client, path, campaign), await makeTag(client, path, changes)];
  return { client, account, path, line, tag };
}

const touchOf = (
  { account, line }: Place,
  kind: DeliveryTouch['kind'],
  touched_at: string,
  changes: Partial<DeliveryTouch> = {},
): DeliveryTouch => ({
  ...{ account_id: account, person: 'p1', touched_at, kind, line_item_id: line, creative_id: 'c1' },
  ...{ placement: 'ALL_ON_SERVICE', platform: '1', ...changes },
});

const addTouches = (...touches: DeliveryTouch[]) =>
  world.service.store.write((tx) => tx.conversions.addTouches(touches));

const clickId = (place: Place, touched_at: string, changes: Partial<DeliveryTouch> = {}, environment = 'sandbox') =>
  sealClickId(world.service.services.box, environment as 'sandbox', {
    ...touchOf(place, 'click', touched_at, changes),
    kind: 'click',
  });

type Conversion = Record<string, unknown>;

const conversionOf = (place: Place, identifiers: object[], changes: Conversion = {}): Conversion => ({
  ...{ conversion_time: ago(0), event_id: place.tag, identifiers, ...changes },
});

const send = ({ client, account }: Place, conversions: unknown): Promise<Reply> =>
  client.call('POST', `/12/measurement/conversions/${account}`, { json: { conversions } });

async function sendAll(place: Place, ...conversions: Conversion[]): Promise<void> {
  const reply = await send(place, conversions);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.data.conversions_processed, conversions.length);
  assert.match(reply.body.data.debug_id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(reply.body.request, { params: { account_id: place.account } });
}

const RANGE = { from: '2025-01-01', until: '2027-01-01' };

/** What the ledger has of an account: sums by line item, creative, day and metric. */
async function counted(place: Place): Promise<Record<string, Record<string, number>>> {
  const rows = await world.service.store.read((tx) => tx.deliveryLedger.listDays({ account: place.account, ...RANGE }));
  return Object.fromEntries(
    rows.map((row) => [`${row.line_item_id} ${row.creative_id} ${row.day}`, sumsOf(row.hours)]),
  );
}

function sumsOf(hours: Uint8Array): Record<string, number> {
  const { metrics } = unpackHours(hours);
  return Object.fromEntries([...metrics].map(([metric, numbers]) => [metric, numbers.reduce((a, b) => a + b, 0)]));
}

/** All metrics of an account, added up. */
async function sums(place: Place): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const metrics of Object.values(await counted(place))) {
    for (const [metric, sum] of Object.entries(metrics)) all[metric] = (all[metric] ?? 0) + sum;
  }
  return all;
}

const PURCHASED = 'conversion_purchases';

describe('web event tags', () => {
  test('tell their website tag, what to embed, and whether they are tracked', async () => {
    const place = await openPlace();
    const get = async () => (await place.client.call('GET', `${place.path}/web_event_tags/${place.tag}`)).body.data;
    const { created_at, updated_at, ...tag } = await get();
    assert.equal(created_at, updated_at);
    assert.deepEqual(tag, {
      ...TAG,
      ...{ id: place.tag, deleted: false, last_tracked_at: null, status: 'UNVERIFIED', auto_created: false },
      website_tag_id: place.account,
      embed_code: `<script async src="${world.service.sandboxUrl}/measurement/tag.js" data-website-tag-id="${place.account}" data-event-id="${place.tag}"></script>`,
    });
    await sendAll(place, conversionOf(place, [{ click_id: 'forged' }]));
    const tracked = await get();
    assert.equal(tracked.status, 'ACTIVE');
    assert.equal(tracked.last_tracked_at, ago(0));
    assert.equal(tracked.updated_at, updated_at);
  });

  for (const [name, value, message] of [
    ['click_window', 2, 'Expected a value in 1, 7, 14, 30, 60, 90, got "2" for click_window'],
    ['view_through_window', 60, 'Expected a value in 0, 1, 7, 14, 30, got "60" for view_through_window'],
    [
      'type',
      'BUY',
      'Expected a value in ADD_TO_CART, ADD_TO_WISHLIST, CHECKOUT_INITIATED, CONTENT_VIEW, CUSTOM, DOWNLOAD, LANDING_PAGE_VIEW, PAYMENT_INFO, PURCHASE, SEARCH, SIGN_UP, SITE_VISIT, SUBSCRIPTION, got "BUY" for type',
    ],
  ] as const) {
    test(`refuse ${name} ${value}`, async () => {
      const { path } = await openAccount(world.sandbox);
      const reply = await world.sandbox.call('POST', `${path}/web_event_tags`, { params: { ...TAG, [name]: value } });
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body.errors, [{ code: 'INVALID_PARAMETER', message, parameter: name }]);
    });
  }

  test('require everything that measures', async () => {
    const { path } = await openAccount(world.sandbox);
    const reply = await world.sandbox.call('POST', `${path}/web_event_tags`, { params: { retargeting_enabled: true } });
    assert.deepEqual(
      reply.body.errors.map(({ parameter }: { parameter: string }) => parameter),
      ['name', 'type', 'click_window', 'view_through_window'],
    );
  });
});

describe('conversions', () => {
  test('count for the click of their click id, with quantity and amount, by tag and platform', async () => {
    const place = await openPlace();
    const click_id = clickId(place, ago(2 * DAY_S));
    const more = { value: '29.90', number_items: 2, price_currency: 'usd', conversion_time: ago(3600) };
    await sendAll(place, conversionOf(place, [{ click_id }], more), conversionOf(place, [{ click_id }]));
    const { date } = localDayAround(world.clock.now(), 'America/Los_Angeles');
    const numbers = {
      [`${PURCHASED}.post_engagement`]: 2,
      [`${PURCHASED}.order_quantity_engagement`]: 2_000_000,
      [`${PURCHASED}.sale_amount_engagement`]: 29_900_000,
    };
    assert.deepEqual(await counted(place), { [`${place.line} c1 ${date}`]: numbers });
    for (const [segmentation, value] of [
      ['CONVERSION_TAGS', place.tag],
      ['PLATFORMS', '1'],
    ] as const) {
      const range = { account: place.account, ...RANGE, segmentation };
      const rows = await world.service.store.read((tx) => tx.deliveryLedger.listSegments(range));
      assert.deepEqual(
        rows.map((row) => [row.value, sumsOf(row.hours)]),
        [[value, numbers]],
      );
    }
  });

  test('count in the hour in which they happened', async () => {
    const place = await openPlace();
    const click_id = clickId(place, ago(5 * DAY_S));
    const at = world.clock.now() - 30 * 3_600_000;
    await sendAll(place, conversionOf(place, [{ click_id }], { conversion_time: formatInstant(at) }));
    const day = localDayAround(at, 'America/Los_Angeles');
    const [row] = await world.service.store.read((tx) =>
      tx.deliveryLedger.listDays({ account: place.account, ...RANGE }),
    );
    assert.equal(row!.day, day.date);
    const hours = unpackHours(row!.hours).metrics.get(`${PURCHASED}.post_engagement`)!;
    assert.equal(hours.indexOf(1), Math.floor((at - day.start_ms) / 3_600_000));
  });

  // A tag with a click window of 7 days and a view-through window of 1 day.
  const windows: readonly (readonly [string, { kind: 'view' | 'click'; s: number }[], string | undefined])[] = [
    ['a click on the last day', [{ kind: 'click', s: 7 * DAY_S }], 'post_engagement'],
    ['a click too long ago', [{ kind: 'click', s: 7 * DAY_S + 1 }], undefined],
    ['a click after it', [{ kind: 'click', s: -1 }], undefined],
    ['a view within a day', [{ kind: 'view', s: DAY_S }], 'post_view'],
    ['a view too long ago', [{ kind: 'view', s: DAY_S + 1 }], undefined],
    [
      'a click before a later view',
      [
        { kind: 'click', s: 3 * DAY_S },
        { kind: 'view', s: 60 },
      ],
      'post_engagement',
    ],
    [
      'a view when the click is too long ago',
      [
        { kind: 'click', s: 8 * DAY_S },
        { kind: 'view', s: 60 },
      ],
      'post_view',
    ],
  ];
  for (const [what, touches, part] of windows) {
    test(`of a known person count for ${part ? '' : 'nothing with '}${what}`, async () => {
      const place = await openPlace(world.sandbox, { click_window: 7 });
      const who = `u:${900_000_500}`;
      await know('900000500', 'ada@example.com');
      await addTouches(...touches.map(({ kind, s }) => touchOf(place, kind, ago(s), { person: who })));
      await sendAll(place, conversionOf(place, [{ hashed_email: sha256('ada@example.com') }]));
      assert.deepEqual(await sums(place), part ? { [`${PURCHASED}.${part}`]: 1 } : {});
    });
  }

  test('count for the last of several clicks', async () => {
    const place = await openPlace();
    const campaign = await makeCampaign(place.client, place.path, (await instrumentOf(place))!);
    const second = await makeLine(place.client, place.path, campaign);
    await addTouches(touchOf(place, 'click', ago(60), { line_item_id: second, creative_id: 'c2' }));
    // The click id is of an earlier click of the same person.
    await sendAll(place, conversionOf(place, [{ click_id: clickId(place, ago(3600)) }]));
    assert.deepEqual(
      Object.keys(await counted(place)).map((key) => key.split(' ')[0]),
      [second],
    );
  });

  test('count for line items that the tag measures', async () => {
    const place = await openPlace();
    const campaign = await makeCampaign(place.client, place.path, (await instrumentOf(place))!);
    const reach = await makeCampaign(place.client, place.path, (await instrumentOf(place))!);
    const other = await makeTag(place.client, place.path);
    const goal = 'WEBSITE_CONVERSIONS';
    const cases = [
      [await makeLine(place.client, place.path, campaign, { goal, primary_web_event_tag: place.tag }), 1],
      [await makeLine(place.client, place.path, campaign, { goal, primary_web_event_tag: other }), 0],
      [await makeLine(place.client, place.path, reach, { objective: 'REACH' }), 0],
    ] as const;
    for (const [line_item_id, count] of cases) {
      const before = (await sums(place))[`${PURCHASED}.post_engagement`] ?? 0;
      await sendAll(place, conversionOf(place, [{ click_id: clickId(place, ago(60), { line_item_id }) }]));
      assert.equal(((await sums(place))[`${PURCHASED}.post_engagement`] ?? 0) - before, count);
    }
  });

  test('with one id count once, for each tag', async () => {
    const place = await openPlace();
    const second = { ...place, tag: await makeTag(place.client, place.path, { type: 'SIGN_UP' }) };
    const identifiers = [{ click_id: clickId(place, ago(60)) }];
    const once = { conversion_id: 'order-1' };
    await sendAll(place, conversionOf(place, identifiers, once), conversionOf(place, identifiers, once));
    await sendAll(place, conversionOf(place, identifiers, once));
    await sendAll(second, conversionOf(second, identifiers, once));
    // One that could not be attributed may be sent again.
    await sendAll(place, conversionOf(place, [{ click_id: 'forged' }], { conversion_id: 'order-2' }));
    await sendAll(place, conversionOf(place, identifiers, { conversion_id: 'order-2' }));
    const expected = { [`${PURCHASED}.post_engagement`]: 2, 'conversion_sign_ups.post_engagement': 1 };
    assert.deepEqual(await sums(place), expected);
  });

  test('sent twice at the same time count once', async () => {
    const place = await openPlace();
    const one = conversionOf(place, [{ click_id: clickId(place, ago(60)) }], { conversion_id: 'order' });
    await Promise.all([sendAll(place, one), sendAll(place, one), sendAll(place, one)]);
    assert.deepEqual(await sums(place), { [`${PURCHASED}.post_engagement`]: 1 });
  });

  test('in another currency count, but not their amount', async () => {
    const place = await openPlace();
    const money = { value: 5, price_currency: 'EUR', number_items: 1 };
    await sendAll(place, conversionOf(place, [{ click_id: clickId(place, ago(60)) }], money));
    assert.deepEqual(await sums(place), {
      [`${PURCHASED}.post_engagement`]: 1,
      [`${PURCHASED}.order_quantity_engagement`]: 1_000_000,
    });
  });

  test('count nothing with click ids that are forged, expired, of another environment or another account', async () => {
    const place = await openPlace(world.sandbox, { click_window: 90 });
    const foreign = await openPlace();
    const good = clickId(place, ago(60));
    const wrong = [
      'forged',
      `${good.slice(0, -2)}${good.endsWith('AA') ? 'BB' : 'AA'}`,
      clickId(place, ago(90 * DAY_S + 1)),
      clickId(place, ago(60), {}, 'production'),
      clickId(foreign, ago(60)),
    ];
    await sendAll(place, ...wrong.map((click_id) => conversionOf(place, [{ click_id }])));
    assert.deepEqual(await sums(place), {});
    assert.deepEqual(await sums(foreign), {});
  });

  test('of a tag of another account are refused', async () => {
    const [place, foreign] = [await openPlace(), await openPlace()];
    const reply = await send(place, [conversionOf({ ...place, tag: foreign.tag }, [{ click_id: 'x' }])]);
    assert.equal(reply.status, 400);
    // Both have the same first id, or not: an id that the account lacks is wrong either way.
    const message = `Event_id (${foreign.tag}) is not a web event tag of account ${place.account}`;
    const parameter = 'conversions[0].event_id';
    assert.deepEqual(reply.body.errors, [{ code: 'INVALID_PARAMETER', message, parameter }]);
  });

  test('name their event alone or behind the website tag, and deleted ones are unknown', async () => {
    const place = await openPlace();
    const identifiers = [{ click_id: clickId(place, ago(60)) }];
    for (const event_id of [`${place.account}-${place.tag}`, `wt-${place.account}-${place.tag}`]) {
      await sendAll(place, conversionOf(place, identifiers, { event_id }));
    }
    assert.deepEqual(await sums(place), { [`${PURCHASED}.post_engagement`]: 2 });
    await place.client.call('DELETE', `${place.path}/web_event_tags/${place.tag}`);
    assert.equal((await send(place, [conversionOf(place, identifiers)])).status, 400);
  });

  test('need access to the account, in its environment', async () => {
    const place = await openPlace();
    const conversions = [conversionOf(place, [{ click_id: 'x' }])];
    assert.equal((await send({ ...place, client: world.other }, conversions)).status, 403);
    assert.equal((await send({ ...place, client: world.production }, conversions)).status, 403);
  });

  const good = { conversion_time: '2026-03-02T17:00:00Z', event_id: 'TAG', identifiers: [{ click_id: 'x' }] };
  const hashed = (name: string, value: unknown) => ({ ...good, identifiers: [{ [name]: value }] });
  const wrong: readonly (readonly [string, unknown, code: string, message: string, parameter: string])[] = [
    ['no conversions', undefined, 'MISSING_PARAMETER', '"conversions" is a required parameter', 'conversions'],
    ['an empty list', [], 'MISSING_PARAMETER', '"conversions" is a required parameter', 'conversions'],
    ['no list', 'x', 'INVALID_PARAMETER', 'Expected a list for conversions', 'conversions'],
    [
      '501 conversions',
      Array.from({ length: 501 }, () => good),
      'INVALID_PARAMETER',
      'Conversion count limit is 500',
      'conversions',
    ],
    ['a conversion that is none', [1], 'INVALID_PARAMETER', 'Expected an object for conversions[0]', 'conversions[0]'],
    ...(['conversion_time', 'event_id'] as const).map(
      (name) =>
        [
          `no ${name}`,
          [{ ...good, [name]: undefined }],
          'MISSING_PARAMETER',
          `"conversions[0].${name}" is a required parameter`,
          `conversions[0].${name}`,
        ] as const,
    ),
    [
      'a wrong time',
      [good, { ...good, conversion_time: 'yesterday' }],
      'INVALID_PARAMETER',
      'Expected time, got "yesterday" for conversions[1].conversion_time',
      'conversions[1].conversion_time',
    ],
    ...['2026-03-02T17:10:00Z', '2025-11-30T00:00:00Z'].map(
      (conversion_time) =>
        [
          `a time like ${conversion_time}`,
          [{ ...good, conversion_time }],
          'INVALID_PARAMETER',
          `Expected a time within the last 90 days, got "${conversion_time}" for conversions[0].conversion_time`,
          'conversions[0].conversion_time',
        ] as const,
    ),
    ...([undefined, [], [{}], [{ ip_address: '192.0.2.1' }], [{ user_agent: 'Browser' }]] as const).map(
      (identifiers) =>
        [
          `identifiers ${JSON.stringify(identifiers)}`,
          [{ ...good, identifiers }],
          'INVALID_PARAMETER',
          'At least one user identifier must be provided',
          'conversions[0].identifiers',
        ] as const,
    ),
    [
      'identifiers that are no list',
      [{ ...good, identifiers: { click_id: 'x' } }],
      'INVALID_PARAMETER',
      'Expected a list for conversions[0].identifiers',
      'conversions[0].identifiers',
    ],
    [
      'an identifier that is no object',
      [{ ...good, identifiers: ['x'] }],
      'INVALID_PARAMETER',
      'Expected an object for conversions[0].identifiers[0]',
      'conversions[0].identifiers[0]',
    ],
    [
      'a click id that is too long',
      [hashed('click_id', 'x'.repeat(1025))],
      'INVALID_PARAMETER',
      'Expected a maximum length of 1024, got 1025 for conversions[0].identifiers[0].click_id',
      'conversions[0].identifiers[0].click_id',
    ],
    ...['hashed_email', 'hashed_phone_number'].flatMap((name) => {
      const parameter = `conversions[0].identifiers[0].${name}`;
      const nothing = `Expected SHA256 hash of a value for ${parameter}, got that of an empty text`;
      return [
        [
          `a plain ${name}`,
          [hashed(name, 'a@b.c')],
          'INVALID_PARAMETER',
          `Expected SHA256 hash for ${parameter}`,
          parameter,
        ],
        [`an empty ${name}`, [hashed(name, sha256(''))], 'INVALID_PARAMETER', nothing, parameter],
      ] as const;
    }),
    ...([-1, 'x', '1,5', 9_000_000_001, true] as const).map(
      (value) =>
        [
          `a value of ${value}`,
          [{ ...good, value }],
          'INVALID_PARAMETER',
          'Expected an amount from 0 to 9000000000 for conversions[0].value',
          'conversions[0].value',
        ] as const,
    ),
    [
      'a wrong currency',
      [{ ...good, price_currency: 'EURO' }],
      'INVALID_PARAMETER',
      'Expected a currency of three letters for conversions[0].price_currency',
      'conversions[0].price_currency',
    ],
    [
      'a quantity of 0',
      [{ ...good, number_items: 0 }],
      'INVALID_PARAMETER',
      'Expected int between 1 and 1000000000, got "0" for conversions[0].number_items',
      'conversions[0].number_items',
    ],
    [
      'a quantity of 1.5',
      [{ ...good, number_items: 1.5 }],
      'INVALID_PARAMETER',
      'Expected Long, got "1.5" for conversions[0].number_items',
      'conversions[0].number_items',
    ],
    ...(['conversion_id', 'description', 'event_source_url'] as const).map(
      (name) =>
        [
          `${name} that is no text`,
          [{ ...good, [name]: [] }],
          'INVALID_PARAMETER',
          `Expected text for conversions[0].${name}`,
          `conversions[0].${name}`,
        ] as const,
    ),
    [
      'contents that are no list',
      [{ ...good, contents: {} }],
      'INVALID_PARAMETER',
      'Expected a list for conversions[0].contents',
      'conversions[0].contents',
    ],
    [
      'contents with a wrong price',
      [{ ...good, contents: [{ content_id: '1' }, { content_price: 'x' }] }],
      'INVALID_PARAMETER',
      'Expected an amount from 0 to 9000000000 for conversions[0].contents[1].content_price',
      'conversions[0].contents[1].content_price',
    ],
  ];
  for (const [what, conversions, code, message, parameter] of wrong) {
    test(`with ${what} are refused as a whole`, async () => {
      const reply = await send(await commonPlace(), conversions);
      assert.equal(reply.status, 400);
      const [{ details: _, value: __, ...error }, ...others] = reply.body.errors;
      assert.deepEqual([error, others], [{ code, message, parameter }, []]);
    });
  }

  test('report all errors, up to a hundred', async () => {
    const reply = await send(
      await commonPlace(),
      Array.from({ length: 70 }, () => ({ identifiers: [{ click_id: 'x' }] })),
    );
    assert.equal(reply.body.errors.length, 101);
    assert.equal(reply.body.errors.at(-1).message, '40 further errors in this operation');
  });

  test('with address and browser together are accepted, and count nothing', async () => {
    const place = await openPlace();
    await sendAll(place, conversionOf(place, [{ ip_address: '192.0.2.1', user_agent: 'Browser' }]));
    assert.deepEqual(await sums(place), {});
  });
});

describe('conversions where no ads are served', () => {
  test('are accepted and count nothing', async () => {
    const off = await openWorld();
    try {
      const { account, path } = await openAccount(off.sandbox);
      const tag = await makeTag(off.sandbox, path);
      const json = {
        conversions: [
          { conversion_time: formatInstant(off.clock.now()), event_id: tag, identifiers: [{ click_id: 'x' }] },
        ],
      };
      const reply = await off.sandbox.call('POST', `/12/measurement/conversions/${account}`, { json });
      assert.equal(reply.body.data.conversions_processed, 1);
      const read = await off.sandbox.call('GET', `${path}/web_event_tags/${tag}`);
      assert.equal(read.body.data.status, 'ACTIVE');
      const days = await off.service.store.read((tx) => tx.deliveryLedger.listDays({ account, ...RANGE }));
      assert.deepEqual(days, []);
    } finally {
      await off.close();
    }
  });
});

let common: Place | undefined;
async function commonPlace(): Promise<Place> {
  common ??= await openPlace();
  return common;
}

async function instrumentOf({ client, path }: Place): Promise<string | undefined> {
  return (await client.call('GET', `${path}/funding_instruments`)).body.data[0]?.id;
}

/** Makes the directory know the e-mail address of a user. */
async function know(user_id: string, email: string): Promise<void> {
  const identifiers = Buffer.concat([Buffer.from(sha256(email).slice(0, 30), 'hex'), Buffer.of(0)]);
  await settlePeople(world, [person(user_id, { identifiers })]);
}
