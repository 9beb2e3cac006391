import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { parameterWords } from '../../src/engine/describe/words.ts';
import { usageRecorder } from '../../src/http/application-usage.ts';
import { addPerson, type Browser, browserOf, logIn, type Person, unescaped } from '../rig/browser.ts';
import { clientOf, type Keys } from '../rig/client.ts';
import { type AppliedChange, make, ownToken } from '../rig/developer.ts';
import { bearerClient } from '../rig/events.ts';
import { openStream } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

const NAME = 'Tide tables';

let world: World;
let ada: Person;
let browser: Browser;
let application: AppliedChange;
let keys: Keys;

before(async () => {
  world = await openWorld();
  ada = await addPerson(world);
  browser = browserOf(world.service.url);
  await logIn(browser, ada);
  application = await make(browser, { name: NAME });
  keys = { ...application, ...(await ownToken(browser, application)) };
});
after(() => world.close());

const text = async (path: string): Promise<string> =>
  (await browser.get(path)).html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the calls of an application', () => {
  test('are counted by operation, and refused ones by error', async () => {
    const before = await text('/developer');
    assert.match(before, /No call was refused/);
    const client = clientOf(world.service.url, keys, world.clock);
    for (let times = 0; times < 3; times++) assert.equal((await client.call('GET', '/12/accounts')).status, 200);
    for (let times = 0; times < 2; times++)
      assert.equal((await client.call('GET', '/12/accounts?count=0')).status, 400);
    const overview = await text('/developer');
    assert.match(overview, new RegExp(`${NAME} 5 2 0 0`));
    assert.match(overview, /GET \/12\/accounts 400 INVALID_PARAMETER 2/);
    assert.match(overview, /\/12 5 2/);
    const calls = await text(`${application.path}/calls`);
    assert.match(calls, /5 calls, 2 refused/);
    assert.match(calls, /GET \/12\/accounts 5 2/);
    assert.match(calls, /Production You \d+ of \d+/);
  });

  test('are added to what other servers have counted', async () => {
    const { store, wallClock } = world.service;
    const other = usageRecorder({ store, clock: wallClock });
    for (let times = 0; times < 4; times++) other.note(application.id, 'accounts.list', 200, '');
    await other.close();
    assert.match(await text(`${application.path}/calls`), /GET \/12\/accounts 9 2/);
  });

  test('wait while the database fails, and are added later', async () => {
    const { store, wallClock } = world.service;
    let fails = true;
    const failing = {
      ...store,
      write: ((work) => (fails ? Promise.reject(new Error('down')) : store.write(work))) as typeof store.write,
    };
    const recorder = usageRecorder({ store: failing, clock: wallClock });
    recorder.note(application.id, 'campaigns.list', 200, '');
    await recorder.flush();
    recorder.note(application.id, 'campaigns.list', 200, '');
    fails = false;
    await recorder.close();
    const counts = await store.read((tx) => tx.applicationUsage.listSince([application.id], '', 10));
    assert.equal(counts.find(({ operation }) => operation === 'campaigns.list')?.calls, 2);
  });

  test('wait while the contents are replaced, and those of before are dropped', async () => {
    const { store, wallClock } = world.service;
    const recorder = usageRecorder({ store, clock: wallClock });
    recorder.note(application.id, 'line_items.list', 200, '');
    let flushed = false;
    await recorder.standstill(async () => {
      void recorder.flush().then(() => {
        flushed = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(flushed, false);
    });
    await recorder.close();
    const counts = await store.read((tx) => tx.applicationUsage.listSince([application.id], '', 20));
    assert.equal(
      counts.some(({ operation }) => operation === 'line_items.list'),
      false,
    );
  });

  test('shows streams, and closes them', async () => {
    const { bearer } = await bearerClient(world, keys);
    await openStream(world, bearer);
    const path = `${application.path}/streams`;
    assert.match(await text('/developer'), new RegExp(`${NAME} \\d+ \\d+ 0 1`));
    const closed = await browser.submit(await browser.get(path), {}, { to: path });
    assert.equal(closed.location, `${path}?closed=yes`);
    const after = await text(closed.location!);
    assert.match(after, /None is open/);
    assert.match(after, /ForceDisconnect/);
  });

  test('are not shown to others', async () => {
    const stranger = browserOf(world.service.url);
    await logIn(stranger, await addPerson(world));
    for (const page of ['calls', 'streams']) {
      assert.equal((await stranger.get(`${application.path}/${page}`)).status, 404);
    }
    assert.doesNotMatch((await stranger.get('/developer')).html, new RegExp(NAME));
  });
});

describe('the workbench of a user', () => {
  const post = async (members: Record<string, string>) => {
    const { html } = await browser.get('/developer/workbench');
    const [, authenticity_token] = /name="authenticity_token" value="([^"]+)"/.exec(html)!;
    return browser.post('/developer/workbench', {
      authenticity_token: authenticity_token!,
      ...members,
    });
  };

  test('calls as its user, and shows the reply and the command', async () => {
    const made = await post({ environment: 'sandbox', operation: 'accounts.create' });
    assert.equal(made.status, 200);
    assert.match(made.html, /<strong class="delivered">200</);
    const [, id] = /"id": "(\w+)"/.exec(unescaped(made.html))!;
    assert.match(made.html, /barker call POST \/12\/accounts --sandbox/);
    const missing = await post({ environment: 'sandbox', operation: 'campaigns.list' });
    assert.equal(missing.status, 400);
    assert.match(missing.html, /The path needs it\./);
    const none = await post({
      environment: 'sandbox',
      operation: 'campaigns.list',
      p_account_id: id!,
      p_count: '0',
    });
    assert.match(none.html, /<strong class="failed">400</);
    assert.match(none.html, /INVALID_PARAMETER/);
  });

  test('only reads in production, knows only what pages may call, and says what cannot be read', async () => {
    const write = await post({ environment: 'production', operation: 'accounts.update', p_account_id: 'x' });
    assert.equal(write.status, 400);
    assert.match(write.html, /Only calls that read can be made in production\./);
    for (const operation of ['activity.stream', 'application.rate_limit_status', 'nothing']) {
      assert.match((await post({ operation })).html, /There is no such operation here\./);
    }
    const body = await post({ operation: 'audience_estimate.create', body: '{', p_account_id: 'x' });
    assert.match(body.html, /This is not JSON\./);
  });

  test('has a field for each parameter of every operation, and choices where there are some', async () => {
    await post({ environment: 'sandbox', operation: 'accounts.create' });
    const offered = [...(await browser.get('/developer/workbench')).html.matchAll(/<option value="(\w+\.\w+)"/g)];
    assert.ok(offered.length > 100);
    for (const [, id] of offered) {
      const { html } = await browser.get(`/developer/workbench?operation=${id}`);
      const words = parameterWords(operations.find((each) => each.id === id)!);
      for (const { name, type, choices } of words) {
        const isChosen = (choices.length > 0 && !type.startsWith('list')) || name === 'account_id';
        assert.match(html, new RegExp(`<${isChosen ? 'select' : 'input'} id="p_${name}"`), `${id} ${name}`);
      }
    }
  });
});
