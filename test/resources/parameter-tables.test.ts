// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { errorsOf, idOf, type LineItemFixture, lineItemCalls, type Params, VALID } from './line-item-calls.ts';

/**
 * The tables of parameters, copied from the reference word for word: what is declared in `src/features/ads` is held against them.
 * What a bad value of each kind is told stands in `test/behaviours/validation.test.ts`, which reads the declarations.
 */

let world: World;
let place: LineItemFixture;
let campaignId: string;
const { call, open, campaign, create, change } = lineItemCalls(() => world);
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', active_campaigns_max: 8000, active_line_items_max: 8000 },
  });
  place = await open();
  campaignId = await campaign(place);
});
after(() => world.close());

const STATUSES = 'ACTIVE DRAFT PAUSED';
const PRODUCT_TYPES = 'MEDIA PROMOTED_ACCOUNT PROMOTED_POSTS';
const CURRENCIES =
  'AED ARS AUD BHD BRL CAD CLP COP DZD EGP EUR GBP HKD IDR INR IQD JPY KRW KWD LBP MAD MXN MYR NZD PHP PKR QAR SAR ' +
  'SGD THB TND TRY USD VEF VND';
const FEATURES =
  'AGE_TARGETING ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE AWARENESS_OBJECTIVE BRAND_TPN ' +
  'CHARGE_FOR_GOOD_CLICK CITY_TARGETING CONVERSATION_CARD CONVERSATION_CARD_FOUR_OPTIONS CONVERSATION_CARD_UNLOCK ' +
  'CPI_CHARGING DIRECT_MESSAGE_CARD DR_TAP ENGAGER_RETARGETING EVENT_TARGETING INSTALLED_APP_CATEGORY_TARGETING ' +
  'MOBILE_CONVERSION_TRANSACTION_VALUE OPTIMIZED_ACTION_BIDDING OPTIMIZED_WEBSITE_CONVERSIONS ' +
  'PREROLL_VIEWS_OBJECTIVE PROMOTED_MEDIA_POLLS PTW_ON_SERVICE_PUBLISHER_NETWORK REACH_AND_FREQUENCY_ANALYTICS ' +
  'REACH_FREQUENCY_CAP SHARE_AUDIENCE_OUTSIDE_BUSINESS UNIVERSAL_LOOKALIKE VALIDATED_AGE_TARGETING ' +
  'VIDEO_APP_DOWNLOAD_CARD VIDEO_VIEWS_MIDROLL_OBJECTIVE VIDEO_VIEWS_OBJECTIVE WEBSITE_CLICKS_CPM_BILLING';

