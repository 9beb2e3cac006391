import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { localDayAt } from '../../src/base/zones.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { personNames } from '../../src/features/delivery/person-names.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { conversionCalls, type Place, RANGE, TAG } from './conversion-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
});
after(() => world.close());

const DAY_S = 86_400;
const sha256 = (text: string): string => hash('sha256', text);
const {
  ago,
  makeTag,
  makeLine,
  makeCampaign,
  openPlace,
  touchOf,
  addTouches,
  clickId,
  conversionOf,
  send,
  sendAll,
  counted,
  sums,
  sumsOf,
} = conversionCalls(() => world);

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
    const { date } = localDayAt(world.clock.now(), 'America/Los_Angeles');
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
    const day = localDayAt(at, 'America/Los_Angeles');
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
      const who = personNames(world.service.services.box, 'sandbox').ofUser('900000500');
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

async function instrumentOf({ client, path }: Place): Promise<string | undefined> {
  return (await client.call('GET', `${path}/funding_instruments`)).body.data[0]?.id;
}

/** Makes the directory know the e-mail address of a user. */
async function know(user_id: string, email: string): Promise<void> {
  const identifiers = Buffer.concat([Buffer.from(sha256(email).slice(0, 30), 'hex'), Buffer.of(0)]);
  await settlePeople(world, [person(user_id, { identifiers })]);
}
