import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { localDay } from '../../src/base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../src/contract/delivery/metrics.ts';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type ByHour, type StatsPlace, statsCalls } from './stats-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());
const calls = statsCalls(() => world);
const { openPlace, deliver, asking, get, call } = calls;

const errorsOf = ({ body }: Reply) => body.errors;
const midnight = {
  code: 'INVALID_TIME_WINDOW',
  message: "Expect time to be midnight in the account's local timezone for day granularity",
  parameter: '',
};
/** The metrics of the first part of an entity. */
const metricsOf = ({ body }: Reply, at = 0) => body.data[at].id_data[0].metrics;
/** A number for each hour. */
const everyHour = (hours: number, of: (hour: number) => number): ByHour =>
  Object.fromEntries(Array.from({ length: hours }, (_, hour) => [hour, of(hour)]));
const range = (start_time: string, end_time: string) => ({ start_time, end_time });

describe('days of statistics', () => {
  const lengths = async (place: StatsPlace, start_time: string, end_time: string) => {
    const of = asking([place.lines[0]!.id]);
    const replies = [];
    for (const granularity of ['DAY', 'HOUR', 'TOTAL'])
      replies.push(await get(place, { ...of, start_time, end_time, granularity }));
    return replies.map(({ body }) => body.time_series_length ?? body.errors[0].message);
  };

  test('have 23 or 25 hours where clocks change, and a week may be an hour longer', async () => {
    const place = await openPlace('America/Los_Angeles');
    assert.deepEqual(await lengths(place, '2026-03-08', '2026-03-09'), [1, 23, 1]);
    assert.deepEqual(await lengths(place, '2026-11-01', '2026-11-02'), [1, 25, 1]);
    assert.deepEqual(await lengths(place, '2026-10-26', '2026-11-02'), [7, 169, 1]);
    const hours = { 0: 1, 1: 2, 2: 4, 24: 8 };
    await deliver(place, { line: 0, day: '2026-11-01', numbers: { impressions: hours } });
    const of = asking([place.lines[0]!.id], { granularity: 'HOUR' });
    const reply = await get(place, { ...of, ...range('2026-11-01T08:00:00Z', '2026-11-02T08:00:00Z') });
    const expected = Array(24).fill(0);
    expected[0] = 2;
    expected[1] = 4;
    expected[23] = 8;
    assert.deepEqual(metricsOf(reply).impressions, expected);
    const longer = await get(place, { ...of, ...range('2026-10-26T07:00:00Z', '2026-11-02T09:00:00Z') });
    assert.equal(longer.status, 400);
    assert.equal(errorsOf(longer)[0].message, 'The end_time can be a maximum of 7.days+1.hours after the start_time');
    // Midnight is that of the date, not that of today.
    const other = await get(place, { ...of, granularity: 'DAY', ...range('2026-11-01', '2026-11-02T07:00:00Z') });
    assert.deepEqual(errorsOf(other), [midnight]);
  });

  test('begin at midnight where that is no whole hour of UTC, whose hours count from the hour around them', async () => {
    const place = await openPlace('Asia/Kolkata');
    await deliver(place, { line: 0, day: '2026-03-01', numbers: { impressions: { 0: 5, 1: 7, 23: 1 } } });
    assert.deepEqual(await lengths(place, '2026-02-28T18:30:00Z', '2026-03-01T18:30:00Z'), [1, 24, 1]);
    const of = asking([place.lines[0]!.id], { granularity: 'HOUR' });
    const local = await get(place, { ...of, ...range('2026-02-28T18:30:00Z', '2026-02-28T20:30:00Z') });
    assert.deepEqual(metricsOf(local).impressions, [5, 7]);
    const utc = await get(place, { ...of, ...range('2026-02-28T20:00:00Z', '2026-02-28T21:00:00Z') });
    assert.deepEqual(utc.body.request.params.start_time, '2026-02-28T19:30:00Z');
    assert.deepEqual(metricsOf(utc).impressions, [7]);
    const day = await get(place, { ...of, granularity: 'DAY', ...range('2026-02-28T18:00:00Z', '2026-03-01') });
    assert.deepEqual(errorsOf(day), [midnight]);
    const fraction = await get(place, { ...of, ...range('2026-02-28T18:15:00Z', '2026-03-01') });
    assert.equal(errorsOf(fraction)[0].message, 'Time cannot be fractional hours');
  });

  test('as dates mean midnight of the account, and of UTC where reach is asked for', async () => {
    const place = await openPlace();
    const dates = range('2026-05-19', '2026-05-20');
    const stats = await get(place, { ...asking([place.lines[0]!.id]), ...dates });
    assert.equal(stats.body.request.params.start_time, '2026-05-19T07:00:00Z');
    const job = await call('POST', `/jobs/accounts/${place.account}`, { ...asking([place.lines[0]!.id]), ...dates });
    assert.equal(job.body.data.start_time, '2026-05-19T07:00:00Z');
    const path = `/accounts/${place.account}`;
    const active = await call('GET', `${path}/active_entities`, { entity: 'LINE_ITEM', ...dates });
    assert.equal(active.body.request.params.start_time, '2026-05-19T07:00:00Z');
    const reach = await call('GET', `${path}/reach/campaigns`, { campaign_ids: place.campaigns[0]!, ...dates });
    assert.equal(reach.body.request.params.start_time, '2026-05-19T00:00:00Z');
  });
});

