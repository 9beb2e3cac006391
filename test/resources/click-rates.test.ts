import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DeliveryMetric } from '../../src/contract/delivery/metrics.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { readOutcomes, UNSEEN } from '../../src/features/delivery/serving/quality.ts';
import { fillLargeAccount, type LargeAccount } from '../rig/large-account.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let large: LargeAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'off' } });
  large = await fillLargeAccount(world, world.sandbox, 60);
});
after(() => world.close());

// To see it fail: leave out `unsummed` in quality.ts.
test('clicks and impressions of seven days come from the sums of days, and from hours where there is no sum', async () => {
  const { driver, store } = world.service;
  const days = large.days.slice(-7);
  const [firstSummed] = days.slice(3);
  const nothing = driver.dialect === 'sqlite' ? "x'00'" : "'\\x00'::bytea";
  await driver.write(async ({ runRaw }) => {
    await runRaw(`update delivery_days set clicks = null where day < '${firstSummed}'`);
    await runRaw(`update delivery_days set hours = ${nothing} where day >= '${firstSummed}'`);
  });
  const [left, ...asked] = [...large.lines.keys()];
  const expected = new Map<string, { successes: number; trials: number }>();
  for (const { line_item_id, creative_id, day, hours } of large.ledger) {
    if (line_item_id === left || !days.includes(day)) continue;
    const { metrics } = unpackHours(hours);
    const of = (metric: DeliveryMetric): number => (metrics.get(metric) ?? []).reduce((sum, each) => sum + each, 0);
    const { successes, trials } = expected.get(creative_id) ?? UNSEEN;
    expected.set(creative_id, { successes: successes + of('clicks'), trials: trials + of('impressions') });
  }
  assert.ok(expected.size > 40);
  const account = { id: large.account, environment: 'sandbox', timezone: 'America/Los_Angeles' } as const;
  const now_ms = Date.parse(`${large.days.at(-1)}T20:00:00Z`);
  const found = await store.read((tx) => readOutcomes(tx, account, [...asked, 'unknown'], now_ms));
  assert.deepEqual(new Map([...found].sort()), new Map([...expected].sort()));
});
