// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADVERTISER_BUSINESS_CATEGORIES } from '../../src/features/ads/reference/categories.ts';
import { openWorld, type World } from '../rig/world.ts';
import {
  check,
  type Expected,
  errorsOf,
  idOf,
  type LineItemFixture,
  lineItemCalls,
  type ObjectiveName,
  type Params,
} from './line-item-calls.ts';

let world: World;
let place: LineItemFixture;
const { call, open, campaign, create, change } = lineItemCalls(() => world);
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', active_campaigns_max: 8000, active_line_items_max: 8000 },
  });
  place = await open();
});
after(() => world.close());

const NETWORK = { advertiser_domain: 'coffee.example', categories: 'IAB1' };

/** @source campaigns 9.2 and 9.4 */
const placed: readonly (readonly [ObjectiveName, Params, Expected])[] = [
  ['FOLLOWERS', { placements: 'SERVICE_TIMELINE' }, { placements: ['SERVICE_TIMELINE'] }],
  ['FOLLOWERS', { placements: 'SERVICE_SEARCH' }, ['INVALID placements']],
  [
    'ENGAGEMENTS',
    { placements: 'SERVICE_TIMELINE,SERVICE_PROFILE' },
    { placements: ['SERVICE_PROFILE', 'SERVICE_TIMELINE'] },
  ],
  [
    'ENGAGEMENTS',
    { placements: 'SERVICE_TIMELINE,SERVICE_SEARCH,SERVICE_PROFILE,SERVICE_REPLIES' },
    { placements: ['SERVICE_REPLIES', 'SERVICE_PROFILE', 'SERVICE_SEARCH', 'SERVICE_TIMELINE'] },
  ],
  ['ENGAGEMENTS', { placements: 'SERVICE_PROFILE' }, ['INVALID placements']],
  ['ENGAGEMENTS', { placements: 'TAP_FULL' }, ['INVALID placements']],
  ['ENGAGEMENTS', { placements: 'ALL_ON_SERVICE,SERVICE_TIMELINE' }, ['INVALID placements']],
  ['ENGAGEMENTS', { placements: 'SPOTLIGHT' }, ['INVALID_PLACEMENT_TYPE placements']],
  ['ENGAGEMENTS', { placements: 'ALL_ON_SERVICE,TREND' }, ['INVALID_PLACEMENT_TYPE placements']],
  ['ENGAGEMENTS', { placements: 'NOWHERE' }, ['INVALID_PARAMETER placements']],
  [
    'ENGAGEMENTS',
    { placements: 'PUBLISHER_NETWORK,ALL_ON_SERVICE', ...NETWORK },
    { placements: ['ALL_ON_SERVICE', 'PUBLISHER_NETWORK'] },
  ],
  [
    'ENGAGEMENTS',
    { placements: 'PUBLISHER_NETWORK' },
    ['MISSING_PARAMETER advertiser_domain', 'INVALID_PARAMETER categories'],
  ],
  ['PREROLL_VIEWS', { placements: 'TAP_MRECT' }, { placements: ['TAP_MRECT'] }],
  ['PREROLL_VIEWS', { placements: 'SERVICE_TIMELINE' }, ['INVALID placements']],
  ['REACH', { placements: 'SERVICE_SEARCH' }, ['INVALID placements']],
  ['REACH', { placements: 'PUBLISHER_NETWORK', ...NETWORK }, ['INVALID placements']],
  ['REACH', { placements: 'SERVICE_SEARCH,SERVICE_TIMELINE' }, { placements: ['SERVICE_SEARCH', 'SERVICE_TIMELINE'] }],
  ['ENGAGEMENTS', { product_type: 'MEDIA' }, ['INVALID product_type']],
  ['PREROLL_VIEWS', { product_type: 'PROMOTED_POSTS' }, ['INVALID product_type']],
  ['ENGAGEMENTS', { product_type: 'PROMOTED_ACCOUNT' }, { product_type: 'PROMOTED_ACCOUNT' }],
];

