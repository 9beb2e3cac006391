import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import type { AuditEvent, AuditRecord } from '../../src/contract/store/audit.ts';
import { barkerApart, flagsOf } from '../commands/program.ts';
import { addPerson, browserOf, logIn, outlineOf } from '../rig/browser.ts';
import { anotherConsole, openOperatorLink, operatorToken, signInToConsole } from '../rig/operator.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
});
after(() => world.close());

const tokenFor = (name: string): Promise<string> => operatorToken(world.service, name);

const recordsOf = (event: AuditEvent): Promise<AuditRecord[]> =>
  world.service.store.read((tx) => tx.audit.listRecords({ event, limit: 100 }));

describe('signing in to the operator console', () => {
  test('takes the link that barker operator link prints beside a development server', async () => {
    // In a process of its own: this one serves the database.
    const { stdout } = await barkerApart(['operator', 'link', '--name', 'ida', ...flagsOf(world.place)]);
    const link = new URL(/^link=(.*)$/m.exec(stdout)![1]!);
    assert.equal(link.origin, world.service.operationsUrl);
    assert.equal((await openOperatorLink(browserOf(link.origin), link.searchParams.get('token')!)).status, 303);
  });

  test('takes a link that works once', async () => {
    const token = await tokenFor('grace');
    assert.equal((await openOperatorLink(browserOf(world.service.operationsUrl), token)).status, 303);
    const again = await openOperatorLink(browserOf(world.service.operationsUrl), token);
    assert.deepEqual([again.status, outlineOf(again.html).heading], [403, 'This link no longer works']);
  });

  test('takes each link once, whichever servers it reaches, at once or after a restart', async () => {
    const others = await Promise.all([anotherConsole(world.service), anotherConsole(world.service)]);
    try {
      const consoles = [world.service.operationsUrl, ...others.map(({ url }) => url)];
      for (let round = 0; round < 5; round += 1) {
        const token = await tokenFor(`grace${round}`);
        const seen = await Promise.all(
          consoles.map(async (url) => (await openOperatorLink(browserOf(url), token)).status),
        );
        assert.deepEqual(seen.sort(), [303, 403, 403]);
        const [login, ...more] = (await recordsOf('operator_login')).filter(
          ({ actor }) => actor === `operator:grace${round}`,
        );
        assert.deepEqual([login?.origin, login?.outcome, more], ['127.0.0.1', 'done', []]);
      }
    } finally {
      for (const { close } of others) close();
    }
  });

  test('takes a link of the last ten minutes, and removes what is older', async () => {
    const unused = await tokenFor('grace');
    for (const token of ['', 'k1.x.y', `${unused.slice(0, -2)}AA`])
      assert.equal((await openOperatorLink(browserOf(world.service.operationsUrl), token)).status, 403, token);
    world.clock.advance(601);
    assert.equal((await openOperatorLink(browserOf(world.service.operationsUrl), unused)).status, 403);
    await tokenFor('grace');
    world.clock.advance(1200);
    const wallNow = new Date(world.clock.now()).toISOString();
    const left = (): Promise<number> =>
      world.service.store.write((tx) => tx.removeOldest('operator_links', wallNow, 10));
    await world.service.jobs.runDue();
    assert.equal(await left(), 0, 'the job has removed it');
  });

  test('is what everything needs; users of the service are no operators', async () => {
    for (const path of ['/operator', '/operator/users', '/operator/accounts/abc', '/operator/audit']) {
      const { status, html } = await browserOf(world.service.operationsUrl).get(path);
      assert.deepEqual([status, outlineOf(html).heading], [401, 'You are signed out']);
    }
    const user = browserOf(world.service.url);
    await logIn(user, await addPerson(world));
    assert.equal((await user.get('/operator')).status, 404, 'not on the listeners of the API');
  });

  test('ends with the button, and after half an hour of nothing', async () => {
    const browser = await signInToConsole(world.service, 'grace');
    const { html } = await browser.get('/operator');
    const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
    assert.equal((await browser.post('/operator/sign-out', { authenticity_token })).status, 200);
    assert.equal((await browser.get('/operator')).status, 401);
    const [logout] = await recordsOf('operator_logout');
    assert.deepEqual([logout?.actor, logout?.origin], ['operator:grace', '127.0.0.1']);
    const idle = await signInToConsole(world.service, 'grace');
    world.clock.advance(1801);
    assert.equal((await idle.get('/operator')).status, 401);
  });

  test('answers under its own names only, and keeps its cookie for https behind a proxy', async () => {
    const own = await anotherConsole(world.service, { operations_host: 'ops.test' });
    const proxied = await anotherConsole(world.service, { trusted_proxies: ['127.0.0.1'] });
    const ask = async (url: string, headers: Record<string, string>, token?: string) => {
      const path = `/operator${token === undefined ? '' : '/sign-in'}`;
      const sent =
        token === undefined ? {} : { method: 'POST' as const, body: new URLSearchParams({ token }).toString() };
      const reply = await request(url + path, { headers, ...sent });
      return {
        status: reply.statusCode,
        cookie: String(reply.headers['set-cookie'] ?? ''),
        html: await reply.body.text(),
      };
    };
    try {
      for (const [host, status] of [
        ['localhost', 401],
        ['127.0.0.1:8082', 401],
        [`[::1]:${own.port}`, 401],
        ['ops.test', 401],
        ['OPS.test:8082', 401],
        ['evil.test', 421],
        ['ops.test.evil.test', 421],
        ['127.0.0.1.evil.test', 421],
      ] as const) {
        assert.equal((await ask(own.url, { host })).status, status, host);
        assert.equal((await ask(proxied.url, { host })).status, 401, host);
      }
      const plain = await ask(own.url, { host: 'localhost' }, await tokenFor('grace'));
      assert.match(plain.cookie, /^operator=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
      const overTls = { host: 'ops.example.org', 'x-forwarded-proto': 'https' };
      const secure = await ask(proxied.url, overTls, await tokenFor('grace'));
      assert.match(secure.cookie, /^__Host-operator=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const cookie = secure.cookie.split(';', 1)[0]!;
      assert.equal((await ask(proxied.url, { ...overTls, cookie })).status, 200);
    } finally {
      own.close();
      proxied.close();
    }
  });

  test('leaves probes alone', async () => {
    const { status, html } = await browserOf(world.service.operationsUrl).get('/livez');
    assert.deepEqual([status, html], [200, '{"status":"alive"}']);
  });
});
