import { NotStarted, start } from '@barker-ads/server/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** @type {import('@barker-ads/server/testing').Barker} */
let barker;
beforeAll(async () => {
  barker = await start({ seed: 42 });
}, 240_000);
afterAll(() => barker.close(), 240_000);

test('a campaign is created', async () => {
  const [account] = (await barker.call('GET', '/12/accounts')).body.data;
  const [instrument] = (await barker.call('GET', `/12/accounts/${account.id}/funding_instruments`)).body.data;
  const form = { name: 'Spring', funding_instrument_id: instrument.id, daily_budget_amount_local_micro: 5_000_000 };
  const made = await barker.call('POST', `/12/accounts/${account.id}/campaigns`, { form });
  expect(made).toMatchObject({ status: 200, body: { data: { name: 'Spring' } } });
});

test('what is tried again after a lost reply is done twice', async () => {
  const match = { operation: 'accounts.create' };
  await barker.faults.add({ match, when: 'after', times: 1, do: { reset: true } });
  const create = () => barker.call('POST', '/12/accounts', { sandbox: true });
  await create().catch(create);
  const { body } = await barker.call('GET', '/12/accounts', { sandbox: true });
  expect(body.data).toHaveLength(2);
});

test('fake timers do not disturb signatures', async () => {
  vi.useFakeTimers({ now: 0 });
  const { status } = await barker.call('GET', '/12/accounts');
  vi.useRealTimers();
  expect(status).toBe(200);
});

test('a server that does not start says why', async () => {
  const starting = start({ settings: { no_such_setting: 1 } });
  await expect(starting).rejects.toThrow(NotStarted);
  await expect(starting).rejects.toThrow('BARKER_NO_SUCH_SETTING (environment): unknown setting');
});
