const { start } = require('@barker-ads/server/testing');

/** @type {import('@barker-ads/server/testing').Barker} */
let barker;
/** @type {import('@barker-ads/server/testing').Snapshot} */
let clean;
beforeAll(async () => {
  barker = await start({ seed: 42 });
  clean = await barker.snapshot('clean');
}, 240_000);
beforeEach(() => clean.restore());
afterAll(() => barker.close(), 240_000);

test('a campaign is created', async () => {
  const [account] = (await barker.call('GET', '/12/accounts')).body.data;
  const [instrument] = (await barker.call('GET', `/12/accounts/${account.id}/funding_instruments`)).body.data;
  const form = { name: 'Spring', funding_instrument_id: instrument.id, daily_budget_amount_local_micro: 5_000_000 };
  const made = await barker.call('POST', `/12/accounts/${account.id}/campaigns`, { form });
  expect(made).toMatchObject({ status: 200, body: { data: { name: 'Spring' } } });
});

test('and is gone in the next test', async () => {
  const [account] = (await barker.call('GET', '/12/accounts')).body.data;
  const { body } = await barker.call('GET', `/12/accounts/${account.id}/campaigns`);
  expect(body.data.map(({ name }) => name)).not.toContain('Spring');
});

test('the clock moves', async () => {
  const { now } = await barker.clock.advance('P3D');
  expect(Date.parse(now)).toBeGreaterThan(Date.now() + 2 * 86_400_000);
});

test('fake timers do not disturb signatures', async () => {
  jest.useFakeTimers({ now: 0 });
  const { status } = await barker.call('GET', '/12/accounts');
  jest.useRealTimers();
  expect(status).toBe(200);
});

test('refused calls of the tools are exceptions', async () => {
  await expect(barker.dev('GET', '/_dev/nothing')).rejects.toMatchObject({ status: 404, code: 'CALL_UNKNOWN' });
});
