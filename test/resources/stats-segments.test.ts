import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { localDay } from '../../src/base/zones.ts';
import { type DeliveryMetric, WEB_CONVERSIONS } from '../../src/contract/delivery/metrics.ts';
import { REPORT_METRICS } from '../../src/contract/delivery/report.ts';
import { referenceEntry } from '../../src/features/ads/reference/reference-entry.ts';
import { unknownWithin } from '../../src/features/ads/reference/segment-wholes.ts';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { readBreakdown } from '../../src/features/ads/reports/read-report.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type StatsPlace, statsCalls } from './stats-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());
const { openPlace, deliver, count, asking, get, runJob, textOf } = statsCalls(() => world);

const day = { start_time: '2026-03-01', end_time: '2026-03-02' };
interface Part {
  readonly segment: { readonly segment_name: string; readonly segment_value: string } | null;
  readonly metrics: Readonly<Record<string, readonly number[] | null>>;
}

/** The parts of the entities of a segmented job. */
async function partsOf(place: StatsPlace, params: Record<string, string>): Promise<Part[][]> {
  const document = JSON.parse(await textOf(await runJob(place, params)));
  return document.data.map(({ id_data }: { id_data: Part[] }) => id_data);
}

/** The series of a metric, by segment value. */
const byValue = (parts: readonly Part[], metric: string) =>
  Object.fromEntries(parts.map(({ segment, metrics }) => [segment?.segment_value ?? '', metrics[metric]]));

const METRICS: readonly DeliveryMetric[] = [
  ...(['impressions', 'engagements', 'clicks', 'url_clicks', 'likes', 'replies', 'video_total_views'] as const),
  ...(['billed_engagements', 'billed_charge_local_micro', 'media_views'] as const),
];
/** Each is part of the one before. */
const NESTED = ['impressions', 'engagements', 'clicks', 'url_clicks'] as const;

