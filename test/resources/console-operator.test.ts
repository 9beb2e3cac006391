import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuditEvent, AuditRecord } from '../../src/contract/store/audit.ts';
import { barkerApart, flagsOf } from '../commands/program.ts';
import { addApplication, addPerson, type Browser, browserOf, logIn, typed } from '../rig/browser.ts';
import { actInConsole as act, signInToConsole } from '../rig/operator.ts';
import { until } from '../rig/patience.ts';
import { decide, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let anna: Browser;

before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', operator_console: true, operations_port: 0, delivery_sandbox: 'served' },
  });
  anna = await signInToConsole(world.service, 'anna');
});
after(() => world.close());

const recordsOf = (event: AuditEvent): Promise<AuditRecord[]> =>
  world.service.store.read((tx) => tx.audit.listRecords({ event, limit: 100 }));

/** What was done in the console. */
const actsOf = async () => (await recordsOf('command')).filter(({ command }) => command?.startsWith('console '));

const commandsOf = async (): Promise<string[]> => {
  return (await actsOf()).map(({ actor, command, outcome, targets }) =>
    [actor, command, outcome, ...targets].join(' '),
  );
};

describe('the overview', () => {
  test('has the server that shows it, and says when none does jobs', async () => {
    const { store, node } = world.service;
    const own = (await store.read((tx) => tx.nodes.listOthers(''))).find(({ id }) => id === node.id)!;
    const row = `<th scope="row">${node.id.slice(0, 8)}</th><td>${own.hostname}</td>`;
    const run = (roles: string) =>
      store.write(async (tx) => {
        await tx.nodes.remove(own.id);
        await tx.nodes.add({ ...own, roles }, 10);
      });
    for (const [roles, isTold] of [
      ['api,stream', true],
      [own.roles, false],
    ] as const) {
      await run(roles);
      // As long after its only heartbeat as servers on SQLite usually are.
      world.clock.advance(60);
      const { html } = await anna.get('/operator');
      assert.ok(html.includes(row), html);
      assert.equal(html.includes('No running server has the role worker'), isTold, roles);
    }
  });
});

