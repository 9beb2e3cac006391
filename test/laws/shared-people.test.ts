// On either database: the arithmetic of simulated delivery.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Booking } from '../../src/features/delivery/bookings.ts';
import { ORDINARY, type SimulationParameters } from '../../src/features/delivery/simulation/knobs.ts';
import { partsWon, populationOf } from '../../src/features/delivery/simulation/share-auctions.ts';
import { booking, creative, ModelRun } from '../rig/delivery-model.ts';

const HOUR_S = 3600;

describe('line items that mean the same people', () => {
  const rich = { daily: 9e12, total: null };
  const after = (lines: readonly Booking[], isShared = true) => {
    const model = new ModelRun(lines);
    Object.assign(model, { isShared, people: 50_000 });
    model.advance(24 * HOUR_S);
    const of = (metric: Parameters<ModelRun['sum']>[0], line?: string): number =>
      model.sum(metric, (cell) => line === undefined || cell.line === line);
    return of;
  };
  const copies = (number: number, changes: Partial<Booking>): Booking[] =>
    // The same creative has the same quality.
    Array.from({ length: number }, (_, at) => booking(`copy ${at}`, { ...changes, creatives: [creative('same')] }));

  test('deliver together what one of them does alone, at a bid of their own', () => {
    const changes = { bid_strategy: 'MAX', bid_amount: 300_000, budget: rich } as const;
    const [one, six] = [after(copies(1, changes))('impressions'), after(copies(6, changes))('impressions')];
    assert.ok(Math.abs(six / one - 1) < 0.1, `${six} by six, ${one} by one`);
    assert.ok(after(copies(6, changes), false)('impressions') > 5 * one, 'of different people, each as many');
  });

  test('spend their budgets at a higher price, where the service bids', () => {
    const changes = { budget: { daily: 20_000_000, total: null } };
    const [one, six] = [after(copies(1, changes)), after(copies(6, changes))];
    const spend = 'billed_charge_local_micro';
    assert.ok(six(spend) > 5.5 * one(spend), `${six(spend)} by six, ${one(spend)} by one`);
    assert.ok(six(spend) / six('impressions') > (1.3 * one(spend)) / one('impressions'));
  });

  test('lose them to higher bids, as far as those take part', () => {
    const own = booking('own', { bid_strategy: 'MAX', bid_amount: 300_000, budget: rich });
    const left = (budget: Booking['budget'] | undefined): number => {
      const rival = booking('rival', { bid_strategy: 'MAX', bid_amount: 15_000_000, budget: budget ?? rich });
      return after(budget ? [own, rival] : [own])('impressions', 'own');
    };
    const alone = left(undefined);
    assert.ok(left(rich) < 0.1 * alone, 'next to nothing is left');
    const some = left({ daily: 200_000_000, total: null });
    assert.ok(some > 0.5 * alone && some < 0.85 * alone, `${some} of ${alone}`);
  });

  // To see it fail: plan the budgets in `bidAndPace` of plan-segment.ts.
  test('look at their budgets once an hour, as those do that share nobody', () => {
    const looks = (isShared: boolean): number => {
      let count = 0;
      const model = new ModelRun(copies(6, { budget: { daily: 20_000_000, total: null } }));
      const knobs: SimulationParameters = {
        ...ORDINARY,
        get scenario() {
          count += 1;
          return ORDINARY.scenario;
        },
      };
      Object.assign(model, { isShared, knobs });
      model.advance(HOUR_S);
      return count;
    };
    assert.equal(looks(true), looks(false));
  });

  test('win in proportion, and are as many people as they have in common', () => {
    const rounded = (numbers: number[]) => numbers.map((each) => Math.round(each * 1000) / 1000);
    assert.deepEqual(rounded(partsWon(Array(4).fill({ part: 1, rate: 7e24 }))), [0.25, 0.25, 0.25, 0.25]);
    assert.deepEqual(
      rounded(
        partsWon([
          { part: 1, rate: 1 },
          { part: 0.1, rate: 1e6 },
        ]),
      ),
      [0.9, 1],
    );
    assert.deepEqual(
      rounded(
        partsWon([
          { part: 0.5, rate: 3 },
          { part: 0.5, rate: 1 },
        ]),
      ),
      [0.875, 0.625],
    );
    assert.deepEqual(
      [populationOf([50, 50], 75), populationOf([80, 80], 80), populationOf([50, 50], 100)].map(Math.round),
      [100, 80, Infinity],
    );
  });
});
