// On either database: the arithmetic of simulated delivery.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDays, localDay } from '../../src/base/zones.ts';
import type { Booking } from '../../src/features/delivery/bookings.ts';
import type { SimulationParameters } from '../../src/features/delivery/simulation/knobs.ts';
import { booking, creative, ModelRun } from '../rig/delivery-model.ts';
import { fc } from '../rig/laws.ts';
import { rounds } from '../rig/sampling.ts';

const RUNS = rounds(40);
const HOUR_S = 3600;
const ZONES = ['America/Los_Angeles', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'] as const;

/**
 * A day of 23 hours in Los Angeles begins some hours after the first, one of 25 after the second, and one of 24 and a half
 * on Lord Howe Island after the third.
 */
const BEGINS = ['2026-03-07T20:11:05Z', '2026-10-31T21:40:00Z', '2026-04-04T03:00:01Z'] as const;

const micro = (min: number, max: number) => fc.integer({ min, max }).map((units) => units * 10_000);
const budget = fc.record({
  daily: fc.option(micro(10, 20_000)),
  total: fc.option(micro(10, 60_000)),
});
const KINDS = ['text', 'image', 'video', 'website_card', 'app_card', 'carousel', 'poll', 'account', 'banner'] as const;
const bidding = fc.constantFrom<Partial<Booking>>(
  { objective: 'ENGAGEMENTS', goal: 'ENGAGEMENT', pay_by: 'ENGAGEMENT' },
  { objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', pay_by: 'LINK_CLICK', primary_web_event_tag: 'tag' },
  { objective: 'REACH', goal: 'MAX_REACH', pay_by: 'IMPRESSION' },
  { objective: 'FOLLOWERS', goal: 'FOLLOWERS', pay_by: 'FOLLOW' },
  { objective: 'VIDEO_VIEWS', goal: 'VIDEO_VIEW', pay_by: 'VIEW' },
  { objective: 'PREROLL_VIEWS', goal: 'VIEW_6S', pay_by: 'VIEW_3S_100PCT' },
  { objective: 'APP_INSTALLS', goal: 'APP_CLICKS', pay_by: 'APP_CLICK' },
);
const line = (id: string): fc.Arbitrary<Booking> =>
  fc
    .record({
      bidding,
      strategy: fc.constantFrom('AUTO', 'MAX', 'TARGET'),
      bid: micro(2, 800),
      budget,
      isStandard: fc.boolean(),
      cap: fc.option(fc.record({ frequency_cap: fc.integer({ min: 1, max: 4 }), days: fc.constantFrom(1, 7, 30) })),
      placements: fc.constantFrom(['ALL_ON_SERVICE'], ['PUBLISHER_NETWORK', 'SERVICE_TIMELINE'], ['TAP_FULL']),
      creatives: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 4 }),
      ends: fc.option(fc.integer({ min: 1, max: 90 })),
    })
    .map((drawn) =>
      booking(id, {
        ...drawn.bidding,
        bid_strategy: drawn.strategy as Booking['bid_strategy'],
        bid_amount: drawn.strategy === 'AUTO' ? null : drawn.bid,
        budget: drawn.budget,
        isStandard: drawn.isStandard,
        frequency_cap: drawn.cap?.frequency_cap ?? null,
        duration_in_days: drawn.cap?.days ?? null,
        placements: drawn.placements,
        creatives: drawn.creatives.map((kind, at) => creative(`${id}${at}`, { kind, hasVideo: kind === 'video' })),
      }),
    );

interface Program {
  readonly lines: readonly Booking[];
  readonly zone: string;
  readonly begin: string;
  readonly isShared: boolean;
  /** Seconds that pass, and what is done then to which line item. */
  readonly steps: readonly { readonly after_s: number; readonly does: string; readonly at: number }[];
}

const program: fc.Arbitrary<Program> = fc
  .record({
    lines: fc.tuple(line('a'), line('b'), line('c')),
    campaign: budget,
    limit: fc.option(micro(10, 30_000)),
    zone: fc.constantFrom(...ZONES),
    begin: fc.constantFrom(...BEGINS),
    isShared: fc.boolean(),
    steps: fc.array(
      fc.record({
        after_s: fc.integer({ min: 1, max: 14 * HOUR_S }),
        does: fc.constantFrom('nothing', 'pause', 'resume', 'budget'),
        at: fc.nat(2),
      }),
      { minLength: 2, maxLength: 8 },
    ),
  })
  .map(({ lines, campaign, limit, ...rest }) => ({
    ...rest,
    lines: lines.map((each) => ({
      ...each,
      campaign: {
        ...each.campaign,
        budget: (each.budget.daily ?? each.budget.total) ? campaign : { daily: 9e9, total: null },
      },
      instrument: { ...each.instrument, limit },
    })),
  }));