describe('operators', () => {
  test('register a user, who sets a password with the link', async () => {
    const done = await act(anna, '/operator/users', { screen_name: 'harbour', name: 'Harbour Tea', email: '' });
    assert.equal(done.status, 200);
    const link = new URL(/<pre[^>]*>(http[^<]+)<\/pre>/.exec(done.html)![1]!);
    assert.equal(link.origin, world.service.url);
    const user = browserOf(world.service.url);
    const page = await user.get(link.pathname + link.search);
    const password = 'a sentence that nobody guesses';
    await user.submit(page, { new_password: password, new_password_again: password });
    const own = browserOf(world.service.url);
    const sent = await own.submit(await own.get('/login'), typed({ name: 'harbour', password }));
    assert.deepEqual([sent.status, sent.location], [303, '/ads']);
    assert.match((await commandsOf())[0]!, /^operator:anna console user create done user:\d+$/);
  });

  test('see at the field what is wrong, and nothing is lost', async () => {
    const { status, html } = await act(anna, '/operator/users', { screen_name: 'no blanks', name: 'Kept', email: 'x' });
    assert.equal(status, 400);
    assert.match(html, /id="screen_name-fault">A user name is 1 to 15 letters/);
    assert.match(html, /id="email-fault"/);
    assert.match(html, /value="Kept"/);
    const taken = await act(anna, '/operator/users', { screen_name: 'HARBOUR', name: 'Other', email: '' });
    assert.match(taken.html, /id="screen_name-fault">This user name is taken/);
  });

  test('suspend and lock users, which ends their sessions', async () => {
    const eve = await addPerson(world);
    const user = browserOf(world.service.url);
    await logIn(user, eve);
    const path = `/operator/users/${eve.id}`;
    for (const [bad, good, state] of [
      ['suspend', 'resume', 'Suspended'],
      ['lock', 'unlock', 'Locked'],
    ] as const) {
      assert.deepEqual((await act(anna, path, { act: bad, reason: 'Case 7' })).location, path);
      const recorded = `operator:anna console user ${bad} --reason "Case 7" done user:${eve.id}`;
      assert.ok((await commandsOf()).includes(recorded), recorded);
      assert.match((await anna.get(path)).html, new RegExp(`<dd>${state}</dd>`));
      assert.match((await user.get('/settings/sessions')).location ?? '', /^\/login/);
      assert.equal((await act(anna, path, { act: 'link' })).status, 409, 'no link for them');
      await act(anna, path, { act: good });
      assert.match((await anna.get(path)).html, /<dd>Active<\/dd>/);
    }
  });

  test('create an account, fund it, and let somebody in, who then sees it', async () => {
    const [ada, ben] = [await addPerson(world), await addPerson(world)];
    const form = { name: 'Harbour Tea', timezone: 'Europe/Berlin', environment: 'production' };
    const nobody = await act(anna, '/operator/accounts', { ...form, admin: 'nobody_here' });
    assert.match(nobody.html, /there is no user of this name/);
    assert.match(
      (await act(anna, '/operator/accounts', { ...form, admin: ada.name, timezone: 'Mars/Base' })).html,
      /no such time zone/,
    );
    const { location } = await act(anna, '/operator/accounts', { ...form, admin: ada.name });
    const id = location!.split('/').at(-1)!;
    const funding = {
      act: 'fund',
      type: 'CREDIT_LINE',
      currency: 'eur',
      amount: '1,250.50',
      description: 'Line',
      end: '',
    };
    assert.equal((await act(anna, location!, funding)).status, 303);
    assert.match((await act(anna, location!, { ...funding, amount: '12.345' })).html, /Amount: 12\.345/);
    assert.match((await act(anna, location!, { ...funding, type: 'INSERTION_ORDER' })).html, /end_time/);
    assert.equal(
      (await act(anna, location!, { act: 'grant', user_name: ben.name, role: 'CAMPAIGN_ANALYST' })).status,
      303,
    );
    const end = { act: 'revoke', reason: 'Left' };
    assert.match((await act(anna, location!, { ...end, user: ada.id })).html, /last administrator/);
    const page = (await anna.get(location!)).html;
    assert.match(page, /€1,250\.50/);
    assert.match(page, /CAMPAIGN_ANALYST/);
    const user = browserOf(world.service.url);
    await logIn(user, ben);
    assert.match((await user.get('/ads')).html, new RegExp(`/ads/${id}"`));
    assert.equal((await user.get(`/ads/${id}/campaigns`)).status, 200);
    await act(anna, location!, { ...end, user: ben.id });
    assert.equal((await user.get(`/ads/${id}/campaigns`)).status, 404);
  });

  test('search accounts by how their names begin, and by id', async () => {
    const ada = await addPerson(world);
    const create = async (name: string): Promise<string> => {
      const form = { name, timezone: 'UTC', environment: 'production', admin: ada.name };
      return (await act(anna, '/operator/accounts', form)).location!.split('/').at(-1)!;
    };
    const [mills, other, tea] = [await create('Ömer Mills'), await create('ömer Mill Lane'), await create('Teas')];
    const found = async (q: string, environment = 'production') => {
      const { html } = await anna.get(`/operator/accounts?${new URLSearchParams({ environment, q })}`);
      return [...html.matchAll(/<th scope="row"><a href="\/operator\/accounts\/(\w+)">/g)].map(([, id]) => id).sort();
    };
    assert.deepEqual(await found('ÖMER mill'), [mills, other].sort());
    assert.deepEqual(await found('ömer mills'), [mills]);
    assert.deepEqual([await found(tea), await found(tea, 'sandbox')], [[tea], [tea]]);
    for (const [q, environment] of [
      ['ills', 'production'],
      ['ömer', 'sandbox'],
    ] as const)
      assert.deepEqual(await found(q, environment), []);
  });

  test('decide on approval, features and limits', async () => {
    const ada = await addPerson(world);
    const form = { name: 'Limits', timezone: 'UTC', environment: 'sandbox', admin: ada.name };
    const { location } = await act(anna, '/operator/accounts', form);
    await act(anna, location!, { act: 'approve', status: 'UNDER_REVIEW', reason: 'New' });
    await act(anna, location!, {
      act: 'limits',
      active_campaigns: '7',
      active_line_items: '',
      campaign_line_items: '',
    });
    assert.match((await act(anna, location!, { act: 'limits', active_campaigns: 'many' })).html, /active_campaigns/);
    const id = location!.split('/').at(-1)!;
    const [standing, features] = await world.service.store.read(async (tx) => [
      await tx.accountMembers.findLimits(id),
      await tx.accountMembers.listFeatures(id),
    ]);
    assert.deepEqual(JSON.parse(standing!.limits), { active_campaigns_max: 7 });
    const { html } = await anna.get(location!);
    assert.match(html, /value="UNDER_REVIEW" selected/);
    const [, feature] = /name="feature:(\w+)"/.exec(html)!;
    await act(anna, location!, { act: 'features', [`feature:${feature}`]: 'on' });
    const after = await world.service.store.read((tx) => tx.accountMembers.listFeatures(id));
    assert.deepEqual([features.includes(feature!), after], [false, [feature]]);
  });

  test('change the level and limits of applications, and suspend them', async () => {
    const { id } = await addApplication(world);
    const path = `/operator/applications/${id}`;
    assert.match((await anna.get('/operator/applications')).html, new RegExp(path));
    await act(anna, path, { act: 'level', level: 'read' });
    await act(anna, path, {
      act: 'limits',
      subscriptions: '5',
      stream_connections: '',
      stream_events_per_s: '',
      webhooks: '0',
    });
    assert.equal((await act(anna, path, { act: 'limits', stream_events_per_s: '0' })).status, 400);
    await act(anna, path, { act: 'suspend', reason: 'spam' });
    const [application, limits] = await world.service.store.read(async (tx) => [
      await tx.credentials.findApplication(id),
      await tx.applicationLimits.find(id),
    ]);
    assert.deepEqual([application!.access_level, application!.suspended], ['read', 1]);
    assert.deepEqual(limits, { subscriptions: 5, webhooks: 0 });
    await act(anna, path, { act: 'resume' });
    assert.match((await anna.get(path)).html, /<dd>Active<\/dd>/);
  });

  test('disable publishers and accept them again, on the page and by command, which their requests follow', async () => {
    const credential = await makePublisher(world);
    const asked = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] };
    const status = async (): Promise<number> => (await decide(world, credential, asked)).status;
    const [{ id } = assert.fail()] = await world.service.store.read((tx) => tx.publishers.list());
    const path = '/operator/publishers';
    assert.equal(await status(), 200);
    for (const [name, state, expected] of [
      ['disable', 'Disabled', 401],
      ['enable', 'Active', 200],
    ] as const) {
      assert.deepEqual((await act(anna, path, { act: name, publisher: id, reason: 'Fake views' })).location, path);
      assert.match((await anna.get(path)).html, new RegExp(`<td>${state}</td>`));
      assert.equal(await status(), expected);
      const why = name === 'disable' ? ' --reason "Fake views"' : '';
      const recorded = `operator:anna console publisher ${name}${why} done publisher:${id}`;
      assert.ok((await commandsOf()).includes(recorded), recorded);
    }
    for (const [options, state, expected] of [
      [[], 'disabled', 401],
      [['--undo'], 'active', 200],
    ] as const) {
      const { stdout } = await barkerApart(['publisher', 'disable', id, ...options, ...flagsOf(world.place)]);
      assert.match(stdout, new RegExp(`^state=${state}$`, 'm'));
      await until(`its requests are answered with ${expected}`, async () => (await status()) === expected);
    }
    assert.equal((await act(anna, path, { act: 'disable', publisher: '999' })).status, 404);
  });

  test('are recorded with what they did, also when it failed', async () => {
    const { html } = await anna.get('/operator/audit?event=command');
    for (const what of ['console user suspend', 'console account fund', 'console app level', 'operator:anna', 'Failed'])
      assert.ok(html.includes(what), what);
    assert.ok(!html.includes('1,250'), 'nothing that was typed');
    assert.ok(!html.includes('Login failed'), 'no choice that is always empty');
    const suspended = (await actsOf()).find(({ command }) => command?.startsWith('console user suspend'))!.targets[0]!;
    const own = await anna.get(`/operator/audit?about=${suspended}`);
    const rows = own.html.split('<tr>').slice(2);
    const link = `<a href="/operator/users/${suspended.split(':')[1]}">${suspended}</a>`;
    assert.ok(rows.length > 0 && rows.every((row) => row.includes(link)), own.html);
    assert.ok(
      (await anna.get(`/operator/users/${suspended.split(':')[1]}`)).html.includes(`audit?about=${suspended}"`),
    );
    for (const none of [suspended.toUpperCase(), `${suspended.slice(0, -1)}_`, '%'])
      assert.match((await anna.get(`/operator/audit?about=${encodeURIComponent(none)}`)).html, /No record\./, none);
    const acts = await actsOf();
    assert.deepEqual([...new Set(acts.map(({ origin }) => origin))], ['127.0.0.1'], 'with the address of the browser');
  });

  test('send forms from their own pages only', async () => {
    const eve = await addPerson(world);
    const path = `/operator/users/${eve.id}`;
    for (const token of ['', 'wrong'])
      assert.equal((await anna.post(path, { authenticity_token: token, act: 'suspend' })).status, 403);
    const { html } = await anna.get(path);
    const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
    const sent = await anna.post(path, { authenticity_token, act: 'suspend' }, { origin: 'http://evil.test' });
    assert.equal(sent.status, 403);
    assert.match((await anna.get(path)).html, /<dd>Active<\/dd>/);
  });
});
