import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR_MAX } from '../../src/contract/delivery/packed-hours.ts';
import { addToLedger, lockLedger } from '../../src/features/delivery/ledger-writer.ts';
import { conversionCalls, type Place } from '../resources/conversion-calls.ts';
import { fc } from '../rig/laws.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
});
after(() => world.close());

const { openPlace, clickId, conversionOf, send, sums, ago } = conversionCalls(() => world);

/** What a website may report of one purchase in the currency of the ad: the account, or with `by` a visitor. */
interface Purchase {
  readonly value: number;
  readonly items: number;
}
type Step =
  | { readonly by: 'account'; readonly conversions: readonly Purchase[] }
  | { readonly by: 'visitor'; readonly click: string; readonly conversion: Purchase };

const VALUES = [0, 1, 0.000001, 29.9, 9999, 10_000, 10_001, 4_503_599_627, 9_000_000_000];
const purchase = fc.record({
  value: fc.constantFrom(...VALUES),
  items: fc.constantFrom(1, 2, 1000, 1001, 1_000_000_000),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: fc.constant('account' as const), conversions: fc.array(purchase, { minLength: 1, maxLength: 500 }) }),
  fc.record({
    by: fc.constant('visitor' as const),
    click: fc.constantFrom('one0000000000000', 'two0000000000000'),
    conversion: purchase,
  }),
);

/** What the numbers of a sequence of calls are, added without bounds, and what visitors may still report for a click. */
function model() {
  const sums = { count: 0n, items: 0n, value: 0n };
  const clicks = new Map<string, { events: number; value: number }>();
  const add = ({ value, items }: Purchase): void => {
    sums.count += 1n;
    sums.items += BigInt(items) * 1_000_000n;
    sums.value += BigInt(Math.round(value * 1e6));
  };
  return {
    sums,
    add,
    /** The member that is beyond what a click may bring; otherwise the purchase is added. */
    visit(click: string, purchase: Purchase): string | undefined {
      const { events, value } = clicks.get(click) ?? { events: 0, value: 0 };
      if (events === 100) return 'click_id';
      if (purchase.items > 1000) return 'number_items';
      if (value + Math.round(purchase.value * 1e6) > 10_000e6) return 'value';
      clicks.set(click, { events: events + 1, value: value + Math.round(purchase.value * 1e6) });
      add(purchase);
      return undefined;
    },
  };
}

const visit = (place: Place, click_id: string, { value, items }: Purchase) =>
  fetch(`${world.service.sandboxUrl}/measurement/events`, {
    method: 'POST',
    body: JSON.stringify({ website_tag_id: place.account, event_id: place.tag, click_id, value, number_items: items }),
  });

/** A sum above 2^53 is right to 15 digits, and none is above the largest number of an hour. */
function assertSum(actual: number | undefined, exact: bigint): void {
  const expected = exact > BigInt(HOUR_MAX) ? HOUR_MAX : Number(exact);
  const isRight = expected <= Number.MAX_SAFE_INTEGER ? (actual ?? 0) === expected : near(actual!, expected);
  assert.ok(isRight, `${actual} instead of ${expected}`);
}

const near = (one: number, other: number): boolean => Math.abs(one - other) <= other * 1e-15;

describe('whatever conversions are reported', () => {
  test('calls are answered, and sums are right or as large as they can be', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const place = await openPlace();
        const expected = model();
        for (const each of steps) {
          if (each.by === 'account') {
            const identifiers = [{ click_id: clickId(place, ago(60)) }];
            const reply = await send(
              place,
              each.conversions.map(({ value, items }) =>
                conversionOf(place, identifiers, { value, number_items: items }),
              ),
            );
            assert.equal(reply.status, 200, reply.text);
            each.conversions.forEach(expected.add);
            continue;
          }
          // Each click on the ad of one decision has another id.
          const reply = await visit(place, clickId(place, ago(60), { click: each.click }), each.conversion);
          const parameter = expected.visit(each.click, each.conversion);
          const text = await reply.text();
          assert.equal(reply.status, parameter === undefined ? 204 : 400, text);
          if (parameter !== undefined) assert.equal(JSON.parse(text).errors[0].parameter, parameter, text);
        }
        const found = await sums(place);
        assert.equal(found['conversion_purchases.post_engagement'] ?? 0, Number(expected.sums.count));
        assertSum(found['conversion_purchases.order_quantity_engagement'], expected.sums.items);
        assertSum(found['conversion_purchases.sale_amount_engagement'], expected.sums.value);
        const stats = await place.client.call('GET', `/12/stats/accounts/${place.account}`, {
          params: {
            ...{ entity: 'LINE_ITEM', entity_ids: place.line, start_time: '2026-03-02', end_time: '2026-03-03' },
            ...{ granularity: 'TOTAL', placement: 'ALL_ON_SERVICE', metric_groups: 'WEB_CONVERSION' },
          },
        });
        assert.equal(stats.status, 200, stats.text);
        const shown = stats.body.data[0].id_data[0].metrics.conversion_purchases.sale_amount?.[0];
        assert.equal(shown ?? 0, found['conversion_purchases.sale_amount_engagement'] ?? 0);
      }),
      { numRuns: 6 },
    );
  });
});

describe('whatever is spent', () => {
  test('calls are answered, and what rows have spent is as large as any budget', async () => {
    const place = await openPlace();
    const { client, path, account, line } = place;
    const { campaign_id } = (await client.call('GET', `${path}/line_items/${line}`)).body.data;
    const { funding_instrument_id } = (await client.call('GET', `${path}/campaigns/${campaign_id}`)).body.data;
    const spent = [Number.MAX_SAFE_INTEGER, ...Array<number>(23).fill(0)];
    const added = new Map([['billed_charge_local_micro', spent] as const, ['billed_engagements', spent] as const]);
    for (const day of ['2026-03-01', '2026-03-01', '2026-03-02']) {
      const delivered = {
        ...{ line_item: { id: line, campaign_id, funding_instrument_id }, creative_id: 'c', placement: 'TREND' },
        ...{ day, hours: 24, added, from: `${day}T10:00:00Z`, until: `${day}T11:00:00Z` },
      };
      await world.service.store.write(async (tx) => {
        await lockLedger(tx, account, ago(0));
        await addToLedger(tx, { id: account, timezone: 'America/Los_Angeles' }, [delivered], ago(0));
      });
    }
    const [totals] = await world.service.store.read((tx) => tx.deliveryLedger.listTotals(account, [line]));
    assert.equal(totals!.spend_local_micro, Number.MAX_SAFE_INTEGER);
    for (const name of [`campaigns/${campaign_id}`, `funding_instruments/${funding_instrument_id}`]) {
      const reply = await client.call('GET', `${path}/${name}`);
      assert.equal(reply.status, 200, reply.text);
    }
    const params = { total_budget_amount_local_micro: 5_000_000 };
    const lowered = await client.call('PUT', `${path}/campaigns/${campaign_id}`, { params });
    assert.equal(lowered.status, 400, lowered.text);
  });
});