describe('segments of statistics', () => {
  let place: StatsPlace;
  before(async () => {
    place = await openPlace();
    const shares = {
      GENDER: { '1': 600, '2': 350, UNKNOWN: 50 },
      AGE: { AGE_18_TO_24: 1, AGE_25_TO_34: 2, AGE_OVER_50: 4, UNKNOWN: 993 },
    };
    const later = { GENDER: { '1': 0, '2': 70_000, UNKNOWN: 30_001 } };
    for (const [at, { id }] of place.lines.entries()) {
      await count(place, { [id]: { people: 1000, shares } });
      if (at === 0) await count(place, { [id]: { people: 100_001, shares: later, from: '2026-03-08T20:30:00Z' } });
    }
    for (const [line] of place.lines.entries()) {
      for (const creative of [0, 1]) {
        for (const date of ['2026-03-07', '2026-03-08', '2026-03-09']) {
          const { hours } = localDay(date, place.zone);
          const numbers = Object.fromEntries(
            METRICS.map((metric, index) => {
              const one = (hour: number, divisor: number): number =>
                Math.floor(((hour * 37 + line * 13 + creative * 7) % 90) / divisor);
              const isCharge = metric === 'billed_charge_local_micro';
              const at = (hour: number) => (isCharge ? 7_654_321 * one(hour, index) : one(hour, index + 1));
              return [metric, Object.fromEntries(Array.from({ length: hours }, (_, hour) => [hour, at(hour)]))];
            }),
          );
          await deliver(place, { line, creative, day: date, numbers });
        }
      }
    }
  });
  const days = { start_time: '2026-03-07T12:00:00Z', end_time: '2026-03-10T03:00:00Z', granularity: 'HOUR' };
  const groups = { metric_groups: 'ENGAGEMENT,BILLING,VIDEO,MEDIA' };

  for (const [entity, idsOf] of [
    ['LINE_ITEM', () => place.lines.map(({ id }) => id)],
    ['CAMPAIGN', () => place.campaigns],
    ['PROMOTED_POST', () => place.lines.flatMap(({ creatives }) => creatives)],
    ['FUNDING_INSTRUMENT', () => [place.instrument]],
    ['ACCOUNT', () => [place.account]],
  ] as const) {
    test(`add up to the whole in each bucket and metric, of ${entity}`, async () => {
      const of = { ...asking(idsOf()), ...days, ...groups, entity };
      const whole = await get(place, of);
      assert.equal(whole.status, 200, whole.text);
      for (const segmentation_type of ['GENDER', 'AGE', 'LANGUAGES']) {
        const parts = await partsOf(place, { ...of, segmentation_type });
        for (const [at, { id_data }] of whole.body.data.entries()) {
          const isTold = segmentation_type !== 'LANGUAGES' || !['ACCOUNT', 'FUNDING_INSTRUMENT'].includes(entity);
          for (const [metric, numbers] of Object.entries(id_data[0].metrics)) {
            const sums = parts[at]!.reduce<number[] | null>((sum, { metrics }) => {
              const series = metrics[metric] ?? null;
              return series === null ? sum : series.map((number, bucket) => number + (sum?.[bucket] ?? 0));
            }, null);
            assert.deepEqual(sums, isTold ? numbers : null, `${segmentation_type} ${metric}`);
          }
        }
      }
    });
  }

  test('are never larger in what is a part of something else, and amounts follow their counts', async () => {
    const ids = place.lines.map(({ id }) => id);
    for (const parts of await partsOf(place, { ...asking(ids), ...days, segmentation_type: 'GENDER' })) {
      for (const { metrics } of parts) {
        for (const [at, metric] of NESTED.slice(1).entries()) {
          const [larger, smaller] = [metrics[NESTED[at]!] ?? [], metrics[metric] ?? []];
          assert.ok(
            smaller.every((number, bucket) => number <= larger[bucket]!),
            metric,
          );
        }
        const [billed, charge] = [metrics.billed_engagements, metrics.billed_charge_local_micro];
        assert.ok((charge ?? []).every((amount, bucket) => amount === 0 || billed![bucket]! > 0));
      }
    }
  });

  test('have the shares of the audience at the time, over many hours', async () => {
    const of = { ...asking([place.lines[1]!.id]), ...days, granularity: 'TOTAL', segmentation_type: 'GENDER' };
    const [parts] = await partsOf(place, of);
    const impressions = Object.entries(byValue(parts!, 'impressions')).map(
      ([value, series]) => [value, series![0]!] as const,
    );
    const total = impressions.reduce((sum, [, number]) => sum + number, 0);
    const shares = { '1': 0.6, '2': 0.35, UNKNOWN: 0.05 };
    assert.deepEqual(
      impressions.map(([value]) => value),
      Object.keys(shares),
    );
    for (const [value, number] of impressions) {
      assert.ok(
        Math.abs(number / total - shares[value as keyof typeof shares]) < 0.01,
        `${value}: ${number} of ${total}`,
      );
    }
    const [changed] = await partsOf(place, {
      ...of,
      entity_ids: place.lines[0]!.id,
      start_time: '2026-03-08T21:00:00Z',
    });
    assert.deepEqual(Object.keys(byValue(changed!, 'impressions')), ['2', 'UNKNOWN']);
    // In the hour in which it changes, the former audience is in force.
    const hour = { start_time: '2026-03-08T20:00:00Z', end_time: '2026-03-08T21:00:00Z' };
    const [before] = await partsOf(place, { ...of, entity_ids: place.lines[0]!.id, ...hour });
    assert.ok(byValue(before!, 'impressions')['1']);
  });

  test('do not depend on what else is asked for, and are the same again', async () => {
    const of = { ...asking([place.lines[2]!.id]), ...days, segmentation_type: 'GENDER' };
    const both = await partsOf(place, of);
    assert.deepEqual(await partsOf(place, of), both);
    const [billing] = await partsOf(place, { ...of, metric_groups: 'BILLING' });
    assert.deepEqual(byValue(billing!, 'billed_charge_local_micro'), byValue(both[0]!, 'billed_charge_local_micro'));
    const [later] = await partsOf(place, { ...of, start_time: '2026-03-08T08:00:00Z' });
    const skipped = 20;
    for (const [value, series] of Object.entries(byValue(later!, 'impressions'))) {
      assert.deepEqual(series, byValue(both[0]!, 'impressions')[value]!.slice(skipped), value);
    }
  });

  // To see it fail: leave out the counts of amounts in segment-parts.ts.
  test('are those of break-downs, which unpack no more than they show', async () => {
    const account = { id: place.account, environment: 'sandbox', timezone: place.zone } as const;
    const asked = { days: ['2026-03-07', '2026-03-08', '2026-03-09'], segmentation: 'GENDER', country: undefined };
    const found = await readBreakdown(world.service.store, account, asked);
    const ids = place.lines.map(({ id }) => id);
    const range = { start_time: '2026-03-07T08:00:00Z', end_time: '2026-03-10T07:00:00Z' };
    const parts = await partsOf(place, { ...asking(ids), ...range, ...groups, segmentation_type: 'GENDER' });
    const sumOf = (name: string, metric: string): number =>
      parts
        .flat()
        .filter(({ segment }) => segment?.segment_name === name)
        .reduce((sum, { metrics }) => sum + (metrics[metric]?.[0] ?? 0), 0);
    assert.deepEqual(found.map(({ name }) => name).sort(), ['Female', 'Male', 'Unknown']);
    for (const { name, currency, numbers } of found) {
      assert.equal(currency, 'USD');
      for (const [own, metric] of Object.entries(REPORT_METRICS)) {
        assert.deepEqual(numbers[own as keyof typeof numbers], [sumOf(name!, metric)], `${name} ${metric}`);
      }
    }
  });
});

