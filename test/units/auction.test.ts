import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exchangeRates, parseRates } from '../../src/base/exchange-rates.ts';
import { CURRENCIES } from '../../src/features/ads/currencies.ts';
import { bidLimits } from '../../src/features/ads/reference/bidding-rules.ts';
import { type Bid, bidOf, priceOf, type RankInputs, rankOf } from '../../src/features/delivery/serving/auction.ts';
import { hourMarket, offerOf, supplyOf } from '../../src/features/delivery/simulation/hour-market.ts';
import { parseSimulationParameters } from '../../src/features/delivery/simulation/knobs.ts';
import { normalQuantile } from '../../src/features/delivery/simulation/normal.ts';
import { prepareLines } from '../../src/features/delivery/simulation/prepared-line.ts';
import { booking } from '../rig/delivery-model.ts';

const unitsPerDollar = exchangeRates([]);
const FACTORS: RankInputs = { bid: 0, quality: 1, probability: 1 };

/** A bid in dollars for a thousand impressions or one click, in the nearest admissible amount of a currency. */
function bidIn(currency: string, dollars: number, changes: Partial<Bid> = {}): Bid {
  const limits = bidLimits(currency);
  const wanted = Math.round((dollars * unitsPerDollar(currency) * 1e6) / limits.unit) * limits.unit;
  const amount = Math.min(limits.most, wanted);
  return { strategy: 'MAX', amount, actions: 1000, unitsPerDollar: unitsPerDollar(currency), ...limits, ...changes };
}

const factorsOf = (bid: Bid, changes: Partial<RankInputs> = {}): RankInputs => ({
  ...FACTORS,
  bid: bidOf(bid, 0, 1),
  ...changes,
});

describe('prices', () => {
  test('of a thousand impressions are divided among them, to the micro, in every currency', () => {
    for (const currency of CURRENCIES) {
      for (const strategy of ['MAX', 'TARGET'] as const) {
        const bid = bidIn(currency, 5, { strategy });
        const rival = rankOf(bidIn(currency, 2), factorsOf(bidIn(currency, 2)));
        const charge = priceOf(bid, factorsOf(bid), rival);
        const thousand = strategy === 'TARGET' ? bid.amount! : bidIn(currency, 2).amount!;
        assert.equal(charge * 1000, thousand, currency);
        assert.ok(Number.isInteger(charge), `${currency}: ${charge}`);
      }
    }
  });

  test('of clicks and of impressions make the same rank when they are worth the same', () => {
    const probability = 0.008;
    const click = bidIn('USD', 0.5, { actions: 1 });
    const thousand = bidIn('USD', 0.5 * 1000 * probability);
    const rank = rankOf(click, factorsOf(click, { probability }));
    assert.equal(rank.toFixed(9), rankOf(thousand, factorsOf(thousand)).toFixed(9));
    assert.equal(rank.toFixed(9), '4.000000000');
  });

  test('compare across currencies by their exchange rates', () => {
    const rankIn = (currency: string, units: number): number => {
      const bid = { ...bidIn(currency, 1), amount: units * 1e6 };
      return rankOf(bid, factorsOf(bid));
    };
    const order = [rankIn('KWD', 0.3), rankIn('USD', 0.5), rankIn('JPY', 20), rankIn('INR', 1)];
    assert.deepEqual(
      order,
      [...order].sort((one, other) => other - one),
    );
  });

  test('never exceed a bid, and are at least the least bid', () => {
    const bid = bidIn('USD', 1);
    assert.equal(priceOf(bid, factorsOf(bid), 0) * 1000, bid.least);
    assert.equal(priceOf(bid, factorsOf(bid), 100) * 1000, bid.amount);
  });
});

test('the auction charges what the simulation says, for impressions and clicks, in five currencies', (t) => {
  const OPPORTUNITIES = 20_000;
  const from_ms = Date.parse('2026-03-02T17:00:00Z');
  const day = { date: '2026-03-02', start_ms: from_ms - 17 * 3_600_000, end_ms: from_ms + 7 * 3_600_000, hours: 24 };
  const segment = {
    seed: 'seed',
    knobs: parseSimulationParameters(undefined),
    day,
    hour: 17,
    from_ms,
    until_ms: from_ms + 3_600_000,
  };
  let compared = 0;
  for (const currency of ['USD', 'EUR', 'JPY', 'KWD', 'INR']) {
    for (const pay_by of ['IMPRESSION', 'LINK_CLICK'] as const) {
      for (const bid_strategy of ['MAX', 'TARGET'] as const) {
        for (const dollars of pay_by === 'IMPRESSION' ? [2, 5, 20] : [0.25, 0.6, 2]) {
          const { amount } = bidIn(currency, dollars);
          const booked = booking('a', { currency, pay_by, bid_strategy, bid_amount: amount });
          const account = { id: 'account', environment: 'sandbox', timezone: 'UTC' } as const;
          const bookings = { account: { ...account, approval_status: 'ACCEPTED', deleted: false }, lines: [booked] };
          const range = ['2026-03-02T17:00:00Z', '2026-03-02T18:00:00Z'] as const;
          const [line] = prepareLines(bookings, 'seed', range, unitsPerDollar);
          const seen = { people: 100_000, impressions: 0, reach: 0, capped: 0 };
          const supply = supplyOf(line!, hourMarket(segment), 3_600_000, seen);
          const simulated = offerOf(line!, supply, Number.POSITIVE_INFINITY, segment);
          assert.ok(typeof simulated === 'object');
          const isClick = pay_by === 'LINK_CLICK';
          const bid = bidIn(currency, dollars, { strategy: bid_strategy, actions: isClick ? 1 : 1000 });
          const factors = factorsOf(bid, {
            quality: isClick ? 1 : line!.quality,
            probability: isClick ? supply.billedRate : 1,
          });
          const rank = rankOf(bid, factors);
          const prices: number[] = [];
          for (let at = 0; at < OPPORTUNITIES; at++) {
            // The highest bid of the others, in micro units for a thousand impressions.
            const rival = Math.exp(supply.market.mu + 0.9 * normalQuantile((at + 0.5) / OPPORTUNITIES));
            const next = rival / 1e6 / unitsPerDollar(currency);
            if (rank > next) prices.push(priceOf(bid, factors, next));
          }
          const served = prices.reduce((sum, price) => sum + price, 0) / prices.length;
          const name = `${currency} ${pay_by} ${bid_strategy} ${dollars}`;
          // The simulation varies what TARGET bids by a tenth, so that it is right on average only.
          const tolerance = bid_strategy === 'TARGET' ? 0.11 : 0.05;
          assert.ok(
            Math.abs(served / simulated.price - 1) <= tolerance,
            `${name}: ${served} served, ${simulated.price} simulated`,
          );
          compared += 1;
        }
      }
    }
  }
  t.diagnostic(`${compared} prices compared`);
});

describe('exchange rates', () => {
  test('exist for every currency', () => {
    for (const currency of CURRENCIES) assert.ok(unitsPerDollar(currency) > 0, currency);
    assert.throws(() => unitsPerDollar('ZZZ'), RangeError);
  });

  test('are those of the operator where there are some', () => {
    assert.equal(exchangeRates(['EUR=0.9', 'JPY=150.25'])('EUR'), 0.9);
    for (const bad of ['EUR', 'EUR=', 'EUR=0', 'EUR=-1', 'USD=2', 'ZZZ=1', 'eur=1', 'EUR=1e3']) {
      assert.equal(parseRates([bad]), undefined, bad);
    }
  });
});