describe('placements and product types', () => {
  for (const [objective, params, then] of placed) {
    test(`${objective} ${JSON.stringify(params)} -> ${JSON.stringify(then)}`, async () => {
      check(await create(place, objective, params), then);
    });
  }

  test('a disallowed set is reported with the product type', async () => {
    const reply = await create(place, 'FOLLOWERS', { placements: 'SERVICE_SEARCH,SERVICE_PROFILE' });
    assert.deepEqual(reply.body.errors, [
      {
        code: 'INVALID',
        message: 'Product type PROMOTED_ACCOUNT is not compatible with placements SERVICE_SEARCH,SERVICE_PROFILE',
        attribute: 'placements',
      },
    ]);
  });

  test('every listed set is accepted and returned in the same order', async () => {
    const all = await call('GET', '/12/line_items/placements');
    assert.deepEqual(Object.keys(all.body).sort(), ['data', 'next_cursor', 'request']);
    const objectives: Record<string, ObjectiveName> = {
      PROMOTED_ACCOUNT: 'FOLLOWERS',
      PROMOTED_POSTS: 'ENGAGEMENTS',
      MEDIA: 'PREROLL_VIEWS',
    };
    assert.deepEqual(
      all.body.data.map((each: { product_type: string; placements: string[][] }) => [
        each.product_type,
        each.placements.length,
      ]),
      [
        ['PROMOTED_ACCOUNT', 2],
        ['PROMOTED_POSTS', 12],
        ['MEDIA', 7],
      ],
    );
    for (const { product_type, placements } of all.body.data) {
      for (const set of placements as string[][]) {
        const more = { ...NETWORK, categories: 'IAB7', placements: [...set].reverse().join(',') };
        check(await create(place, objectives[product_type]!, more), { placements: set });
      }
    }
  });

  test('can be listed for one product type', async () => {
    const one = await call('GET', '/12/line_items/placements', { product_type: 'PROMOTED_ACCOUNT' });
    assert.deepEqual(one.body, {
      request: { params: { product_type: 'PROMOTED_ACCOUNT' } },
      next_cursor: null,
      data: [{ product_type: 'PROMOTED_ACCOUNT', placements: [['ALL_ON_SERVICE'], ['SERVICE_TIMELINE']] }],
    });
    const wrong = await call('GET', '/12/line_items/placements', { product_type: 'CARDS' });
    assert.deepEqual(errorsOf(wrong), ['INVALID_PARAMETER product_type']);
  });
});

