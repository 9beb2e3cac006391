import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exchangeRates } from '../../src/base/exchange-rates.ts';
import { fraction, pooledRandom, seededRandom } from '../../src/base/random.ts';
import { localDay } from '../../src/base/zones.ts';
import { bidLimits } from '../../src/features/ads/reference/bidding-rules.ts';
import type { Booking } from '../../src/features/delivery/bookings.ts';
import type { Ad } from '../../src/features/delivery/serving/ads.ts';
import { decideRound } from '../../src/features/delivery/serving/auction-round.ts';
import { dayOfAd } from '../../src/features/delivery/serving/pacing.ts';
import { shuffleByOutcome, UNSEEN } from '../../src/features/delivery/serving/quality.ts';
import { Ranking } from '../../src/features/delivery/serving/ranking.ts';
import { hourMarket } from '../../src/features/delivery/simulation/hour-market.ts';
import { parseSimulationParameters } from '../../src/features/delivery/simulation/knobs.ts';
import { bidForCost, priceOf } from '../../src/features/delivery/simulation/market.ts';
import { normalQuantile } from '../../src/features/delivery/simulation/normal.ts';
import { booking } from '../rig/delivery-model.ts';

const unitsPerDollar = exchangeRates([])('USD');
const CLICKS = 0.08;
/** Decisions of a day are so many seconds apart. */
const EVERY_S = 8;
const DAY = localDay('2026-03-02', 'UTC');

function adOf(id: string, changes: Partial<Booking> = {}, account = id): Ad {
  const booked = booking(id, { pay_by: 'IMPRESSION', start_time: '2026-03-02T00:00:00Z', ...changes });
  const isPaidByClick = booked.pay_by !== 'IMPRESSION';
  return {
    ...{
      booking: booked,
      creatives: booked.creatives.map((each) => ({ ...each, outcomes: UNSEEN })),
      isMeant: () => true,
      countries: undefined,
      platforms: undefined,
    },
    account: { id: account, environment: 'sandbox', timezone: 'UTC' },
    bid: {
      ...{ strategy: booked.bid_strategy, amount: booked.bid_amount, ...bidLimits('USD'), unitsPerDollar },
      actions: isPaidByClick ? 1 : 1000,
    },
    ...{ isStale: false, billed: isPaidByClick ? 'click' : 'impression', isMeasured: false, firstBid: 4, quality: 1 },
    ...{ isStandard: booked.isStandard ?? true, probability: isPaidByClick ? CLICKS : 1 },
    outcomes: isPaidByClick ? { successes: 80_000, trials: 1_000_000 } : undefined,
    flight: { from_ms: DAY.start_ms, until_ms: Date.parse(booked.end_time ?? '9999-12-31T23:59:59Z') },
  };
}

/** Plays a day, or the end of it, against others whose bids are those of the simulation; returns what was spent by quarter. */
function play(changes: Partial<Booking>, { from = 0, rival }: { from?: number; rival?: number } = {}) {
  const auto = adOf('auto', changes);
  const others = adOf('others', { bid_strategy: 'MAX', bid_amount: 1, budget: { daily: 9e15, total: null } });
  const bid = others.bid as { amount: number };
  const random = pooledRandom(seededRandom(7, 'auctions'));
  const chance = () => fraction(random);
  let now_ms = DAY.start_ms;
  let spent = 0;
  const counters = {
    spentToday: (key: string) => (/auto|campaign/.test(key) ? spent : 0),
    openingBalance: () => undefined,
  };
  const ranks = new Ranking({ now: () => now_ms }, chance, () => counters);
  const list = { ads: [auto, others], changes: 0 };
  const placement = { id: 'top', type: 'SERVICE_TIMELINE', count: 1 };
  const quarters = [0, 0, 0, 0];
  let shown = 0;
  for (now_ms += from * 3_600_000; now_ms < DAY.end_ms; now_ms += EVERY_S * 1000) {
    const hour = Math.floor((now_ms - DAY.start_ms) / 3_600_000);
    const { shift } = hourMarket({
      seed: 'seed',
      knobs: parseSimulationParameters(undefined),
      day: DAY,
      hour,
      from_ms: 0,
      until_ms: 0,
    });
    bid.amount = rival ?? Math.round((Math.exp(shift + 0.9 * normalQuantile(chance())) * 1e6) / 1e4) * 1e4;
    const { winners } = decideRound({
      ...{
        ranking: ranks,
        candidates: [list],
        placement,
        now_ms,
        excluded: new Map(),
        accounts: new Set<string>(),
        explain: false,
        chance,
      },
      ...{ viewer: {} as never, versionOf: () => 0 },
      obstacleTo: ({ ad }) => (ranks.waits(ad) ? 'PACING' : undefined),
    });
    const [winner] = winners;
    if (winner?.ad !== auto) continue;
    shown += 1;
    if (auto.billed === 'click' && chance() >= CLICKS) continue;
    spent += winner.price;
    quarters[Math.floor(hour / 6)]! += winner.price;
  }
  return { spent, quarters: quarters.map((each) => each / spent), thousand: (spent / shown) * 1000 };
}

