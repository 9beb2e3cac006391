import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type StatsPlace, statsCalls } from './stats-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());
const calls = statsCalls(() => world);
const { openPlace, deliver, asking, get } = calls;

const errorsOf = ({ body }: Reply) => body.errors;
const midnight = {
  code: 'INVALID_TIME_WINDOW',
  message: "Expect time to be midnight in the account's local timezone for day granularity",
  parameter: '',
};
/** The metrics of the first part of an entity. */
const metricsOf = ({ body }: Reply, at = 0) => body.data[at].id_data[0].metrics;
const range = (start_time: string, end_time: string) => ({ start_time, end_time });

describe('statistics', () => {
  let place: StatsPlace;
  before(async () => {
    place = await openPlace();
    await deliver(
      place,
      {
        line: 0,
        day: '2026-03-01',
        numbers: {
          impressions: { 10: 2995, 11: 734 },
          engagements: { 10: 65, 11: 7 },
          likes: { 10: 9, 11: 1 },
          billed_engagements: { 10: 65, 11: 7 },
          billed_charge_local_micro: { 10: 13_000_000, 11: 1_400_000 },
        },
      },
      { line: 0, creative: 1, day: '2026-03-01', numbers: { impressions: { 11: 6 } }, placement: 'SERVICE_TIMELINE' },
      { line: 0, day: '2026-03-01', numbers: { impressions: { 11: 5 } }, placement: 'SPOTLIGHT' },
      { line: 1, day: '2026-03-01', numbers: { impressions: { 10: 1 } } },
    );
  });

  test('have the documented members, null without activity, and zeros beside activity', async () => {
    const [first, , third] = place.lines;
    const reply = await get(place, {
      ...asking([third!.id, first!.id]),
      ...{ granularity: 'HOUR', ...range('2026-03-01T17:00:00Z', '2026-03-01T20:00:00Z') },
    });
    assert.equal(reply.status, 200, reply.text);
    const nothing = {
      ...{ impressions: null, posts_send: null, qualified_impressions: null, follows: null, app_clicks: null },
      ...{ reposts: null, unfollows: null, likes: null, engagements: null, clicks: null, card_engagements: null },
      ...{ poll_card_vote: null, replies: null, url_clicks: null, carousel_swipes: null },
      ...{ billed_engagements: null, billed_charge_local_micro: null },
    };
    const something = {
      ...{ ...nothing, impressions: [0, 2995, 740], likes: [0, 9, 1], engagements: [0, 65, 7] },
      ...{ billed_engagements: [0, 65, 7], billed_charge_local_micro: [0, 13_000_000, 1_400_000] },
    };
    const expected = {
      data_type: 'stats',
      time_series_length: 3,
      data: [
        { id: third!.id, id_data: [{ segment: null, metrics: nothing }] },
        { id: first!.id, id_data: [{ segment: null, metrics: something }] },
      ],
      request: {
        params: {
          ...{ start_time: '2026-03-01T17:00:00Z', segmentation_type: null, entity_ids: [third!.id, first!.id] },
          ...{ end_time: '2026-03-01T20:00:00Z', country: null, placement: 'ALL_ON_SERVICE', granularity: 'HOUR' },
          ...{ entity: 'LINE_ITEM', platform: null, metric_groups: ['ENGAGEMENT', 'BILLING'] },
        },
      },
    };
    assert.equal(reply.text, JSON.stringify(expected));
  });

  test('are null in a range beside one with zeros', async () => {
    const of = asking([place.lines[0]!.id], { granularity: 'HOUR' });
    const before = await get(place, { ...of, ...range('2026-03-01T16:00:00Z', '2026-03-01T18:00:00Z') });
    const after = await get(place, { ...of, ...range('2026-03-01T18:00:00Z', '2026-03-01T21:00:00Z') });
    assert.equal(metricsOf(before).impressions, null);
    assert.deepEqual(metricsOf(after).impressions, [2995, 740, 0]);
  });

  test('accept words in any case, a slash at the end and offsets, and ignore what they do not know', async () => {
    const reply = await world.sandbox.call('GET', `/12/stats/accounts/${place.account}/`, {
      params: {
        ...{ entity: 'line_item', entity_ids: place.lines[0]!.id, granularity: 'hour', placement: 'all_on_service' },
        ...{ metric_groups: 'billing', ...range('2026-03-01T10:00:00-0800', '2026-03-02T05:00:00+09') },
        ...{ with_deleted: 'true', segmentation_type: 'AGE', count: '3' },
      },
    });
    assert.equal(reply.status, 200, reply.text);
    const { params } = reply.body.request;
    assert.deepEqual([params.entity, params.granularity, params.placement], ['LINE_ITEM', 'HOUR', 'ALL_ON_SERVICE']);
    assert.deepEqual([params.start_time, params.end_time], ['2026-03-01T18:00:00Z', '2026-03-01T20:00:00Z']);
    assert.deepEqual([params.segmentation_type, params.metric_groups], [null, ['BILLING']]);
    assert.deepEqual(metricsOf(reply).billed_engagements, [65, 7]);
    assert.equal(reply.headers.get('x-ignored-parameters'), 'with_deleted, segmentation_type, count');
  });

  test('are of one placement', async () => {
    const of = { ...asking([place.lines[0]!.id]), ...range('2026-03-01', '2026-03-02') };
    const impressions = async (placement: string) => metricsOf(await get(place, { ...of, placement })).impressions;
    assert.deepEqual(await impressions('ALL_ON_SERVICE'), [3735]);
    assert.deepEqual(await impressions('SPOTLIGHT'), [5]);
    assert.equal(await impressions('TREND'), null);
    const nothing = await get(place, { ...of, placement: 'PUBLISHER_NETWORK' });
    assert.equal(
      nothing.headers.get('x-hint'),
      'Nothing was delivered with the placement PUBLISHER_NETWORK, but with ALL_ON_SERVICE, SPOTLIGHT.',
    );
  });

  test('of ids of another kind are left out, and a hint tells the kind', async () => {
    const other = await openPlace();
    const ids = [place.campaigns[0]!, other.lines[0]!.id, 'zz9'];
    const of = { ...asking(ids, { granularity: 'HOUR' }), ...range('2026-03-01', '2026-03-08') };
    const reply = await get(place, of);
    assert.equal(reply.status, 200);
    assert.deepEqual([reply.body.data, reply.body.time_series_length], [[], 168]);
    const hint = `The entity is LINE_ITEM, but ${place.campaigns[0]} can be found with CAMPAIGN.`;
    assert.equal(reply.headers.get('x-hint'), hint);
    const unknown = await get(place, { ...of, entity_ids: 'zz9' });
    assert.equal(unknown.headers.get('x-hint'), 'The account has no entities with the ids zz9.');
    const account = await get(place, { ...of, entity: 'ACCOUNT', entity_ids: other.account });
    assert.deepEqual(account.body.data, []);
  });

  test('of a range without activity come with a hint at when there was some', async () => {
    const of = { ...asking([place.lines[1]!.id]), ...range('2026-02-01', '2026-02-02') };
    const reply = await get(place, of);
    assert.equal(
      reply.headers.get('x-hint'),
      'Nothing of these metrics in this range; something was delivered from 2026-03-01 to 2026-03-01, days in America/Los_Angeles.',
    );
    const never = await get(place, { ...of, entity_ids: place.lines[3]!.id });
    assert.equal(never.headers.get('x-hint'), 'Nothing was ever delivered.');
  });

  test('of deleted entities are like any other', async () => {
    const own = await openPlace();
    await deliver(own, { line: 0, day: '2026-03-01', numbers: { impressions: { 3: 8 } } });
    await world.sandbox.call('DELETE', `/12/accounts/${own.account}/campaigns/${own.campaigns[0]}`);
    const day = range('2026-03-01', '2026-03-02');
    for (const [entity, id] of [
      ['CAMPAIGN', own.campaigns[0]!],
      ['LINE_ITEM', own.lines[0]!.id],
      ['PROMOTED_POST', own.lines[0]!.creatives[0]!],
      ['FUNDING_INSTRUMENT', own.instrument],
      ['ACCOUNT', own.account],
    ] as const) {
      const reply = await get(own, { ...asking([id]), ...day, entity });
      assert.deepEqual(metricsOf(reply).impressions, [8], entity);
    }
  });

  test('of accounts and funding instruments have six metrics, and only instruments are billed', async () => {
    const own = await openPlace();
    const all = [
      'engagements',
      'impressions',
      'reposts',
      'replies',
      'likes',
      'follows',
      'clicks',
      'url_clicks',
    ] as const;
    const numbers = Object.fromEntries(all.map((metric) => [metric, { 1: 4 }]));
    await deliver(own, { line: 0, day: '2026-03-01', numbers: { ...numbers, billed_engagements: { 1: 4 } } });
    const six = {
      ...Object.fromEntries(all.slice(0, 6).map((metric) => [metric, [4]])),
      clicks: null,
      url_clicks: null,
    };
    for (const [entity, id, billed] of [
      ['ACCOUNT', own.account, null],
      ['FUNDING_INSTRUMENT', own.instrument, [4]],
    ] as const) {
      const reply = await get(own, { ...asking([id]), ...range('2026-03-01', '2026-03-02'), entity });
      const { metrics } = reply.body.data[0].id_data[0];
      for (const [metric, expected] of Object.entries(six)) assert.deepEqual(metrics[metric], expected, metric);
      assert.deepEqual(metrics.billed_engagements, billed, entity);
    }
  });

  test('of posts that nobody pays for exist, and have no numbers', async () => {
    const posts = await world.sandbox.call('POST', `/12/accounts/${place.account}/post`, { params: { text: 'Free' } });
    const ids = `${posts.body.data.id},42`;
    const of = { ...asking([ids]), ...range('2026-03-01', '2026-03-02'), entity: 'ORGANIC_POST' };
    const reply = await get(place, of);
    assert.deepEqual(
      reply.body.data.map(({ id }: { id: string }) => id),
      [posts.body.data.id],
    );
    assert.equal(metricsOf(reply).impressions, null);
    assert.equal(reply.headers.get('x-hint'), 'Posts that nobody pays for are not measured.');
  });

  test('of conversions are objects', async () => {
    const own = await openPlace();
    const web = 'conversion_purchases';
    await deliver(own, {
      line: 0,
      day: '2026-03-01',
      numbers: {
        [`${web}.post_view`]: { 1: 1 },
        [`${web}.post_engagement`]: { 1: 2 },
        [`${web}.order_quantity_view`]: { 1: 1_000_000 },
        [`${web}.order_quantity_engagement`]: { 1: 2_000_000 },
        [`${web}.sale_amount_view`]: { 1: 29_900_000 },
        [`${web}.sale_amount_engagement`]: { 1: 59_800_000 },
        'mobile_conversion_installs.post_engagement': { 1: 7 },
        'mobile_conversion_key_page_views.post_view': { 1: 3 },
      },
    });
    const reply = await get(own, {
      ...asking([own.lines[0]!.id]),
      ...range('2026-03-01', '2026-03-02'),
      metric_groups: 'LIFE_TIME_VALUE_MOBILE_CONVERSION,MOBILE_CONVERSION,MEDIA,WEB_CONVERSION,VIDEO',
    });
    const metrics = metricsOf(reply);
    const object = {
      ...{ order_quantity_engagement: [2_000_000], sale_amount_engagement: [59_800_000] },
      ...{ sale_amount_view: [29_900_000], post_view: [1], order_quantity: [3_000_000], assisted: null },
      ...{ post_engagement: [2], sale_amount: [89_700_000], metric: [3], order_quantity_view: [1_000_000] },
    };
    assert.equal(JSON.stringify(metrics.conversion_purchases), JSON.stringify(object));
    const nothing = Object.fromEntries(Object.keys(object).map((name) => [name, null]));
    assert.deepEqual(metrics.conversion_subscriptions, nothing);
    const app = { post_view: null, assisted: null, order_quantity: null, sale_amount: null };
    assert.deepEqual(metrics.mobile_conversion_installs, { ...app, post_engagement: [7] });
    assert.deepEqual(metrics.mobile_conversion_key_page_views, { post_view: [3], post_engagement: null });
    const lifetime = { ...app, post_engagement: null };
    assert.deepEqual(metrics.mobile_conversion_lifetime_value_rates, lifetime);
    const names = Object.keys(metrics);
    assert.equal(names.length, 10 + 2 + 13 + 23 + 15);
    assert.deepEqual([names[0], names[10], names[12]], ['video_total_views', 'media_views', 'conversion_purchases']);
  });

  test('are refused with one message for each mistake', async () => {
    const of = { ...asking([place.lines[0]!.id]), ...range('2026-03-01', '2026-03-02') };
    const refusal = async (changes: Record<string, string | undefined>) => {
      const params = Object.fromEntries(
        Object.entries({ ...of, ...changes }).filter(([, value]) => value !== undefined),
      );
      const reply = await get(place, params as Record<string, string>);
      assert.equal(reply.status, 400, reply.text);
      return errorsOf(reply);
    };
    const missing = (parameter: string) => ({
      ...{ code: 'MISSING_PARAMETER', message: `"${parameter}" is a required parameter`, parameter },
    });
    for (const name of Object.keys(of)) assert.deepEqual(await refusal({ [name]: undefined }), [missing(name)], name);
    const invalid = (parameter: string, message: string) => ({ code: 'INVALID_PARAMETER', message, parameter });
    const placements = 'ALL_ON_SERVICE, PUBLISHER_NETWORK, SPOTLIGHT, TREND';
    assert.deepEqual(await refusal({ placement: 'SERVICE_TIMELINE' }), [
      invalid('placement', `Expected a value in ${placements}, got "SERVICE_TIMELINE" for placement`),
    ]);
    assert.deepEqual(await refusal({ entity_ids: '' }), [
      invalid('entity_ids', 'A minimum of 1 items must be provided for entity_ids'),
    ]);
    const ids = (count: number) => Array.from({ length: count }, (_, at) => `zz${at}`).join(',');
    assert.deepEqual(await refusal({ entity_ids: ids(21) }), [
      invalid('entity_ids', 'A maximum of 20 items may be provided for entity_ids'),
    ]);
    assert.equal((await get(place, { ...of, entity_ids: ids(20) })).status, 200);
    assert.deepEqual(await refusal({ start_time: '', granularity: 'HOUR' }), [
      {
        ...invalid('start_time', 'Expected time, got "" for start_time'),
        ...{ details: 'invalid date', value: '' },
      },
    ]);
    for (const early of ['1899-12-31', '9999-01-01']) {
      assert.equal((await refusal({ start_time: early }))[0].message, `Expected time, got "${early}" for start_time`);
    }
    assert.deepEqual(await refusal({ end_time: '2026-03-02T08:15:00Z', granularity: 'DAY' }), [
      invalid('end_time', 'Time cannot be fractional hours'),
    ]);
    const empty = { code: 'INVALID_TIME_WINDOW', message: 'The end_time must be after the start_time', parameter: '' };
    assert.deepEqual(await refusal({ end_time: '2026-03-01' }), [empty]);
    assert.deepEqual(await refusal({ end_time: '2026-03-08T10:00:00Z' }), [
      {
        ...{ code: 'INVALID_TIME_WINDOW', parameter: '' },
        message: 'The end_time can be a maximum of 7.days+1.hours after the start_time',
      },
    ]);
    const wrong = range('2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z');
    assert.deepEqual(await refusal({ ...wrong, granularity: 'DAY' }), [midnight, midnight]);
    const hinted = await get(place, { ...of, start_time: '2026-03-01T00:00:00Z', granularity: 'DAY' });
    assert.equal(
      hinted.headers.get('x-hint'),
      'The time zone of the account is America/Los_Angeles. For start_time, the nearest midnight there is 2026-03-01T08:00:00Z; the date 2026-03-01 means the same.',
    );
  });
});