/** Runs a program; `look` settles on the way, as often as it likes. */
function run(given: Program, look: (run: ModelRun, until_ms: number) => void = () => {}): ModelRun {
  const model = new ModelRun(given.lines, given.zone, given.begin);
  model.isShared = given.isShared;
  for (const { after_s, does, at } of given.steps) {
    const until_ms = model.now_ms + after_s * 1000;
    look(model, until_ms);
    model.settle(until_ms);
    if (does === 'nothing') continue;
    model.change(
      model.lines.map((each, index) => {
        if (index !== at) return each;
        if (does !== 'budget') return { ...each, entity_status: does === 'pause' ? 'PAUSED' : 'ACTIVE' };
        const { daily, total } = each.budget;
        return { ...each, budget: { daily: daily && daily * 2, total: total && total + 5_000_000 } };
      }),
    );
  }
  return model;
}

const number = (cell: { readonly numbers: ReadonlyMap<string, number> }, metric: string): number =>
  cell.numbers.get(metric) ?? 0;

describe('simulated delivery, whatever happens', () => {
  // Law 1. To see it fail: plan anew in each call of `advance`.
  test('does not depend on when it is settled', () => {
    fc.assert(
      fc.property(
        program,
        fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 12 }),
        (given, looks) => {
          const often = run(given, (model, until_ms) => {
            for (const after_s of looks) model.settle(Math.min(model.now_ms + after_s * 1000, until_ms));
          });
          assert.equal(often.text(), run(given).text());
        },
      ),
      { numRuns: RUNS },
    );
  });

  // Laws 3 and 4. To see them fail: leave out one call of `cut` in caps.ts.
  test('stays within every cap, on days of 23 to 25 hours too', () => {
    fc.assert(
      fc.property(program, (given) => {
        const model = run(given);
        const raised = given.steps.filter(({ does }) => does === 'budget').length > 0;
        const days = new Set([...model.cells.values()].map(({ day }) => day));
        for (const each of given.lines) {
          if (raised) continue;
          const own = (cell: { line: string }): boolean => cell.line === each.id;
          assert.ok(model.sum('billed_charge_local_micro', own) <= (each.budget.total ?? Infinity), 'total');
          for (const day of days) {
            const spend = model.sum('billed_charge_local_micro', (cell) => own(cell) && cell.day === day);
            assert.ok(spend <= (each.budget.daily ?? Infinity), `${spend} on ${day}`);
          }
          if (each.bid_strategy !== 'MAX') continue;
          const perBilled = each.bid_amount! / (each.pay_by === 'IMPRESSION' ? 1000 : 1);
          const billed = model.sum('billed_engagements', own);
          assert.ok(model.sum('billed_charge_local_micro', own) <= billed * perBilled + 1e-6, 'bid');
        }
        const [{ campaign, instrument }] = given.lines as [Booking];
        const same = given.lines.every((each) => each.campaign.budget === campaign.budget);
        assert.ok(model.sum('billed_charge_local_micro') <= (instrument.limit ?? Infinity), 'instrument');
        if (!same) return;
        assert.ok(model.sum('billed_charge_local_micro') <= (campaign.budget.total ?? Infinity), 'campaign');
        for (const day of days) {
          const spend = model.sum('billed_charge_local_micro', (cell) => cell.day === day);
          assert.ok(spend <= (campaign.budget.daily ?? Infinity), 'campaign, daily');
        }
      }),
      { numRuns: RUNS },
    );
  });

  // Law 4. To see it fail: `starts` without `views` in spot-numbers.ts, or `clicks` without `url_clicks`.
  test('has parts that never exceed what they are part of', () => {
    fc.assert(
      fc.property(program, (given) => {
        const model = run(given);
        for (const cell of model.cells.values()) {
          const of = (...metrics: string[]): number => metrics.reduce((sum, each) => sum + number(cell, each), 0);
          const descending = (...metrics: string[]): void => {
            for (const [at, metric] of metrics.slice(1).entries()) {
              assert.ok(of(metrics[at]!) >= of(metric), `${metrics[at]} ${of(metrics[at]!)} ≥ ${metric} ${of(metric)}`);
            }
          };
          descending('impressions', 'billed_engagements');
          descending('impressions', 'engagements', 'clicks');
          assert.ok(of('clicks') >= of('url_clicks', 'app_clicks'));
          assert.ok(of('engagements') >= of('likes', 'reposts', 'replies', 'follows'));
          descending('impressions', 'video_content_starts', 'video_total_views', 'video_views_25', 'video_views_50');
          descending('video_views_50', 'video_views_75', 'video_views_100');
          descending('video_6s_views', 'video_15s_views');
          if (of('billed_charge_local_micro') > 0) assert.ok(of('billed_engagements') > 0, 'spend without an action');
          const others = [...cell.numbers.keys()].filter((metric) => !metric.includes('conversion'));
          if (of('impressions') === 0) assert.deepEqual(others, []);
        }
      }),
      { numRuns: RUNS },
    );
  });

  // Law 5. To see it fail: leave out LINE_ITEM_NOT_ACTIVE in serving-times.ts.
  test('stops where a line item is paused, and goes on where it is resumed', () => {
    fc.assert(
      fc.property(program, fc.integer({ min: 1, max: 9000 }), (given, after_s) => {
        const model = run(given);
        const before = model.text();
        model.change(model.lines.map((each) => ({ ...each, entity_status: 'PAUSED' })));
        model.advance(after_s);
        assert.equal(model.text(), before, 'frozen');
        const resumed_ms = model.now_ms;
        const formerly = new Map([...model.cells].map(([key, cell]) => [key, new Map(cell.numbers)]));
        model.change(model.lines.map((each) => ({ ...each, entity_status: 'ACTIVE' })));
        model.advance(26 * HOUR_S);
        for (const [key, cell] of model.cells) {
          const { start_ms } = localDay(cell.day, given.zone);
          const isOver = start_ms + (cell.hour + 1) * HOUR_S * 1000 <= resumed_ms;
          // Law 6: hours that are over never change.
          if (isOver) assert.deepEqual(cell.numbers, formerly.get(key), key);
          else for (const [metric, had] of formerly.get(key) ?? []) assert.ok(number(cell, metric) >= had);
        }
      }),
      { numRuns: RUNS },
    );
  });

  // Law 8. To see it fail: leave out `plan.allowed` in `round`.
  test('shows nobody more than the frequency cap allows', () => {
    fc.assert(
      fc.property(program, fc.integer({ min: 1, max: 400 }), (given, people) => {
        const model = new ModelRun(given.lines, given.zone, given.begin);
        model.people = people;
        model.advance(3 * 24 * HOUR_S);
        for (const { id, frequency_cap, duration_in_days } of given.lines) {
          if (frequency_cap === null) continue;
          for (const last of new Set([...model.cells.values()].map(({ day }) => day))) {
            const first = addDays(last, 1 - duration_in_days!);
            const seen = model.sum('impressions', (cell) => cell.line === id && cell.day >= first && cell.day <= last);
            assert.ok(seen <= frequency_cap * people, `${seen} until ${last}`);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('simulated delivery of one line item', () => {
  const after = (seconds: number, changes: Partial<Booking>, people = 5000, begin?: string): ModelRun => {
    const model = new ModelRun([booking('a', changes)], 'America/Los_Angeles', begin);
    model.people = people;
    model.advance(seconds);
    return model;
  };

  // Law 7. To see it fail: invert `winRate` in market.ts.
  test('has no fewer impressions with a higher bid, or with more people, while no budget binds', () => {
    const rich = { bid_strategy: 'MAX', budget: { daily: 9e12, total: null } } as const;
    fc.assert(
      fc.property(
        micro(2, 400),
        micro(0, 100),
        fc.integer({ min: 50, max: 5000 }),
        fc.nat(3000),
        (bid, more, people, others) => {
          const impressions = (amount: number, audience: number): number =>
            after(5 * HOUR_S, { ...rich, bid_amount: amount }, audience).sum('impressions');
          const former = impressions(bid, people);
          assert.ok(impressions(bid + more, people) >= former, 'bid');
          assert.ok(impressions(bid, people + others) >= former - 6, 'people, but for the rounding of each hour');
        },
      ),
      { numRuns: RUNS },
    );
  });

  // Law 3. To see it fail: take twice `target`, or half of `plan`, in hour-market.ts.
  test('meets its target on average, and spends what is planned', () => {
    fc.assert(
      fc.property(micro(20, 300), (target) => {
        const billing = { objective: 'VIDEO_VIEWS', goal: 'VIDEO_VIEW', pay_by: 'VIEW' } as const;
        const model = after(24 * HOUR_S, { ...billing, bid_strategy: 'TARGET', bid_amount: target });
        const billed = model.sum('billed_engagements');
        if (billed < 100) return;
        const average = model.sum('billed_charge_local_micro') / billed;
        assert.ok(Math.abs(average / target - 1) < 0.2, `${average} for ${target}`);
      }),
      { numRuns: RUNS },
    );
    const begin = '2026-03-03T08:00:00Z';
    for (const daily of [20_000_000, 50_000_000, 90_000_000]) {
      const spend = after(24 * HOUR_S, { budget: { daily, total: null } }, 50_000, begin).sum(
        'billed_charge_local_micro',
      );
      assert.ok(spend >= 0.9 * daily && spend <= daily, `${spend} of ${daily}`);
    }
  });

  // Law 9. To see it fail: `weight: () => 1` in plan-segment.ts; or let `isStandard` be false for all in prepared-line.ts; or
  // leave out `throttle` there, which only bids of their own need.
  for (const bid of [{}, { bid_strategy: 'MAX', bid_amount: 2_000_000 }] as const) {
    const how = 'bid_amount' in bid ? 'a bid of its own' : 'an automatic bid';
    test(`follows the curve of the day with ${how}, or is ahead of it when it is not paced`, () => {
      const begin = '2026-03-03T08:00:00Z';
      const changes = { budget: { daily: 100_000_000, total: null }, ...bid };
      const paced = after(0, {}, 1, begin);
      const model = new ModelRun([booking('a', changes)], 'America/Los_Angeles', begin);
      const fast = new ModelRun([booking('a', { ...changes, isStandard: false })], 'America/Los_Angeles', begin);
      for (const each of [model, fast]) each.people = 100_000;
      assert.equal(paced.cells.size, 0);
      const shares: number[] = [];
      for (let hour = 1; hour <= 24; hour++) {
        for (const each of [model, fast]) each.advance(HOUR_S);
        shares.push(model.sum('billed_charge_local_micro') / 100_000_000);
        assert.ok(fast.sum('billed_charge_local_micro') >= model.sum('billed_charge_local_micro'), `hour ${hour}`);
      }
      // The curve of the day is low at night and high in the evening.
      const expected = [0.024, 0.04, 0.052, 0.06, 0.069, 0.081, 0.102, 0.136, 0.179, 0.227, 0.276, 0.328];
      for (const [hour, share] of expected.entries()) assert.ok(Math.abs(shares[hour]! - share) < 0.1, `${shares}`);
      assert.ok(shares[5]! < 0.15 && shares[11]! > 0.25 && shares[23]! > 0.95, String(shares));
      assert.equal(fast.sum('billed_charge_local_micro'), 100_000_000);
    });
  }

  // Law 10. To see it fail: leave out `today = 0` of line items or of campaigns in ledger-state.ts.
  test('has its daily budgets anew with each local day, on a day of 23 hours too', () => {
    const daily = { daily: 20_000_000, total: null };
    const of = (id: string): Booking => booking(id, { budget: { daily: null, total: null } });
    const ofCampaign: Booking = { ...of('b'), campaign: { ...of('b').campaign, id: 'b', budget: daily } };
    const model = new ModelRun(
      [booking('a', { budget: daily }), ofCampaign],
      'America/Los_Angeles',
      '2026-03-07T08:00:00Z',
    );
    model.people = 100_000;
    model.advance(71 * HOUR_S);
    for (const line of ['a', 'b'])
      for (const day of ['2026-03-07', '2026-03-08', '2026-03-09']) {
        const spent = model.sum('billed_charge_local_micro', (cell) => cell.line === line && cell.day === day);
        assert.ok(spent > 19_000_000 && spent <= 20_000_000, `${line} ${day} ${spent}`);
      }
  });

  test('uses a total budget up to the last unit', () => {
    const model = after(40 * 24 * HOUR_S, { budget: { daily: null, total: 12_345_678 }, isStandard: false });
    assert.equal(model.sum('billed_charge_local_micro'), 12_345_678);
  });

  test('has the course that is set', () => {
    const begin = '2026-03-03T08:00:00Z';
    const hourly = (scenario: SimulationParameters['scenario']): Map<number, number> => {
      const model = new ModelRun(
        [booking('a', { budget: { daily: 9e12, total: null } })],
        'America/Los_Angeles',
        begin,
      );
      model.knobs = { market_level: 1, engagement_factor: 1, scenario };
      model.advance(24 * HOUR_S);
      return new Map(
        [...Array(24).keys()].map((hour) => [hour, model.sum('impressions', (cell) => cell.hour === hour)]),
      );
    };
    const out = hourly({ name: 'outage', hour: 14 });
    assert.equal(out.get(14), 0);
    assert.ok(out.get(13)! > 0 && out.get(15)! > 0);
    const flat = [...hourly({ name: 'flat' }).values()];
    assert.ok(Math.max(...flat) - Math.min(...flat) <= 0.02 * Math.max(...flat) + 2, String(flat));
    const model = new ModelRun(
      [booking('a', { budget: { daily: null, total: 30_000_000 }, end_time: '2026-04-20T00:00:00Z' })],
      'America/Los_Angeles',
      begin,
    );
    model.knobs = { market_level: 1, engagement_factor: 1, scenario: { name: 'early_end', from: '2026-03-03' } };
    model.advance(3 * 24 * HOUR_S);
    assert.ok(model.sum('billed_charge_local_micro') > 29_000_000, String(model.sum('billed_charge_local_micro')));
  });
});