/** Which words a parameter knows, sorted; `@` is the account. @source advertising 2; campaigns 5 to 9 */
const WORDS: readonly (readonly [method: string, path: string, parameter: string, words: string])[] = [
  [
    'PUT',
    '@',
    'industry_type',
    'AGENCY BUSINESS_TO_BUSINESS EDUCATION FINANCIAL GOVERNMENT HEALTH MEDIA MOBILE ONLINE_SERVICES OTHER RESTAURANT ' +
      'RETAIL TECHNOLOGY TRAVEL',
  ],
  ['GET', '@/account_history', 'entity_type', 'CAMPAIGN LINE_ITEM PROMOTED_ACCOUNT PROMOTED_POST TARGETING_CRITERIA'],
  ['GET', '@/features', 'feature_keys', FEATURES],
  ['POST', '@/features', 'feature_keys', FEATURES],
  ['DELETE', '@/features', 'feature_keys', FEATURES],
  [
    'POST',
    '@/funding_instruments',
    'type',
    'AGENCY_CREDIT_LINE CREDIT_CARD CREDIT_LINE INSERTION_ORDER PARTNER_MANAGED',
  ],
  ['POST', '@/funding_instruments', 'currency', CURRENCIES],
  ['POST', '@/campaigns', 'budget_optimization', 'CAMPAIGN LINE_ITEM'],
  ['POST', '@/campaigns', 'entity_status', STATUSES],
  ['GET', '/12/line_items/placements', 'product_type', PRODUCT_TYPES],
  [
    'POST',
    '@/line_items',
    'objective',
    'APP_ENGAGEMENTS APP_INSTALLS ENGAGEMENTS FOLLOWERS PREROLL_VIEWS REACH VIDEO_VIEWS WEBSITE_CLICKS',
  ],
  ['POST', '@/line_items', 'product_type', PRODUCT_TYPES],
  [
    'POST',
    '@/line_items',
    'placements',
    'ALL_ON_SERVICE PUBLISHER_NETWORK SERVICE_PROFILE SERVICE_REPLIES SERVICE_SEARCH SERVICE_TIMELINE TAP_BANNER ' +
      'TAP_FULL TAP_FULL_LANDSCAPE TAP_MRECT TAP_NATIVE',
  ],
  ['POST', '@/line_items', 'entity_status', STATUSES],
  ['POST', '@/line_items', 'bid_strategy', 'AUTO MAX TARGET'],
  [
    'POST',
    '@/line_items',
    'goal',
    'APP_CLICKS APP_INSTALLS APP_PURCHASES ENGAGEMENT FOLLOWERS LINK_CLICKS MAX_REACH PREROLL PREROLL_STARTS ' +
      'REACH_WITH_ENGAGEMENT SITE_VISITS VIDEO_VIEW VIEW_15S VIEW_3S_100PCT VIEW_6S WEBSITE_CONVERSIONS',
  ],
  [
    'POST',
    '@/line_items',
    'pay_by',
    'APP_CLICK APP_INSTALL ENGAGEMENT FOLLOW IMPRESSION LINK_CLICK VIEW VIEW_3S_100PCT',
  ],
  ['POST', '@/line_items', 'audience_expansion', 'BROAD DEFINED EXPANDED'],
  ['POST', '@/line_items', 'duration_in_days', '1 7 30'],
];

describe('the words of a parameter', () => {
  for (const [method, path, parameter, words] of WORDS) {
    test(`${method} ${path} ${parameter}: ${words.length > 60 ? `${words.slice(0, 57)}...` : words}`, async () => {
      const reply = await call(method, path.replace('@', place.path), { [parameter]: 'NO_SUCH' });
      const said = reply.body.errors.filter((error: { parameter: string }) => error.parameter === parameter);
      const message = `Expected a value in ${words.replaceAll(' ', ', ')}, got "NO_SUCH" for ${parameter}`;
      assert.deepEqual([reply.status, said], [400, [{ code: 'INVALID_PARAMETER', message, parameter }]]);
    });
  }

  test('each industry can be set', async () => {
    for (const industry_type of WORDS[0]![3].split(' ')) {
      const reply = await call('PUT', place.path, { industry_type });
      assert.equal(reply.body.data.industry_type, industry_type);
    }
  });

  test('objectives of earlier versions are refused', async () => {
    for (const objective of ['AWARENESS', 'VIDEO_VIEWS_PREROLL', 'LEAD_GENERATION', 'WEBSITE_CONVERSIONS', 'CUSTOM']) {
      const reply = await call('POST', `${place.path}/line_items`, {
        ...VALID.ENGAGEMENTS,
        placements: 'ALL_ON_SERVICE',
        campaign_id: campaignId,
        objective,
      });
      assert.deepEqual(errorsOf(reply), ['INVALID_PARAMETER objective'], objective);
    }
  });
});