describe('a segment', () => {
  test('is what the ledger knows by segment, and the rest by the audience', async () => {
    const place = await openPlace();
    const [line] = place.lines;
    await count(place, { [line!.id]: { people: 4, shares: { GENDER: { '2': 4 } } } });
    await deliver(place, {
      line: 0,
      day: '2026-03-01',
      numbers: { impressions: { 1: 10 }, likes: { 1: 2 } },
      segments: { GENDER: { '1': { impressions: { 1: 3 }, likes: { 1: 1 } }, UNKNOWN: { impressions: { 1: 2 } } } },
    });
    const [parts] = await partsOf(place, { ...asking([line!.id]), ...day, segmentation_type: 'GENDER' });
    assert.deepEqual(byValue(parts!, 'impressions'), { '1': [3], '2': [5], UNKNOWN: [2] });
    assert.deepEqual(byValue(parts!, 'likes'), { '1': [1], '2': [1], UNKNOWN: null });
    assert.deepEqual(
      parts!.map(({ segment }) => segment),
      [
        { segment_name: 'Male', segment_value: '1' },
        { segment_name: 'Female', segment_value: '2' },
        { segment_name: 'Unknown', segment_value: 'UNKNOWN' },
      ],
    );
  });

  test('is unknown where nobody counted the audience, and is none without activity', async () => {
    const place = await openPlace();
    await deliver(place, { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 10 } } });
    const ids = [place.lines[1]!.id, place.lines[0]!.id];
    const [idle, active] = await partsOf(place, { ...asking(ids), ...day, segmentation_type: 'AGE' });
    assert.equal(idle!.length, 1);
    assert.equal(idle![0]!.segment, null);
    assert.ok(Object.values(idle![0]!.metrics).every((series) => series === null));
    assert.deepEqual(byValue(active!, 'impressions'), { UNKNOWN: [10] });
  });

  describe('by place or device is of the country or platform; those of all of them are the whole, once,', () => {
    const find = (type: string, country: string) =>
      locations().find((each) => each.location_type === type && each.country_code === country)!.targeting_value;
    const [us, ar, de] = ['US', 'AR', 'DE'].map((country) => find('COUNTRIES', country)) as [string, string, string];
    const [region, foreign] = [find('REGIONS', 'US'), find('REGIONS', 'AR')];
    const shares = {
      LOCATIONS: { [us]: 5, [ar]: 2, UNKNOWN: 1 },
      METROS: { 819: 2, [unknownWithin(us)]: 3, [unknownWithin(ar)]: 2, UNKNOWN: 1 },
      REGIONS: { [region]: 2, [foreign]: 1, [unknownWithin(us)]: 3, [unknownWithin(ar)]: 1, UNKNOWN: 1 },
      DEVICES: { '1q': 2, [unknownWithin('0')]: 1, [unknownWithin('4')]: 3, UNKNOWN: 2 },
      PLATFORM_VERSIONS: { 15: 4, [unknownWithin('1')]: 4 },
      PLATFORMS: { 0: 3, 1: 4, UNKNOWN: 1 },
    };
    const platforms = ['0', '1', '2', '3', '4'];

    for (const [zone, home] of [
      ['America/Los_Angeles', us],
      ['Europe/Berlin', de],
      ['UTC', us],
    ] as const) {
      test(`in an account of ${zone}`, async () => {
        const place = await openPlace(zone);
        const [line] = place.lines;
        await count(place, { [line!.id]: { people: 8, shares } });
        const segments = { REGIONS: { [foreign]: { impressions: { 1: 1 } }, UNKNOWN: { impressions: { 1: 1 } } } };
        await deliver(place, { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 10 } }, segments });
        const ask = async (segmentation_type: string, more: Record<string, string> = {}) => {
          const [parts] = await partsOf(place, { ...asking([line!.id]), ...day, segmentation_type, ...more });
          return parts!.flatMap(({ segment, metrics }) =>
            segment ? [[segment.segment_value, segment.segment_name, metrics.impressions![0]!] as const] : [],
          );
        };
        for (const [type, parameter, wholes] of [
          ['LOCATIONS', 'country', [us, ar, de]],
          ['METROS', 'country', [us, ar, de]],
          ['REGIONS', 'country', [us, ar, de]],
          ['DEVICES', 'platform', platforms],
          ['PLATFORM_VERSIONS', 'platform', platforms],
        ] as const) {
          let sum = 0;
          for (const whole of wholes) for (const [, , number] of await ask(type, { [parameter]: whole })) sum += number;
          assert.equal(sum, 10, type);
        }
        const unknown = (number: number) => (number === 0 ? [] : [['UNKNOWN', 'Unknown', number]]);
        const nameOf = (value: string) => referenceEntry('LOCATION', value)!.name;
        const [first, other] = [home === us ? 2 : 0, home === de ? 2 : 0];
        assert.deepEqual(await ask('REGIONS', { country: us }), [[region, nameOf(region), 2], ...unknown(3 + first)]);
        assert.deepEqual(await ask('REGIONS', { country: ar }), [[foreign, nameOf(foreign), 2], ...unknown(1)]);
        assert.deepEqual(await ask('REGIONS', { country: de }), unknown(other));
        const metros = await ask('METROS', { country: us });
        assert.deepEqual(metros[0]!.slice(0, 2), ['819', 'Seattle-Tacoma WA']);
        const [iPhone] = await ask('DEVICES', { platform: '0' });
        assert.deepEqual(iPhone!.slice(0, 2), ['1q', 'iPhone 3GS']);
        assert.deepEqual((await ask('DEVICES', { platform: '1' })).concat(await ask('DEVICES', { platform: '2' })), []);
        assert.deepEqual(
          (await ask('PLATFORMS')).map(([value, name]) => [value, name]),
          [
            ['0', 'iOS'],
            ['1', 'Android'],
            ['UNKNOWN', 'Unknown'],
          ],
        );
      });
    }
  });

  test('of conversions on websites is by platform, or by tag', async () => {
    const place = await openPlace();
    const [line] = place.lines;
    const ofView = (number: number) =>
      WEB_CONVERSIONS.flatMap((name) => [
        [`${name}.post_view`, { 1: number }],
        [`${name}.sale_amount_view`, { 1: number * 5_000_000 }],
      ]);
    const [numbers, ofTag] = [Object.fromEntries(ofView(3)), Object.fromEntries(ofView(2))];
    await deliver(place, { line: 0, day: '2026-03-01', numbers, segments: { CONVERSION_TAGS: { o1x2: ofTag } } });
    const of = { ...asking([line!.id]), ...day, metric_groups: 'WEB_CONVERSION' };
    const ask = async (segmentation_type: string) => {
      const [parts] = await partsOf(place, { ...of, segmentation_type });
      return parts!.map(({ segment, metrics }) => [
        segment?.segment_value,
        ...new Set(WEB_CONVERSIONS.map((name) => JSON.stringify(metrics[name], ['metric', 'sale_amount']))),
      ]);
    };
    const told = (count: number) => JSON.stringify({ metric: [count], sale_amount: [count * 5_000_000] });
    assert.deepEqual(await ask('PLATFORMS'), [['UNKNOWN', told(3)]]);
    assert.deepEqual(await ask('GENDER'), [[undefined, JSON.stringify({ metric: null, sale_amount: null })]]);
    assert.deepEqual(await ask('CONVERSION_TAGS'), [
      ['UNKNOWN', told(1)],
      ['o1x2', told(2)],
    ]);
  });
});
