import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dev } from '../rig/developer-surface.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type DeliveringAccount, fillDirectory, openDelivering, sumOf } from './delivery-calls.ts';

const HOUR_S = 3600;

let world: World;
let place: DeliveringAccount;
let campaign: string;
let line: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
  await fillDirectory(world, 3000);
  place = await openDelivering(world);
  campaign = await place.campaign({ daily_budget_amount_local_micro: 900_000_000 });
  line = await place.line(campaign);
  await place.promote(line);
});
after(() => world.close());

const explain = (id: string, query = '') => dev(world, 'GET', `/_dev/delivery/line_items/${id}${query}`);
const knobs = (body?: unknown) =>
  dev(
    world,
    body === undefined ? 'GET' : 'PUT',
    `/_dev/delivery/accounts/${place.account}`,
    body === undefined ? {} : { body },
  );

describe('/_dev/delivery', () => {
  test('explains an hour as it was delivered', async () => {
    world.clock.advance(3 * HOUR_S);
    const hours = await place.hours();
    const second = hours.find(({ hour }) => hour === 10)!;
    const { body, status } = await explain(line, '?hour=2026-03-02T18:20:00Z');
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.local, { day: '2026-03-02', hour: 10, timezone: 'America/Los_Angeles' });
    assert.equal(body.chain.people, 3000);
    assert.equal(body.chain.reason_for_nothing, null);
    // An hour without changes is what its plan says.
    assert.equal(body.chain.impressions, second.impressions);
    assert.equal(body.chain.spend_local_micro, second.billed_charge_local_micro);
    assert.equal(body.delivered.impressions, second.impressions);
    assert.equal(body.chain.limit, null, 'there is budget for more');
  });

  test('tells why there is nothing', async () => {
    const idle = await place.line(campaign);
    const reasonOf = async (id: string): Promise<unknown> => (await explain(id)).body.chain.reason_for_nothing;
    world.clock.advance(HOUR_S);
    assert.equal(await reasonOf(idle), 'NO_CREATIVE');
    await place.put(`line_items/${idle}`, { entity_status: 'PAUSED' });
    assert.equal(await reasonOf(idle), 'LINE_ITEM_NOT_ACTIVE');
    const later = await place.line(campaign, { start_time: '2026-10-01' });
    await place.promote(later);
    assert.equal(await reasonOf(later), 'STARTS_IN_FUTURE');
  });

  test('has courses that are set, from then on', async () => {
    const before = await place.hours();
    const { body } = await knobs({ scenario: { name: 'outage', hour: 15 }, market_level: 2 });
    assert.deepEqual(
      [body.scenario, body.market_level, body.engagement_factor, body.seed],
      [{ name: 'outage', hour: 15 }, 2, 1, place.account],
    );
    assert.deepEqual(await place.hours(), before);
    world.clock.advance(5 * HOUR_S);
    const now = await place.hours();
    const at = (hour: number): number =>
      sumOf(
        now.filter((each) => each.hour === hour),
        'impressions',
      );
    assert.ok(at(14) > 0 && at(16) > 0);
    assert.equal(at(15), 0);
    assert.equal((await explain(line, '?hour=2026-03-02T23:00:00Z')).body.chain.reason_for_nothing, 'OUTAGE');
    assert.deepEqual((await knobs({})).body.scenario, { name: 'ordinary' });
    assert.deepEqual((await knobs()).body.scenario, { name: 'ordinary' });
  });

  test('refuses what it does not know', async () => {
    const refusal = async (reply: ReturnType<typeof dev>) => {
      const { status, body } = await reply;
      return [status, body.error.code, body.error.field ?? null];
    };
    const account = (id: string, body: unknown) => dev(world, 'PUT', `/_dev/delivery/accounts/${id}`, { body });
    assert.deepEqual(await refusal(explain('zzz9')), [404, 'LINE_ITEM_UNKNOWN', null]);
    assert.deepEqual(await refusal(explain(line, '?hour=noon')), [400, 'PARAMETER_INVALID', 'hour']);
    assert.deepEqual(await refusal(account('zzz9', {})), [404, 'ACCOUNT_UNKNOWN', null]);
    assert.deepEqual(await refusal(knobs({ speed: 2 })), [400, 'MEMBER_UNKNOWN', 'speed']);
    assert.deepEqual(await refusal(knobs({ market_level: 0 })), [400, 'MEMBER_INVALID', 'market_level']);
    assert.deepEqual(await refusal(knobs({ scenario: { name: 'storm' } })), [400, 'MEMBER_INVALID', 'name']);
    assert.deepEqual(await refusal(knobs({ scenario: { hour: 3 } })), [400, 'MEMBER_MISSING', 'name']);
    assert.deepEqual(await refusal(knobs({ scenario: { name: 'outage' } })), [400, 'MEMBER_MISSING', 'hour']);
    const listed = await world.production.call('GET', '/12/accounts');
    const production = listed.body.data[0].id as string;
    assert.deepEqual(await refusal(account(production, {})), [409, 'NOT_SIMULATED', null]);
  });
});
