import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { loginExpiry } from '../../src/features/auth/logins/login-expiry.ts';
import { loginThrottle } from '../../src/features/auth/logins/login-throttle.ts';
import { addPerson, type Browser, browserOf, type Person, type Seen, typed } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
const limits = { login_failures_per_account: 3, login_failures_per_address: 50, login_failures_per_user: 8 };
before(async () => {
  const flags = { rate_limits: 'off', trusted_proxies: '127.0.0.1', ...limits };
  world = await openWorld({ flags });
});
after(() => world.close());
beforeEach(() => world.clock.advance(3 * 86_400));

const from = (address: string) => ({ 'x-forwarded-for': address });
async function attempt(input: Pick<Person, 'name' | 'password'>, address: string, user?: Browser): Promise<Seen> {
  const browser = user ?? browserOf(world.service.url);
  const headers = from(address);
  return browser.submit(await browser.get('/login', headers), typed(input), { headers });
}
const guess = async (person: Person, address: string): Promise<number> =>
  (await attempt({ ...person, password: 'wrong' }, address)).status;

test('wrong passwords from one address lock the user out only there', async () => {
  const person = await addPerson(world);
  for (let count = 0; count < 3; count += 1) assert.equal(await guess(person, '192.0.2.1'), 401);
  const locked = await attempt(person, '192.0.2.1');
  assert.deepEqual([locked.status, locked.headers.get('retry-after')], [429, '900']);
  assert.equal((await attempt(person, '192.0.2.2')).status, 303);
});

test('the addresses of one IPv6 /64 count as one', async () => {
  const person = await addPerson(world);
  for (const last of [1, 2, 3]) assert.equal(await guess(person, `2001:db8:1:2::${last}`), 401);
  assert.equal((await attempt(person, '2001:db8:1:2:ffff::9')).status, 429);
  assert.equal((await attempt(person, '2001:db8:1:3::1')).status, 303);
});

test('guesses from many addresses are tried one by one; the user is not locked out', async () => {
  const person = await addPerson(world);
  const statuses: number[] = [];
  for (let last = 1; last <= 12; last += 1) statuses.push(await guess(person, `198.51.100.${last}`));
  assert.deepEqual(statuses, [...Array(8).fill(401), ...Array(4).fill(429)]);
  const waits = await attempt(person, '203.0.113.1');
  assert.deepEqual([waits.status, waits.headers.get('retry-after')], [429, '30']);
  world.clock.advance(30);
  assert.equal(await guess(person, '198.51.100.99'), 401);
  assert.equal(await guess(person, '198.51.100.98'), 429);
  world.clock.advance(30);
  assert.equal((await attempt(person, '203.0.113.1')).status, 303);
});

test('a known browser is not throttled, with a limit of its own', async () => {
  const [person, other] = [await addPerson(world), await addPerson(world)];
  const known = browserOf(world.service.url);
  assert.equal((await attempt(person, '203.0.113.7', known)).status, 303);
  known.cookies.delete('sess');
  for (let last = 1; last <= 9; last += 1) await guess(person, `198.51.100.${last}`);
  assert.equal((await attempt(person, '203.0.113.8')).status, 429);
  assert.equal((await attempt(person, '203.0.113.8', known)).status, 303);
  known.cookies.delete('sess');
  const wrong = { ...person, password: 'wrong' };
  for (let count = 0; count < 3; count += 1) assert.equal((await attempt(wrong, '203.0.113.8', known)).status, 401);
  assert.equal((await attempt(person, '203.0.113.8', known)).status, 429);
  // It is known to this user only, and cannot be made up.
  for (let last = 1; last <= 9; last += 1) await guess(other, `198.51.100.${last}`);
  assert.equal((await attempt(other, '203.0.113.9', known)).status, 429);
  const forged = browserOf(world.service.url);
  forged.cookies.set('known', `k1.${'A'.repeat(16)}.${'A'.repeat(60)}`);
  assert.equal((await attempt(other, '203.0.113.9', forged)).status, 429);
});

test('a restart keeps all tallies; expired ones are removed', async () => {
  const person = await addPerson(world);
  for (let count = 0; count < 3; count += 1) await guess(person, '192.0.2.1');
  const { store } = world.service;
  // What a new process would count with: the same database and nothing else.
  const throttle = loginThrottle({ store, clock: world.clock, limits });
  const name = person.name.toLowerCase();
  const tried = { factor: 'password', name, address: '192.0.2.1', browserId: undefined } as const;
  assert.deepEqual(await throttle.begin(tried), { wait_s: 900 });
  const now = () => formatInstant(world.clock.now());
  const sweep = () => store.write((tx) => loginExpiry.store(tx, {} as never, now(), now()));
  await sweep();
  assert.deepEqual(await throttle.begin(tried), { wait_s: 900 });
  world.clock.advance(900 + 86_400);
  await sweep();
  assert.equal(await store.write((tx) => tx.loginTallies.count()), 0);
});

test('beyond a limit, the tallies that end first are dropped', async () => {
  const { store } = world.service;
  const blank = { failures: 1, since_s: 0, locked_until_s: 0, locks: 0 };
  const left = await store.write(async (tx) => {
    for (const [id, ends_s] of [
      ['soon', 5_000_000_000],
      ['late', 6_000_000_000],
    ] as const) {
      await tx.loginTallies.lock([id], { ...blank, ends_s });
    }
    await tx.removeOldest('login_tallies', Number.MAX_SAFE_INTEGER, (await tx.loginTallies.count()) - 1);
    const [late] = await tx.loginTallies.lock(['late'], { ...blank, ends_s: 0 });
    const count = await tx.loginTallies.count();
    await tx.removeOldest('login_tallies', Number.MAX_SAFE_INTEGER, 1);
    return [late!.ends_s, count];
  });
  assert.deepEqual(left, [6_000_000_000, 1]);
});