/** @source campaigns 9.1 */
const conditions: readonly (readonly [ObjectiveName, Params, Expected])[] = [
  ['ENGAGEMENTS', { start_time: '2026-04-01', end_time: '2026-04-01' }, ['INVALID end_time']],
  ['ENGAGEMENTS', { start_time: '2026-04-02', end_time: '2026-04-01' }, ['INVALID end_time']],
  ['ENGAGEMENTS', { end_time: '2026-03-02T17:04:55Z' }, ['INVALID end_time']],
  ['ENGAGEMENTS', { end_time: '2026-03-02T17:04:56Z' }, { end_time: '2026-03-02T17:04:56Z' }],
  ['ENGAGEMENTS', { start_time: '2020-01-01', end_time: '2027-01-01' }, { start_time: '2020-01-01T00:00:00Z' }],
  ['APP_INSTALLS', { android_store_identifier: '' }, ['MISSING_PARAMETER android_store_identifier']],
  ['APP_ENGAGEMENTS', { android_store_identifier: '' }, ['MISSING_PARAMETER android_store_identifier']],
  ['APP_INSTALLS', { android_store_identifier: '', ios_store_identifier: '9' }, { ios_store_identifier: '9' }],
  ['APP_INSTALLS', { ios_store_identifier: 'id9' }, ['INVALID_PARAMETER ios_store_identifier']],
  ['WEBSITE_CLICKS', { goal: 'WEBSITE_CONVERSIONS' }, ['MISSING_PARAMETER primary_web_event_tag']],
  ['ENGAGEMENTS', { advertiser_domain: 'coffee.example' }, { advertiser_domain: 'coffee.example' }],
  ['ENGAGEMENTS', { advertiser_domain: 'bücher.example' }, { advertiser_domain: 'bücher.example' }],
  ['ENGAGEMENTS', { advertiser_domain: 'https://coffee.example' }, ['INVALID advertiser_domain']],
  ['ENGAGEMENTS', { advertiser_domain: 'coffee.example/shop' }, ['INVALID advertiser_domain']],
  ['ENGAGEMENTS', { advertiser_domain: 'coffee' }, ['INVALID advertiser_domain']],
  ['ENGAGEMENTS', { advertiser_domain: '-coffee.example' }, ['INVALID advertiser_domain']],
  ['ENGAGEMENTS', { audience_expansion: 'BROAD' }, { audience_expansion: 'BROAD' }],
  ['ENGAGEMENTS', { audience_expansion: 'DEFINED' }, { audience_expansion: 'DEFINED' }],
  ['ENGAGEMENTS', { audience_expansion: 'EXPANDED' }, { audience_expansion: 'EXPANDED' }],
  ['ENGAGEMENTS', { advertiser_user_id: '1' }, ['INVALID_PARAMETER advertiser_user_id']],
  ['LEAD_GENERATION' as ObjectiveName, { product_type: 'PROMOTED_POSTS' }, ['INVALID_PARAMETER objective']],
  ['AWARENESS' as ObjectiveName, { product_type: 'PROMOTED_POSTS' }, ['INVALID_PARAMETER objective']],
];

describe('required fields of a line item', () => {
  for (const [objective, params, then] of conditions) {
    test(`${objective} ${JSON.stringify(params)} -> ${JSON.stringify(then)}`, async () => {
      check(await create(place, objective, params), then);
    });
  }

  test('the messages of rejected values', async () => {
    const cases: [Params, string][] = [
      [{ advertiser_user_id: '1' }, 'setting advertiser_user_id is not allowed'],
      [{ advertiser_domain: 'x' }, 'Invalid advertiser domain format'],
      [{ bid_amount_local_micro: 0 }, 'Expected a value greater than 0, got 0 for bid_amount_local_micro'],
      [{ placements: 'TREND' }, 'Placement TREND is not available'],
      [{ end_time: '2026-01-01' }, 'Expected end_time to be in the future'],
      [{ categories: 'IAB99' }, 'IAB category IAB99 was not found'],
    ];
    for (const [params, message] of cases) {
      const reply = await create(place, 'ENGAGEMENTS', params);
      assert.equal(reply.body.errors[0].message, message);
    }
    const id = idOf(await create(place, 'ENGAGEMENTS'));
    for (const advertiser_user_id of ['', '1']) {
      assert.deepEqual(errorsOf(await change(place, id, { advertiser_user_id })), [
        'INVALID_PARAMETER advertiser_user_id',
      ]);
    }
  });

  test('the end may be moved into the past, but not before the start', async () => {
    const id = idOf(await create(place, 'ENGAGEMENTS', { start_time: '2026-01-01', end_time: '2027-01-01' }));
    check(await change(place, id, { end_time: '2026-02-01' }), { end_time: '2026-02-01T00:00:00Z' });
    check(await change(place, id, { end_time: '2025-02-01' }), ['INVALID end_time']);
    check(await change(place, id, { start_time: '2026-03-01' }), ['INVALID end_time']);
    check(await change(place, id, { start_time: '', end_time: '' }), { start_time: null, end_time: null });
  });

  test('required fields cannot be cleared', async () => {
    const app = idOf(await create(place, 'APP_INSTALLS'));
    check(await change(place, app, { android_store_identifier: '' }), ['MISSING_PARAMETER android_store_identifier']);
    const network = idOf(await create(place, 'ENGAGEMENTS', { placements: 'PUBLISHER_NETWORK', ...NETWORK }));
    check(await change(place, network, { advertiser_domain: '' }), ['MISSING_PARAMETER advertiser_domain']);
    check(await change(place, network, { categories: '' }), ['INVALID_PARAMETER categories']);
    const preroll = idOf(await create(place, 'PREROLL_VIEWS'));
    check(await change(place, preroll, { categories: '' }), ['INVALID_PARAMETER categories']);
    const counted = { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'o2n4' };
    const site = idOf(await create(place, 'WEBSITE_CLICKS', counted));
    check(await change(place, site, { primary_web_event_tag: '' }), ['MISSING_PARAMETER primary_web_event_tag']);
    check(await change(place, site, { primary_web_event_tag: '', goal: 'SITE_VISITS' }), { goal: 'SITE_VISITS' });
  });
});

