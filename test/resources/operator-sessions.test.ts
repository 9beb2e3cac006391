import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, browserOf, formsOf } from '../rig/browser.ts';
import { actInConsole, anotherConsole, openOperatorLink, operatorToken, signInToConsole } from '../rig/operator.ts';
import { until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';

const PAGE = '/operator/sessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let world: World;
let other: Awaited<ReturnType<typeof anotherConsole>>;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  other = await anotherConsole(world.service);
});
after(async () => {
  other?.close();
  await world.close();
});

const signIn = (name: string): Promise<Browser> => signInToConsole(world.service, name);
const signInElsewhere = (name: string): Promise<Browser> => signInToConsole(world.service, name, other.url);
const statusOf = async (browser: Browser): Promise<number> => (await browser.get('/operator')).status;

/** The names in the list. */
async function listed(browser: Browser): Promise<string[]> {
  const { html } = await browser.get(PAGE);
  return [...html.matchAll(/<h2>(.*?)<\/h2>/gs)].map(([, name]) => name!.replace(/<[^>]*>/g, ''));
}

/** What the form sends that ends the session in a place of the list, in which the own session has none. */
const endAt = async (browser: Browser, place: number): Promise<Record<string, string>> =>
  formsOf((await browser.get(PAGE)).html).filter(({ members }) => members.act === 'end')[place]!.members;

const endings = async (): Promise<string[]> => {
  const records = await world.service.store.read((tx) => tx.audit.listRecords({ event: 'command', limit: 100 }));
  return records.map(({ actor, command, origin, targets }) => [actor, command, origin, ...targets].join(' '));
};

describe('the sessions of operators', () => {
  test('are listed on any server, the own one first and marked', async () => {
    const anna = await signIn('anna');
    const grace = browserOf(other.url);
    const page = await grace.get(`/operator/sign-in?token=${await operatorToken(world.service, 'grace')}`);
    await grace.submit(page, {}, { headers: { 'user-agent': FIREFOX } });
    assert.deepEqual(await listed(anna), ['anna, Unknown browser This browser', 'grace, Firefox on Linux']);
    assert.deepEqual(await listed(grace), ['grace, Firefox on Linux This browser', 'anna, Unknown browser']);
    assert.match((await anna.get(PAGE)).html, /<dt>IP address<\/dt><dd>127\.0\.0\.1<\/dd>/);
  });

  test('are ended one by one, or all others at once, on whichever server they began', async () => {
    const anna = await signIn('anna');
    assert.equal((await actInConsole(anna, PAGE, { act: 'end', session: 'others' })).location, PAGE);
    const grace = await signInElsewhere('grace');
    const ida = await signIn('ida');
    const again = await endAt(anna, 0);
    assert.equal((await anna.post(PAGE, again)).location, PAGE);
    assert.deepEqual((await Promise.all([ida, grace].map(statusOf))).sort(), [200, 401]);
    const { session } = again as { session: string };
    assert.equal((await actInConsole(anna, PAGE, { act: 'end', session })).status, 404, 'it has ended already');
    const ben = await signInElsewhere('ben');
    await actInConsole(anna, PAGE, { act: 'end', session: 'others' });
    assert.deepEqual(await Promise.all([anna, ida, grace, ben].map(statusOf)), [200, 401, 401, 401]);
    assert.deepEqual(await listed(anna), ['anna, Unknown browser This browser']);
    const recorded = await endings();
    for (const each of recorded) assert.match(each, /^operator:anna console session end 127\.0\.0\.1( operator:\w+)+$/);
    assert.deepEqual(
      recorded.map((each) => each.match(/ operator:(ben|grace|ida)\b/g)!.length).sort(),
      [1, 1, 2],
      'the session of the test before, one, and the two that were left',
    );
  });

  test('go on after a restart, and at other servers, until they are signed out', async () => {
    const anna = await signIn('anna');
    const elsewhere = browserOf(other.url);
    for (const [name, value] of anna.cookies) elsewhere.cookies.set(name, value);
    assert.equal(await statusOf(elsewhere), 200);
    const authenticity_token = /data-form-token="([^"]+)"/.exec((await elsewhere.get('/operator')).html)![1]!;
    await elsewhere.post('/operator/sign-out', { authenticity_token });
    assert.deepEqual(await Promise.all([anna, elsewhere].map(statusOf)), [401, 401]);
  });

  test('end eight hours after they began, however much they are used, and are removed', async () => {
    const anna = await signIn('anna');
    for (let used_min = 0; used_min < 460; used_min += 20) {
      world.clock.advance(20 * 60);
      assert.equal(await statusOf(anna), 200);
    }
    world.clock.advance(20 * 60);
    assert.equal(await statusOf(anna), 401);
    await until('they are removed', async () => {
      world.clock.advance(600);
      await world.service.jobs.runDue();
      return (await world.service.store.read((tx) => tx.operatorSessions.list())).length === 0;
    });
  });

  test('take the place of the former one of the same browser', async () => {
    const browser = await signIn('anna');
    assert.equal((await openOperatorLink(browser, await operatorToken(world.service, 'grace'))).status, 303);
    assert.deepEqual(await listed(browser), ['grace, Unknown browser This browser']);
  });
});