describe('sums of statistics', () => {
  const stored: DeliveryMetric[] = DELIVERY_METRICS.filter((metric) => !metric.includes('.'));
  let place: StatsPlace;
  before(async () => {
    place = await openPlace();
    const days = ['2026-03-06', '2026-03-07', '2026-03-08', '2026-03-09'];
    for (const [line] of place.lines.entries()) {
      for (const [creative] of [0, 1].entries()) {
        for (const [at, day] of days.entries()) {
          const { hours } = localDay(day, place.zone);
          const numbers = stored.map((metric, index) => [
            metric,
            everyHour(hours, (hour) => ((hour + 1) * (index + 3) * (line + 1) + creative * 7 + at * 11) % 19),
          ]);
          await deliver(place, { line, creative, day, numbers: Object.fromEntries(numbers) });
        }
      }
    }
  });
  const week = range('2026-03-06', '2026-03-10');
  const groups = { metric_groups: 'ENGAGEMENT,BILLING,VIDEO,MEDIA' };
  type Sums = Record<string, number>;
  const sumsOf = (reply: Reply): Sums => {
    const sums: Sums = {};
    for (const { id_data } of reply.body.data) {
      for (const [metric, numbers] of Object.entries(id_data[0].metrics as Record<string, number[] | null>)) {
        sums[metric] = (sums[metric] ?? 0) + (numbers ?? []).reduce((sum, number) => sum + number, 0);
      }
    }
    return sums;
  };

  test('are the same by hour, by day and in total, for every metric', async () => {
    const of = { ...asking(place.lines.map(({ id }) => id)), ...week, ...groups };
    const [hours, days, total] = await Promise.all(
      ['HOUR', 'DAY', 'TOTAL'].map(async (granularity) => sumsOf(await get(place, { ...of, granularity }))),
    );
    assert.deepEqual(hours, total);
    assert.deepEqual(days, total);
    assert.ok(Object.values(total!).every((sum) => sum > 0));
    assert.equal(Object.keys(total!).length, stored.length);
  });

  test('of creatives, line items, campaigns, the instrument and the account are the same', async () => {
    const ask = async (entity: string, ids: readonly string[]) =>
      sumsOf(await get(place, { ...asking(ids), ...week, ...groups, entity }));
    const lines = await ask(
      'LINE_ITEM',
      place.lines.map(({ id }) => id),
    );
    assert.deepEqual(
      await ask(
        'PROMOTED_POST',
        place.lines.flatMap(({ creatives }) => creatives),
      ),
      lines,
    );
    assert.deepEqual(await ask('CAMPAIGN', place.campaigns), lines);
    const six = ({ engagements, impressions, reposts, replies, likes, follows }: Sums) => [
      ...[engagements, impressions, reposts, replies, likes, follows],
    ];
    const account = await ask('ACCOUNT', [place.account]);
    const instrument = await ask('FUNDING_INSTRUMENT', [place.instrument]);
    assert.deepEqual(six(account), six(lines));
    assert.deepEqual(six(instrument), six(lines));
    assert.equal(instrument.billed_charge_local_micro, lines.billed_charge_local_micro);
  });
});