/** What must be given. @source advertising 4; campaigns 5.4, 5.6, 6.5, 7.2, 8.1, 9.1 */
const REQUIRED: readonly (readonly [method: string, path: string, names: string])[] = [
  ['PUT', '@', ''],
  ['GET', '@/account_history', 'entity_type entity_id'],
  ['GET', '@/features', ''],
  ['POST', '@/features', 'feature_keys'],
  ['DELETE', '@/features', 'feature_keys'],
  ['GET', '/12/bidding_rules', ''],
  ['GET', '/12/iab_categories', ''],
  ['GET', '@/curated_categories', 'country_codes'],
  ['POST', '@/funding_instruments', 'type currency start_time'],
  ['POST', '@/campaigns', 'name funding_instrument_id'],
  ['GET', '/12/line_items/placements', ''],
  ['POST', '@/line_items', 'campaign_id objective product_type placements'],
];

describe('required parameters', () => {
  for (const [method, path, names] of REQUIRED) {
    test(`${method} ${path}: ${names || 'nothing'}`, async () => {
      const reply = await call(method, path.replace('@', place.path));
      const missing = names.split(' ').filter(Boolean);
      assert.equal(reply.status, missing.length > 0 ? 400 : 200, reply.text);
      assert.deepEqual(
        errorsOf(reply),
        missing.map((name) => `MISSING_PARAMETER ${name}`),
      );
    });
  }
});

/** The longest text. @source advertising 23; campaigns 18 */
const LENGTHS: readonly (readonly [what: string, parameter: string, max: number])[] = [
  ['accounts', 'name', 255],
  ['campaigns', 'name', 255],
  ['campaigns', 'purchase_order_number', 50],
  ['line_items', 'name', 255],
];

describe('the longest text', () => {
  for (const [what, parameter, max] of LENGTHS) {
    test(`of ${parameter} of ${what} is ${max} characters`, async () => {
      const id = what === 'line_items' ? idOf(await create(place, 'ENGAGEMENTS')) : campaignId;
      const path = what === 'accounts' ? place.path : `${place.path}/${what}/${id}`;
      const longest = '\u{1f600}'.repeat(max);
      assert.equal((await call('PUT', path, { [parameter]: longest })).body.data[parameter], longest);
      const over = await call('PUT', path, { [parameter]: `${longest}x` });
      const message = `Expected a maximum length of ${max}, got ${max + 1} for ${parameter}`;
      assert.deepEqual(over.body.errors, [{ code: 'INVALID_PARAMETER', message, parameter }]);
    });
  }
});

/** What an update changes, one by one, and what it leaves as it is. @source campaigns 8.1, 9.1 and 1.4 */
const CAMPAIGN_WRITES: Params = {
  name: 'Autumn',
  daily_budget_amount_local_micro: 1_000_000,
  total_budget_amount_local_micro: 5_000_000,
  entity_status: 'PAUSED',
  standard_delivery: false,
  purchase_order_number: 'PO-1',
  budget_optimization: 'LINE_ITEM',
};
const CAMPAIGN_FIXED: Params = {
  id: 'zz9',
  funding_instrument_id: 'zz9',
  duration_in_days: 7,
  frequency_cap: 3,
  start_time: '2026-04-01',
  end_time: '2026-05-01',
  currency: 'EUR',
  effective_status: 'RUNNING',
  servable: true,
  reasons_not_servable: 'DELETED',
  created_at: '2020-01-01',
  deleted: true,
};
const LINE_WRITES: Params = {
  name: 'Autumn',
  entity_status: 'PAUSED',
  start_time: '2026-04-01T00:00:00Z',
  end_time: '2026-05-01T00:00:00Z',
  daily_budget_amount_local_micro: 1_000_000,
  total_budget_amount_local_micro: 5_000_000,
  standard_delivery: false,
  audience_expansion: 'EXPANDED',
  advertiser_domain: 'coffee.example',
  primary_web_event_tag: 'o2n4',
  android_store_identifier: 'com.harbour.brew',
  ios_store_identifier: '42',
};
const LINE_FIXED: Params = {
  id: 'zz9',
  campaign_id: 'zz9',
  objective: 'REACH',
  product_type: 'MEDIA',
  placements: 'SERVICE_TIMELINE',
  target_cpa_local_micro: 5,
  creative_source: 'AUTO',
  automatic_post_promotion: true,
  funding_instrument_id: 'zz9',
  currency: 'EUR',
  created_at: '2020-01-01',
  deleted: true,
};