describe('a line item for which the service bids spends its part of the day', () => {
  const cases: readonly (readonly [string, Partial<Booking>, dollars: number, tolerance: number])[] = [
    ['of a small budget', { budget: { daily: 5_000_000, total: null } }, 5, 0.02],
    ['of a large budget', { budget: { daily: 20_000_000, total: null } }, 20, 0.02],
    // Few clicks are spread by chance.
    ['by clicks', { pay_by: 'LINK_CLICK', budget: { daily: 20_000_000, total: null } }, 20, 0.05],
  ];
  for (const [name, changes, dollars, tolerance] of cases) {
    test(name, (t) => {
      const { spent, quarters, thousand } = play(changes);
      t.diagnostic(`${spent / 1e6} spent, ${quarters.map((each) => each.toFixed(3))}, ${thousand / 1e6} a thousand`);
      assert.ok(spent >= dollars * 1e6 * 0.97 && spent <= dollars * 1.01e6, `${spent / 1e6} spent`);
      for (const quarter of quarters) assert.ok(Math.abs(quarter - 0.25) <= tolerance, `${quarters}`);
      // What the simulation pays for the same, in a market of the same middle.
      const market = { mu: Math.log(4e6) };
      const simulated = priceOf(market, bidForCost(market, (dollars * 1e6 * 1000) / (86_400 / EVERY_S)));
      assert.ok(Math.abs(thousand / simulated - 1) <= 0.12, `${thousand / 1e6} instead of ${simulated / 1e6}`);
    });
  }

  test('also when half an hour is left of it', () => {
    const { spent } = play({ budget: { daily: 40_000, total: null } }, { from: 23.5, rival: 250_000 });
    assert.ok(spent >= 39_000, `${spent}`);
  });
});

test('the budget of a day is the smaller of the daily one and its part of the total one, of the line item and of the campaign', () => {
  const ofCampaign = (daily: number | null, total: number | null) => ({
    budget: { daily: null, total: null },
    campaign: { ...booking('a').campaign, budget: { daily, total } },
  });
  const untilDay = (day: number) => ({ end_time: `2026-03-${day}T00:00:00Z` });
  const cases: readonly (readonly [Partial<Booking>, openingBalance: number | undefined, plan: number])[] = [
    [{ budget: { daily: 7, total: null } }, undefined, 7],
    [{ budget: { daily: 7, total: 100 }, ...untilDay(12) }, undefined, 7],
    [{ budget: { daily: 70, total: 100 }, ...untilDay(12) }, undefined, 10],
    [{ budget: { daily: null, total: 100 }, ...untilDay(12) }, 50, 5],
    [{ budget: { daily: null, total: 300 } }, undefined, 10],
    [ofCampaign(8, null), undefined, 8],
    [{ ...ofCampaign(8, 100), ...untilDay(12) }, 40, 4],
  ];
  for (const [changes, openingBalance, plan] of cases) {
    const counters = { spentToday: () => 3, openingBalance: () => openingBalance };
    assert.deepEqual(dayOfAd(adOf('a', changes), counters, DAY.start_ms).plans, [{ plan, spent: 3 }]);
  }
});