const CAPS = { frequency_cap: 3, duration_in_days: 7 };

/** @source campaigns 5.6 and 9.1 */
describe('frequency caps', () => {
  let capped: LineItemFixture;
  before(async () => {
    capped = await open();
    await call('POST', `${capped.path}/features`, { feature_keys: 'REACH_FREQUENCY_CAP' });
  });
  for (const [objective, params, then] of [
    ['REACH', CAPS, CAPS],
    ['REACH', { frequency_cap: 1, duration_in_days: 1 }, { frequency_cap: 1, duration_in_days: 1 }],
    ['REACH', { frequency_cap: 1, duration_in_days: 30 }, { frequency_cap: 1, duration_in_days: 30 }],
    ['ENGAGEMENTS', CAPS, CAPS],
    ['VIDEO_VIEWS', CAPS, CAPS],
    ['PREROLL_VIEWS', CAPS, CAPS],
    ['FOLLOWERS', CAPS, ['INVALID frequency_cap']],
    ['WEBSITE_CLICKS', CAPS, ['INVALID frequency_cap']],
    ['APP_INSTALLS', CAPS, ['INVALID frequency_cap']],
    ['APP_ENGAGEMENTS', CAPS, ['INVALID frequency_cap']],
    ['REACH', { frequency_cap: 3 }, ['INCLUSIVE_PARAMETERS duration_in_days']],
    ['REACH', { duration_in_days: 30 }, ['INCLUSIVE_PARAMETERS frequency_cap']],
    ['REACH', { ...CAPS, duration_in_days: 2 }, ['INVALID_PARAMETER duration_in_days']],
    ['REACH', { ...CAPS, frequency_cap: 0 }, ['INVALID_PARAMETER frequency_cap']],
  ] as readonly (readonly [ObjectiveName, Params, Expected])[]) {
    test(`${objective} ${JSON.stringify(params)} -> ${JSON.stringify(then)}`, async () => {
      check(await create(capped, objective, params), then);
    });
  }

  test('require an account feature when set', async () => {
    const refused = await create(place, 'REACH', CAPS);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'FEATURE_NOT_AVAILABLE',
        message: `Feature REACH_FREQUENCY_CAP is not available for account ${place.account}`,
        parameter: 'frequency_cap',
      },
    ]);
    const at = await open();
    await call('POST', `${at.path}/features`, { feature_keys: 'REACH_FREQUENCY_CAP' });
    const id = idOf(await create(at, 'REACH', CAPS));
    await call('DELETE', `${at.path}/features`, { feature_keys: 'REACH_FREQUENCY_CAP' });
    check(await change(at, id, { name: 'x', ...CAPS }), CAPS);
    check(await change(at, id, { frequency_cap: 4 }), ['FEATURE_NOT_AVAILABLE frequency_cap']);
    check(await change(at, id, { frequency_cap: '', duration_in_days: '' }), { frequency_cap: null });
  });

  test('are cleared together', async () => {
    const id = idOf(await create(capped, 'REACH', CAPS));
    const reply = await change(capped, id, { frequency_cap: '' });
    assert.deepEqual(reply.body.errors, [
      {
        code: 'INCLUSIVE_PARAMETERS',
        message: 'duration_in_days and frequency_cap are inclusive parameters',
        parameter: 'frequency_cap',
      },
    ]);
  });
});