describe('an update', () => {
  test('of a campaign changes each of its parameters separately', async () => {
    for (const [name, value] of Object.entries(CAMPAIGN_WRITES)) {
      const path = `${place.path}/campaigns/${await campaign(place)}`;
      const before = (await call('GET', path)).body.data;
      const { [name]: changed, ...others } = (await call('PUT', path, { [name]: value })).body.data;
      assert.deepEqual([changed === value, before[name] === value], [true, false], name);
      const { [name]: _, ...same } = before;
      const follows = name === 'budget_optimization' ? { standard_delivery: null } : {};
      const computed = name === 'entity_status' ? { reasons_not_servable: ['PAUSED_BY_ADVERTISER', 'INCOMPLETE'] } : {};
      assert.deepEqual(others, { ...same, ...follows, ...computed }, name);
    }
  });

  test('of a line item changes each of its parameters separately', async () => {
    for (const [name, value] of Object.entries(LINE_WRITES)) {
      const before = (await create(place, 'ENGAGEMENTS')).body.data;
      const { [name]: changed, ...others } = (await change(place, before.id, { [name]: value })).body.data;
      assert.deepEqual([changed === value, before[name] === value], [true, false], name);
      const { [name]: _, ...same } = before;
      assert.deepEqual(others, same, name);
    }
  });

  test('ignores fixed and computed fields and those of earlier versions', async () => {
    const path = `${place.path}/campaigns/${campaignId}`;
    const before = (await call('GET', path)).body.data;
    assert.deepEqual((await call('PUT', path, CAMPAIGN_FIXED)).body.data, before);
    const line = (await create(place, 'ENGAGEMENTS')).body.data;
    assert.deepEqual((await change(place, line.id, LINE_FIXED)).body.data, line);
  });
});

test('a create ignores computed fields and those of earlier versions', async () => {
  const { funding_instrument_id: _, ...fixed } = CAMPAIGN_FIXED;
  const made = await call('POST', `${place.path}/campaigns`, {
    name: 'Plain',
    funding_instrument_id: place.instrument,
    ...fixed,
  });
  const { id, ...plain } = (await call('GET', `${place.path}/campaigns/${await campaign(place)}`)).body.data;
  const { id: own, ...row } = made.body.data;
  assert.notEqual(own, id);
  assert.deepEqual(row, { ...plain, name: 'Plain' });
  assert.deepEqual(Object.keys(made.body.request.params).sort(), ['account_id', 'funding_instrument_id', 'name']);
});

test('a funding instrument is created without what the platform sets', async () => {
  const input = { type: 'PARTNER_MANAGED', currency: 'EUR', start_time: '2026-01-01T00:00:00Z' };
  const set = { description: 'Mine', io_header: 'Mine', entity_status: 'PAUSED', able_to_fund: false, deleted: true };
  const { data, request } = (await call('POST', `${place.path}/funding_instruments`, { ...input, ...set })).body;
  assert.deepEqual(request.params, { account_id: place.account, ...input });
  assert.deepEqual(
    [data.description, data.io_header, data.entity_status, data.able_to_fund, data.deleted],
    ['(no payment method has been set up yet)', null, 'ACTIVE', true, false],
  );
});

test('a funding instrument cannot be changed', async () => {
  const path = `${place.path}/funding_instruments/${place.instrument}`;
  const reply = await call('PUT', path, { funded_amount_local_micro: 1_000_000 });
  assert.deepEqual([reply.status, errorsOf(reply)], [405, ['METHOD_NOT_ALLOWED']]);
  assert.equal(reply.headers.get('allow'), 'GET, HEAD, DELETE, OPTIONS');
});
