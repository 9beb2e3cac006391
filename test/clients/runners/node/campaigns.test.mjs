import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { start } from '@barker-ads/server/testing';

/** @type {import('@barker-ads/server/testing').Barker} */
let barker;
before(async () => {
  barker = await start({ seed: 42, tls: true });
});
after(() => barker.close());

test('a campaign is created, over https', async () => {
  const [account] = (await barker.call('GET', '/12/accounts')).body.data;
  const [instrument] = (await barker.call('GET', `/12/accounts/${account.id}/funding_instruments`)).body.data;
  const form = { name: 'Spring', funding_instrument_id: instrument.id, daily_budget_amount_local_micro: 5_000_000 };
  const made = await barker.call('POST', `/12/accounts/${account.id}/campaigns`, { form });
  assert.equal(made.status, 200, made.text);
  assert.equal(made.body.data.name, 'Spring');
});

test('requests are waited for', async () => {
  await barker.requests.clear();
  const waiting = barker.requests.waitFor({ operation: 'accounts.list' });
  await barker.call('GET', '/12/accounts', { query: { count: 3 } });
  const [seen] = await waiting;
  assert.equal(seen.target, '/12/accounts?count=3');
});

test('events are received', async () => {
  const filter = { user_id: barker.keys.user_id };
  const receiver = await barker.events.receive({ event_type: 'profile.update.bio', filter });
  await barker.call('POST', '/1.1/account/update_profile.json', { form: { description: 'Spring' } });
  const [event] = await receiver.waitFor();
  assert.equal(event.payload.after, 'Spring');
  await receiver.close();
});

test('mocked timers do not disturb signatures', async () => {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 0 });
  const { status } = await barker.call('GET', '/12/accounts');
  mock.timers.reset();
  assert.equal(status, 200);
});

test('a server is closed at the end of its use', async () => {
  const other = await start();
  await other[Symbol.asyncDispose]();
  await assert.rejects(other.call('GET', '/12/accounts'), /barker has ended with exit code 0/);
});