/** @source campaigns 8.1, 9.1 and 1.3 */
describe('budgets', () => {
  const daily = (amount: number) => ({ daily_budget_amount_local_micro: amount });
  const total = (amount: number) => ({ total_budget_amount_local_micro: amount });
  const cases: readonly (readonly [campaign: Params, Params, Expected])[] = [
    [{ budget_optimization: 'LINE_ITEM' }, {}, { standard_delivery: true }],
    [{ budget_optimization: 'LINE_ITEM' }, { standard_delivery: false }, { standard_delivery: false }],
    [{}, {}, { standard_delivery: null }],
    [{}, { standard_delivery: false }, { standard_delivery: false }],
    [{}, daily(1_000_000), daily(1_000_000)],
    [{}, { ...daily(1_000_000), ...total(1_000_000) }, total(1_000_000)],
    [{}, { ...daily(2_000_000), ...total(1_000_000) }, ['INVALID daily_budget_amount_local_micro']],
    [total(5_000_000), total(5_000_000), total(5_000_000)],
    [total(5_000_000), total(6_000_000), ['INVALID total_budget_amount_local_micro']],
    [daily(1_000_000), { bid_amount_local_micro: 9_000_000 }, { bid_amount_local_micro: 9_000_000 }],
    [
      {},
      { ...daily(1), ...total(10_001), bid_amount_local_micro: 5 },
      [
        'INVALID_DENOMINATION bid_amount_local_micro',
        'INVALID_DENOMINATION daily_budget_amount_local_micro',
        'INVALID_DENOMINATION total_budget_amount_local_micro',
      ],
    ],
  ];
  for (const [above, params, then] of cases) {
    test(`${JSON.stringify(above)} ${JSON.stringify(params)} -> ${JSON.stringify(then)}`, async () => {
      const campaign_id = await campaign(place, above);
      check(await create(place, 'ENGAGEMENTS', { campaign_id, ...params }), then);
    });
  }

  test('standard delivery returns to its default when emptied', async () => {
    for (const [budget_optimization, standard_delivery] of [
      ['LINE_ITEM', true],
      ['CAMPAIGN', null],
    ] as const) {
      const campaign_id = await campaign(place, { budget_optimization });
      const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id, standard_delivery: false }));
      check(await change(place, id, { name: 'x' }), { standard_delivery: false });
      check(await change(place, id, { standard_delivery: '' }), { standard_delivery });
    }
  });

  test('the daily budget must not exceed the total budget, after merging with stored values', async () => {
    const id = idOf(await create(place, 'ENGAGEMENTS', { ...daily(2_000_000), ...total(3_000_000) }));
    check(await change(place, id, daily(4_000_000)), ['INVALID daily_budget_amount_local_micro']);
    check(await change(place, id, total(1_000_000)), ['INVALID daily_budget_amount_local_micro']);
    check(await change(place, id, { ...daily(1_000_000), ...total(1_000_000) }), daily(1_000_000));
    check(await change(place, id, { total_budget_amount_local_micro: '' }), { total_budget_amount_local_micro: null });
    check(await change(place, id, daily(9_000_000)), daily(9_000_000));
    check(await change(place, id, { ...daily(9_000_001) }), ['INVALID_DENOMINATION daily_budget_amount_local_micro']);
    check(await change(place, id, { daily_budget_amount_local_micro: '' }), { daily_budget_amount_local_micro: null });
  });

  test('must be multiples of the smallest unit of the currency', async () => {
    const yen = { type: 'CREDIT_CARD', currency: 'JPY', start_time: '2026-01-01' };
    const funding_instrument_id = idOf(await call('POST', `${place.path}/funding_instruments`, yen));
    const campaign_id = await campaign(place, { funding_instrument_id });
    const made = await create(place, 'ENGAGEMENTS', { campaign_id, ...daily(2_000_000) });
    check(made, { currency: 'JPY', funding_instrument_id, ...daily(2_000_000) });
    check(await change(place, idOf(made), { bid_strategy: 'MAX', bid_amount_local_micro: 1_500_000 }), [
      'INVALID_DENOMINATION bid_amount_local_micro',
    ]);
  });

  test('the total budget is checked when it changes, not when that of the campaign does', async () => {
    const campaign_id = await campaign(place, total(9_000_000));
    const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id, ...total(8_000_000) }));
    idOf(await call('PUT', `${place.path}/campaigns/${campaign_id}`, total(5_000_000)));
    check(await change(place, id, total(8_000_000)), total(8_000_000));
    check(await change(place, id, total(7_000_000)), ['INVALID total_budget_amount_local_micro']);
    check(await change(place, id, total(5_000_000)), total(5_000_000));
  });
});

