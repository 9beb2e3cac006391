import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { probes } from '../../src/http/probes.ts';
import { openWorld, testClock, type World } from '../rig/world.ts';

describe('in development mode the main listener answers probes', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  const probe = async (path: string, origin = world.service.url, method = 'GET') => {
    const reply = await fetch(origin + path, { method });
    return { status: reply.status, text: await reply.text(), headers: reply.headers };
  };

  test('probes name no account, user or key', async () => {
    const told = await Promise.all(['/livez', '/readyz', '/metrics'].map((path) => probe(path)));
    for (const { status, text } of told) {
      assert.equal(status, 200);
      for (const key of ['consumer_key', 'access_token', 'user_id'] as const) {
        assert.ok(!text.includes(world.keys[key]!), key);
      }
    }
    assert.match(told[2]!.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
    assert.equal((await probe('/readyz', world.service.sandboxUrl)).status, 404);
  });

  test('readiness follows the schema within a second', async () => {
    const { driver } = world.service;
    const ready = async () => {
      const { status, text } = await probe('/readyz');
      const checks: Record<string, string> = JSON.parse(text).checks;
      return { status, failed: Object.keys(checks).filter((name) => checks[name] !== 'ok') };
    };
    world.clock.advance(2);
    assert.deepEqual(await ready(), { status: 200, failed: [] });
    // A dropped schema would take the server lock along.
    await driver.write((session) => session.runRaw('alter table schema_steps rename to schema_steps_away'));
    assert.deepEqual(await ready(), { status: 200, failed: [] });
    world.clock.advance(1);
    assert.deepEqual(await ready(), { status: 503, failed: ['schema'] });
    // Asking changes nothing.
    world.clock.advance(1);
    assert.equal((await ready()).status, 503);
    await driver.write((session) => session.runRaw('alter table schema_steps_away rename to schema_steps'));
    world.clock.advance(1);
    assert.deepEqual(await ready(), { status: 200, failed: [] });
  });
});

describe('readiness', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  async function serving(check: () => Promise<void>, clock = testClock(), optionalChecks = {}) {
    const metrics = undefined;
    const answer = probes({ checks: { database: check }, optionalChecks, isDraining: () => false, clock, metrics });
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return (path = '/readyz', method = 'GET') => fetch(origin + path, { method });
  }

  test('what the service does without leaves it ready', async () => {
    let isThere = false;
    const redis = async (): Promise<void> => {
      if (!isThere) throw new Error('away');
    };
    const clock = testClock();
    const ask = await serving(async () => {}, clock, { redis });
    const answer = async () => {
      const reply = await ask();
      return [reply.status, await reply.json()];
    };
    const checks = { database: 'ok', redis: 'degraded', shutdown: 'ok' };
    assert.deepEqual(await answer(), [200, { status: 'ready', checks }]);
    isThere = true;
    clock.advance(1);
    assert.deepEqual(await answer(), [200, { status: 'ready', checks: { ...checks, redis: 'ok' } }]);
  });

  test('queries the database at most once a second', async () => {
    let asked = 0;
    const clock = testClock();
    const ask = await serving(async () => void asked++, clock);
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    assert.equal(asked, 1);
    clock.advance(1);
    await ask();
    assert.equal(asked, 2);
  });

  test('ends when the database does not answer, and reveals nothing private', async () => {
    for (const check of [() => Promise.reject(new Error('password of ada')), () => new Promise<void>(() => {})]) {
      const ask = await serving(check);
      const reply = await ask();
      assert.equal(reply.status, 503);
      const told = { status: 'not ready', checks: { database: 'failed', shutdown: 'ok' } };
      assert.deepEqual(JSON.parse(await reply.text()), told);
      assert.equal((await ask('/livez')).status, 200);
    }
  });

  test('leaves out the checks that are excluded', async () => {
    const ask = await serving(() => Promise.reject(new Error('away')));
    const checks = { database: 'failed', shutdown: 'ok' };
    for (const [query, status, told] of [
      ['?exclude=database&exclude=schema', 200, 'ready'],
      ['?exclude=schema', 503, 'not ready'],
    ] as const) {
      const reply = await ask(`/readyz${query}`);
      assert.deepEqual([reply.status, await reply.json()], [status, { status: told, checks }]);
    }
  });

  test('other paths and methods are refused, and metrics when they are disabled', async () => {
    const ask = await serving(async () => {});
    assert.equal((await ask('/metrics')).status, 404);
    assert.equal((await ask('/')).status, 404);
    assert.equal((await ask('/readyz', 'POST')).status, 405);
    assert.equal((await ask('/readyz/', 'HEAD')).status, 200);
  });
});