/** Decides once. */
function decideOn(ads: Ad[], { count = 1, now_ms = DAY.start_ms, explain = false, accounts = new Set<string>() } = {}) {
  const random = seededRandom(now_ms, 'rounds');
  const chance = () => fraction(random);
  const counters = { spentToday: () => 0, openingBalance: () => undefined };
  return decideRound({
    ...{
      ranking: new Ranking({ now: () => now_ms }, chance, () => counters),
      candidates: [{ ads, changes: 0 }],
    },
    ...{ placement: { id: 'top', type: 'SERVICE_TIMELINE', count }, now_ms, excluded: new Map(), accounts, explain },
    ...{ chance, viewer: {} as never, versionOf: () => 0, obstacleTo: () => undefined },
  });
}

describe('accounts share the places of a request', () => {
  const ads = (): Ad[] =>
    (['a 9', 'a 8', 'a 7', 'b 5', 'a 4', 'b 3', 'c 2'] as const).map((name) => {
      const bid_amount = Number(name.split(' ')[1]) * 1e6;
      return adOf(name, { bid_strategy: 'MAX', bid_amount }, name[0]);
    });
  const won = (options: Parameters<typeof decideOn>[1]) =>
    decideOn(ads(), options).winners.map(({ ad, price }) => `${ad.booking.id} pays ${price / 1000}`);
  const cases: readonly (readonly [string, Parameters<typeof decideOn>[1], readonly string[]])[] = [
    ['the next ad of the account sets the price', { count: 1 }, ['a 9 pays 8']],
    ['each has one ad, and pays for whoever could take its place', { count: 2 }, ['a 9 pays 8', 'b 5 pays 3']],
    ['an ad of another placement counts', { count: 2, accounts: new Set('a') }, ['b 5 pays 3', 'c 2 pays 0.01']],
    [
      'one has several where nothing else fits',
      { count: 5 },
      ['a 9 pays 8', 'a 8 pays 7', 'a 7 pays 5', 'b 5 pays 4', 'c 2 pays 0.01'],
    ],
    ['or where all have one', { count: 1, accounts: new Set('abc') }, ['a 9 pays 8']],
  ];
  for (const [name, options, expected] of cases) test(name, () => assert.deepEqual(won(options), expected));

  test('and the explanation says so', () => {
    const { explanation } = decideOn(ads(), { count: 2, explain: true });
    const outcomes = new Map(explanation.map(({ line_item_id, outcome }) => [line_item_id, outcome]));
    assert.deepEqual(
      [outcomes.get('a 9'), outcomes.get('a 8'), outcomes.get('b 5'), outcomes.get('a 4')],
      ['WON', 'SAME_ADVERTISER', 'WON', 'OUTBID'],
    );
  });
});

describe('what little is known of is tried out', () => {
  const MOMENTS = 400;

  test('line items paid by clicks', () => {
    const clickAd = (id: string, rate: number, impressions: number): Ad => {
      const outcomes = { successes: 4 + rate * impressions, trials: 500 + impressions };
      const probability = outcomes.successes / outcomes.trials;
      const booked = { pay_by: 'LINK_CLICK', bid_strategy: 'MAX', bid_amount: 500_000 } as const;
      return { ...adOf(id, booked), outcomes, probability };
    };
    const ads = [clickAd('good', 0.01, 1e6), clickAd('new', 0, 0), clickAd('poor', 0.002, 1e6)];
    const wins = { good: 0, new: 0, poor: 0 };
    for (let at = 0; at < MOMENTS; at++) {
      const { winners } = decideOn([...ads], { now_ms: DAY.start_ms + at * 10_000 });
      wins[winners[0]!.ad.booking.id as keyof typeof wins] += 1;
    }
    assert.equal(wins.poor, 0);
    assert.ok(wins.new > 0.15 * MOMENTS && wins.new < 0.5 * MOMENTS, `${wins.new} of ${MOMENTS}`);
  });

  test('creatives', () => {
    const creatives = [
      { id: 'poor', outcomes: { successes: 200, trials: 100_000 } },
      { id: 'new', outcomes: UNSEEN },
      { id: 'good', outcomes: { successes: 1000, trials: 100_000 } },
    ];
    const random = seededRandom(7, 'creatives');
    const first = { good: 0, new: 0, poor: 0 };
    for (let at = 0; at < MOMENTS; at++) {
      const [shown] = shuffleByOutcome(creatives, () => fraction(random));
      first[shown!.id as keyof typeof first] += 1;
    }
    assert.equal(first.poor, 0);
    assert.ok(first.new > 0.1 * MOMENTS && first.new < 0.5 * MOMENTS, `${first.new} of ${MOMENTS}`);
  });
});