/** @source campaigns 9.5 */
describe('categories', () => {
  const AUTO_AND_HEALTH = ['IAB7', 'IAB2'];
  const cases: readonly (readonly [ObjectiveName, string, Expected])[] = [
    ['PREROLL_VIEWS', 'IAB7', { categories: ['IAB7'] }],
    ['PREROLL_VIEWS', 'IAB7-1', { categories: ['IAB7'] }],
    ['PREROLL_VIEWS', 'IAB2-4,IAB7', { categories: AUTO_AND_HEALTH }],
    ['PREROLL_VIEWS', 'IAB3', { categories: ['IAB3', 'IAB13', 'IAB21'] }],
    ['PREROLL_VIEWS', 'IAB11', { categories: ['IAB11-4', 'IAB11-1', 'IAB11-2', 'IAB11-3', 'IAB11-5'] }],
    ['PREROLL_VIEWS', 'IAB2,IAB7,IAB18', ['INVALID categories']],
    ['PREROLL_VIEWS', 'IAB9', ['INVALID categories']],
    ['PREROLL_VIEWS', 'IAB26', ['INVALID categories']],
    ['PREROLL_VIEWS', 'IAB99', ['INVALID_IAB_CATEGORY categories']],
    ['PREROLL_VIEWS', '', ['INVALID_PARAMETER categories']],
    ['ENGAGEMENTS', 'IAB99,coffee', ['INVALID_IAB_CATEGORY categories', 'INVALID_IAB_CATEGORY categories']],
    ['ENGAGEMENTS', 'IAB2-4,IAB9,IAB1', { categories: ['IAB2-4', 'IAB9', 'IAB1'] }],
  ];
  for (const [objective, categories, then] of cases) {
    test(`${objective} ${categories} -> ${JSON.stringify(then)}`, async () => {
      check(await create(place, objective, { categories }), then);
    });
  }

  test('of one or two business categories are accepted unchanged', async () => {
    const businesses = ADVERTISER_BUSINESS_CATEGORIES;
    const id = idOf(await create(place, 'PREROLL_VIEWS'));
    for (const [index, { iab_categories }] of businesses.entries()) {
      check(await change(place, id, { categories: iab_categories.join(',') }), { categories: iab_categories });
      const two = [...iab_categories, ...businesses[(index + 1) % businesses.length]!.iab_categories];
      const both = await change(place, id, { categories: two.join(',') });
      assert.deepEqual([...both.body.data.categories].sort(), [...two].sort());
    }
    check(await change(place, id, { categories: 'IAB99' }), ['INVALID_IAB_CATEGORY categories']);
  });
});
