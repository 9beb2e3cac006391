// On either database: the servers that it starts have one of their own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { type Barker, NotStarted, Refused, type StartOptions, start } from '../../src/testing/index.ts';
import { started } from '../commands/program.ts';
import { collectLog } from '../rig/logs.ts';
import { until } from '../rig/patience.ts';
import { recordSecrets } from '../rig/secrets.ts';

async function open(options?: StartOptions): Promise<Barker> {
  const barker = await start(options);
  recordSecrets(barker.keys);
  return barker;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until nothing is left of a server. */
async function gone({ pid, dataFolder }: Pick<Barker, 'pid' | 'dataFolder'>): Promise<void> {
  await until(`process ${pid} is gone`, () => !isAlive(pid));
  await until(`${dataFolder} is gone`, () => !existsSync(dataFolder));
}

describe('a server for tests', () => {
  let barker: Barker;
  before(async () => {
    barker = await open();
  });
  after(async () => {
    collectLog(barker.log);
    await barker.close();
  });

  test('answers signed calls', async () => {
    const { status, body } = await barker.call('GET', '/12/accounts', { query: { count: 1 } });
    assert.equal(status, 200);
    assert.equal(body.data[0].name, 'Demo account');
  });

  test('signs queries and forms however odd they are', async () => {
    const made = await barker.call('POST', '/12/accounts', { sandbox: true });
    assert.equal(made.status, 200, made.text);
    const [found] = (await barker.call('GET', '/12/accounts', { sandbox: true })).body.data;
    const name = `it's 100% & "Ünï" (1+1=2)* ~`;
    const path = `/12/accounts/${found.id}`;
    const changed = await barker.call('PUT', path, { sandbox: true, form: { name } });
    assert.equal(changed.status, 200, changed.text);
    const query = { account_ids: [found.id], q: undefined, with_deleted: true };
    const listed = await barker.call('GET', '/12/accounts?count=5', { sandbox: true, query });
    assert.equal(listed.body.data[0].name, name);
    assert.deepEqual(listed.body.request.params, { account_ids: [found.id], count: 5, with_deleted: true });
  });

  test('acts as other users and applications, and with keys of your own', async () => {
    const userOf = async (options: object) => {
      const { body } = await barker.call('GET', '/1.1/account/verify_credentials.json', options);
      return body.id_str;
    };
    const { keys } = barker;
    assert.equal(await userOf({}), keys.user_id);
    assert.equal(await userOf({ as: 'other' }), keys.other_user_id);
    assert.equal(await userOf({ as: 'other', app: 'messages' }), keys.other_user_id);
    const { consumer_key, consumer_secret, other_access_token, other_access_token_secret } = keys;
    const own = { consumer_key, consumer_secret };
    const token = { access_token: other_access_token!, access_token_secret: other_access_token_secret! };
    assert.equal(await userOf({ keys: { ...own, ...token } }), keys.other_user_id);
    await assert.rejects(async () => userOf({ app: 'nobody' }), /the world has no nobody_consumer_key: its keys are/);
  });

  test('returns refusals as replies', async () => {
    const bare = await barker.call('GET', '/12/accounts', { headers: { Authorization: 'OAuth nothing' } });
    assert.equal(bare.status, 401);
    assert.ok(bare.headers['x-barker-trace']);
    const malformed = await barker.call('POST', '/2/activity/subscriptions', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(malformed.status, 400, malformed.text);
  });

  test('has the calls of the tools, whose refusals are exceptions', async () => {
    const authorization = 'OAuth oauth_consumer_key="unknown"';
    const curl = `curl '${barker.url}/12/accounts' -H 'Authorization: ${authorization}'`;
    assert.equal((await barker.dev('POST', '/_dev/auth/explain', { curl })).outcome, 'mistakes');
    const refused = barker.dev('POST', '/_dev/auth/explain', {});
    await assert.rejects(refused, (error: Refused) => {
      assert.ok(error instanceof Refused);
      assert.deepEqual([error.status, error.code], [400, 'MEMBER_MISSING']);
      assert.match(error.message, /^POST \/_dev\/auth\/explain: ./);
      return true;
    });
  });

  test('goes back to a snapshot, and to how its world began', async () => {
    const count = async () => (await barker.call('GET', '/12/accounts', { sandbox: true })).body.data.length;
    const add = () => barker.call('POST', '/12/accounts', { sandbox: true });
    await barker.reset();
    assert.equal(await count(), 0);
    await add();
    const snapshot = await barker.snapshot('one-account');
    assert.equal(snapshot.name, 'one-account');
    await add();
    assert.equal(await count(), 2);
    await snapshot.restore();
    assert.equal(await count(), 1);
    await snapshot.remove();
    await assert.rejects(snapshot.restore(), { code: 'SNAPSHOT_UNKNOWN' });
    await barker.reset('empty');
    assert.equal((await barker.call('GET', '/12/accounts')).body.data.length, 0);
    await barker.reset();
    assert.equal((await barker.call('GET', '/12/accounts')).body.data.length, 1);
  });

  test('breaks calls on purpose', async () => {
    await barker.reset();
    const match = { operation: 'accounts.create', application: barker.keys.consumer_key };
    const fault = await barker.faults.add({ match, when: 'after', times: 1, do: { reset: true } });
    await assert.rejects(barker.call('POST', '/12/accounts', { sandbox: true }), /ECONNRESET|socket hang up/);
    assert.equal(await fault.hits(), 1);
    assert.equal((await barker.call('GET', '/12/accounts', { sandbox: true })).body.data.length, 1);
    const late = await barker.faults.add({ do: { reply: { status: 503, retry_after_s: 2 } } });
    const reply = await barker.call('GET', '/12/accounts');
    assert.deepEqual(
      [reply.status, reply.headers['retry-after'], reply.headers['x-barker-fault']],
      [503, '2', late.id],
    );
    await late.remove();
    assert.deepEqual(
      (await barker.faults.list()).map(({ id, hits }) => [id, hits]),
      [[fault.id, 1]],
    );
    await barker.faults.clear();
    assert.deepEqual(await barker.faults.list(), []);
    await assert.rejects(fault.hits(), Refused);
  });

  test('tells which requests came', async () => {
    await barker.requests.clear();
    const waiting = barker.requests.waitFor({ path: '/12/*', method: 'GET', status: '2xx' });
    await barker.call('GET', '/12/accounts', { query: { count: 7 } });
    const [seen] = await waiting;
    assert.deepEqual([seen!.target, seen!.operation, seen!.direction], ['/12/accounts?count=7', 'accounts.list', 'in']);
    assert.deepEqual((await barker.requests.get(seen!.id)).parameters, { count: 7 });
    const match = { operation: 'accounts.list' };
    assert.deepEqual(
      (await barker.requests.list(match, { limit: 1 })).map(({ id }) => id),
      [seen!.id],
    );
    const vain = barker.requests.waitFor({ path: '/12/accounts', method: 'POST' }, { timeout_ms: 1 });
    await assert.rejects(vain, (error: Refused) => {
      assert.equal(error.code, 'TIMED_OUT');
      assert.equal(
        error.message,
        'POST /_dev/requests/wait: there were 0 of 1 such requests within 1 ms; instead there were:\n' +
          '  200 GET /12/accounts?count=7, which differs in method',
      );
      return true;
    });
    const other = barker.requests.waitFor({ operation: 'campaigns.*', account: 'abc' }, { timeout_ms: 1 });
    await assert.rejects(other, {
      message:
        'POST /_dev/requests/wait: there were 0 of 1 such requests within 1 ms; instead there were:\n' +
        '  200 GET /12/accounts?count=7, which differs in operation (accounts.list), account (none)',
    });
  });

  test('receives events, which it challenged for and signed', async () => {
    const { keys, events } = barker;
    const subscription = { event_type: 'profile.update.bio', filter: { user_id: keys.user_id }, tag: 'grüße' };
    const receiver = await events.receive(subscription);
    const waiting = receiver.waitFor();
    const changed = await barker.call('POST', '/1.1/account/update_profile.json', { form: { description: 'One' } });
    assert.equal(changed.status, 200, changed.text);
    const [event] = await waiting;
    assert.deepEqual([event!.event_type, event!.tag, event!.payload.after], ['profile.update.bio', 'grüße', 'One']);
    const forged = await fetch(receiver.url, { method: 'POST', body: '{"data":{}}' });
    assert.equal(forged.status, 401);
    await assert.rejects(receiver.waitFor(2, 1), {
      message: `2 events were expected within 1 ms; there came profile.update.bio {"user_id":"${keys.user_id}"}, 1 with a wrong signature`,
    });
    assert.equal(receiver.received.length, 1);
    const [sent] = await barker.requests.waitFor({ direction: 'out', kind: 'webhook' });
    assert.equal(sent!.target, receiver.url);
    await receiver.close();
    await assert.rejects(fetch(receiver.url));
    for (const path of ['/2/webhooks', '/2/activity/subscriptions']) {
      const { status, body } = await barker.call('GET', path, { bearer: true });
      assert.deepEqual([status, body.data ?? []], [200, []], path);
    }
    await assert.rejects(
      events.receive({ ...subscription, event_type: 'nothing' }),
      /^Error: POST \/2\/activity\/subscriptions: 400 .*nothing/,
    );
  });

  test('is closed once, and says so to later calls', async () => {
    const barker = await open();
    assert.equal(await barker.call('GET', '/12/accounts').then(({ status }) => status), 200);
    await Promise.all([barker.close(), barker.close()]);
    await gone(barker);
    await assert.rejects(
      barker.call('GET', '/12/accounts'),
      /^Error: GET http:\S+: connect ECONNREFUSED [^;]+; barker has ended with exit code 0$/,
    );
  });

  test('is closed at the end of its block', async () => {
    let used: Barker;
    {
      await using own = await open();
      used = own;
      assert.ok(isAlive(own.pid));
    }
    await gone(used);
  });
});

describe('its options', () => {
  test('choose the seed, https, settings and the data folder, which stays', async () => {
    const home = mkdtempSync(join(tmpdir(), 'barker-own-folder-'));
    const dataFolder = join(home, 'data');
    const settings = { service_name: 'Tried out', rate_limits: 'off', timestamp_window_s: 60, public_aliases: [] };
    const barker = await open({ seed: 7, tls: true, dataFolder, settings });
    assert.match(barker.url, /^https:/);
    assert.match(barker.ca!, /^-----BEGIN CERTIFICATE-----/);
    assert.equal((await barker.call('GET', '/12/accounts')).status, 200);
    assert.equal(barker.dataFolder, dataFolder);
    await barker.close();
    const again = await open({ seed: 7, dataFolder });
    const { base_url, sandbox_url } = again.keys;
    assert.deepEqual(again.keys, { ...barker.keys, base_url, sandbox_url });
    await again.close();
    assert.equal(JSON.parse(readFileSync(join(dataFolder, 'dev.json'), 'utf8')).consumer_key, barker.keys.consumer_key);
    rmSync(home, { recursive: true });
  });

  test('choose a time, from which the clock is moved', async () => {
    const barker = await open({ clock: '2031-03-02T09:00:00Z', frozen: true });
    const { clock } = barker;
    assert.equal(await clock.now(), '2031-03-02T09:00:00.000Z');
    assert.equal((await clock.advance('P3D')).now, '2031-03-05T09:00:00.000Z');
    assert.equal((await clock.advanceTo('2031-03-05T10:00:00Z')).status, 'ready');
    const made = await barker.call('POST', '/12/accounts', { sandbox: true });
    assert.equal(made.body.data[0].created_at, '2031-03-05T10:00:00Z');
    await assert.rejects(clock.set('2031-03-02T09:00:00Z'), { code: 'CLOCK_BACKWARDS', field: 'now' });
    assert.equal((await clock.set('2031-04-01T00:00:00Z')).mode, 'frozen');
    assert.equal((await clock.run()).mode, 'running');
    assert.equal((await clock.freeze()).mode, 'frozen');
    await barker.close();
  });

  test('begins with the world of a file, and knows its names', async () => {
    const barker = await open({ world: 'src/dev/worlds/starter.yaml' });
    try {
      const path = `/12/accounts/${barker.keys['accounts.bakery']}`;
      const { body } = await barker.call('GET', path, { app: 'reports', as: 'ben' });
      assert.equal(body.data.name, 'Corner Bakery');
      assert.equal((await barker.call('PUT', path, { app: 'reports', as: 'ben', form: { name: 'X' } })).status, 403);
    } finally {
      await barker.close();
    }
    await assert.rejects(open({ world: 'nowhere.yaml' }), /nowhere\.yaml does not exist; barker world init writes one/);
  });

  test('choose the archive of a snapshot to begin with', async () => {
    const home = mkdtempSync(join(tmpdir(), 'barker-archive-'));
    const barker = await open();
    await barker.call('POST', '/12/accounts', { sandbox: true });
    const snapshot = await barker.snapshot('one');
    const archive = await fetch(`${barker.url}/_dev/snapshots/${snapshot.name}/file`);
    const restore = join(home, 'one.tar');
    writeFileSync(restore, new Uint8Array(await archive.arrayBuffer()));
    await barker.close();
    const again = await open({ restore });
    assert.equal((await again.call('GET', '/12/accounts', { sandbox: true })).body.data.length, 1);
    await again.close();
    rmSync(home, { recursive: true });
  });

  test('do not come from the environment', async () => {
    process.env.BARKER_PORT = 'nonsense';
    const barker = await open().finally(() => delete process.env.BARKER_PORT);
    await barker.close();
  });

  const refused: [what: string, options: StartOptions, message: RegExp][] = [
    [
      'an unknown setting',
      { settings: { rate_limit: 'off' } },
      /^barker has ended with exit code 2 before it was ready:\nbarker: BARKER_RATE_LIMIT \(environment\): unknown setting; did you mean BARKER_RATE_LIMITS\?$/,
    ],
    ['a wrong value', { seed: -1 }, /\nbarker: --seed \(flag\): expected an integer from 0 to \d+, got "-1"$/],
    ['too short a time', { timeout_ms: 1 }, /^barker was not ready within 1 ms$/],
  ];
  for (const [what, options, message] of refused) {
    test(`are refused with the reason: ${what}`, async () => {
      await assert.rejects(start(options), (error: Error) => {
        assert.ok(error instanceof NotStarted);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('with a port that is taken, say so', async () => {
    const barker = await open();
    const port = Number(new URL(barker.url).port);
    await assert.rejects(start({ port }), (error: Error) => error.message.includes(`port ${port} is in use`));
    await barker.close();
  });
});

describe('the process that started it', () => {
  async function parent(...args: string[]) {
    const child = spawn(process.execPath, [resolve('test/clients/testing-parent.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await new Promise<string[]>((done) =>
      createInterface(child.stdout).once('line', (...all) => done(all)),
    );
    return { child, server: JSON.parse(line!) as Barker };
  }

  test('takes it along when it is killed', async () => {
    const { child, server } = await parent('last');
    assert.ok(isAlive(server.pid));
    assert.ok(existsSync(server.dataFolder));
    child.kill('SIGKILL');
    await gone(server);
    await assert.rejects(fetch(server.url));
  });

  test('ends although it is not closed, and takes it along', async () => {
    const { child, server } = await parent();
    await new Promise((done) => child.on('exit', done));
    await gone(server);
  });
});

describe('barker dev --ephemeral', () => {
  test('prints one line of JSON, and stops when its input ends', async () => {
    const one = started(['dev', '--ephemeral'], { input: null });
    const [line] = await one.saw(/^\{.*\}\n/);
    const file = JSON.parse(line);
    recordSecrets(file);
    assert.deepEqual(Object.keys(file).slice(0, 4), ['base_url', 'ads_url', 'sandbox_url', 'operator_token']);
    assert.ok(existsSync(join(file.data_folder, 'barker.db')));
    one.child.stdin!.end();
    const { code, stdout, stderr } = await one.ended;
    assert.equal(code, 0);
    assert.equal(stdout, line);
    assert.match(stderr, /^standard input has ended: [^\n]*\nstopped\n$/);
    assert.ok(!existsSync(file.data_folder));
  });
});
