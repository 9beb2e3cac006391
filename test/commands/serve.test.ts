import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { schema } from '../../src/storage/migrations/schema.ts';
import { type Client, clientOf, type Keys, protocol } from '../rig/client.ts';
import { engine, onPlace, openPlace, type Place } from '../rig/databases.ts';
import { untilReady } from '../rig/patience.ts';
import { ANY_PORTS, barker, flagsOf, MASTER_KEY, type Outcome, started, startServe, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
const PASSWORD = 'correct horse battery staple';

let place: Place;
const command = (...args: string[]) => barker([...args, ...flagsOf(place)], { env });
const createUser = (name: string, input = `${PASSWORD}\n`) =>
  barker(['user', 'create', name, ...flagsOf(place)], { env, input });

/** A user, an application of his and a token of his. */
async function register(): Promise<Keys & Record<string, string>> {
  const user = toldBy(await createUser('ada'));
  const level = [
    '--website',
    'https://a.test',
    '--level',
    'read-write',
    '--callback',
    'https://a.test/back',
    'com.example.app:/done',
  ];
  const app = toldBy(await command('app', 'create', 'Reports', '--owner', 'ADA', ...level));
  const token = toldBy(await command('token', 'create', '--app', app.consumer_key!, '--user', 'ada'));
  return { ...user, ...app, ...token } as unknown as Keys & Record<string, string>;
}

describe('serve refuses', () => {
  beforeEach(async () => {
    place = await openPlace();
  });
  afterEach(() => place.remove());
  const serve = (...args: string[]) => command('serve', ...ANY_PORTS, '--operations-port', '0', ...args);

  const refuses = async (expected: RegExp): Promise<void> => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const { code, stderr, stdout } = await serve();
      assert.match(stderr, expected);
      assert.equal(stdout, '');
      assert.equal(code, 1);
    }
  };

  test('a database that is missing or empty, as other commands do, and does not make it', async () => {
    const told =
      place.databaseUrl === ''
        ? /^barker: there is no database at .*barker\.db; make it: barker migrate\n$/
        : /^barker: the database is empty; make its schema: barker migrate\n$/;
    await refuses(told);
    for (const words of ['user list', 'nodes', 'keys status'])
      assert.match((await command(...words.split(' '))).stderr, told, words);
    assert.ok(!existsSync(join(place.folder, 'barker.db')));
  });

  test('an outdated schema, and leaves it unchanged', async () => {
    await command('migrate');
    const last = `update schema_steps set name = '${schema.upgrade!.from}'`;
    await onPlace(place, (driver) => driver.write((session) => session.runRaw(last)));
    await refuses(/^barker: the database lacks migrations \(\d{4}-[a-z-]+\); run: barker migrate\n$/);
  });

  test('a database with the demo world', async () => {
    const dev = started(['dev', ...flagsOf(place), ...ANY_PORTS]);
    await dev.saw(/Try it/);
    dev.child.kill('SIGTERM');
    await dev.ended;
    const { code, stderr } = await serve();
    assert.match(
      stderr,
      /^barker: the database has a demo world, whose keys are not secret; use another database in production\n$/,
    );
    assert.equal(code, 1);
  });

  const settings: [why: string, args: string[], env: Record<string, string>, stderr: RegExp][] = [
    [
      'plain HTTP for everybody',
      ['--host', '0.0.0.0'],
      env,
      /^barker: public_base_url: required in serve because .*\nbarker: trusted_proxies: /,
    ],
    [
      'roles that divide the work of SQLite',
      ['--role', 'api,stream', '--database-url', ''],
      env,
      /^barker: role: expected all: one server does everything on SQLite; for other roles set database_url\n$/,
    ],
    [
      'roles without public addresses',
      ['--role', 'worker', '--database-url', 'postgres://127.0.0.1/any'],
      env,
      /^barker: public_base_url: required unless role is all: .*\nbarker: public_sandbox_url: required unless /,
    ],
    [
      'an unknown role',
      ['--role', 'api,cook'],
      env,
      /^barker: --role \(flag\): expected all, or a comma list of api, stream, worker, search, each once, got "api,cook"\n$/,
    ],
    ['no master key', [], {}, /^barker: master_key: required in serve; .* openssl rand -hex 32\n$/],
    ['a seed', [], { ...env, BARKER_SEED: '1' }, /^barker: BARKER_SEED \(environment\): is for dev only, not serve\n$/],
    [
      'a master key file that is missing',
      [],
      { BARKER_MASTER_KEY_FILE: '/nowhere/key' },
      /^barker: BARKER_MASTER_KEY_FILE \(environment\): cannot read the file that it names\n$/,
    ],
  ];
  for (const [why, args, environment, stderr] of settings) {
    test(why, async () => {
      const outcome = await barker(['serve', ...flagsOf(place), ...ANY_PORTS, ...args], { env: environment });
      assert.match(outcome.stderr, stderr);
      assert.equal(outcome.code, 2);
    });
  }
});

describe('commands create everything that serve needs', () => {
  let keys: Keys & Record<string, string>;
  let service: Awaited<ReturnType<typeof startServe>>;
  let client: Client;
  before(async () => {
    place = await openPlace();
    await barker(['migrate', ...flagsOf(place)]);
    keys = await register();
    service = await startServe(place);
    client = clientOf(service.sandboxUrl, keys, systemClock);
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await place.remove();
  });

  test('keys have the documented shapes', () => {
    assert.match(keys.user_id!, /^9\d{8}$/);
    assert.match(keys.consumer_key, /^[A-Za-z0-9]{25}$/);
    assert.match(keys.consumer_secret, /^[A-Za-z0-9]{50}$/);
    assert.match(keys.access_token, new RegExp(`^${keys.user_id}-[A-Za-z0-9]{40}$`));
    assert.match(keys.access_token_secret, /^[A-Za-z0-9]{45}$/);
  });

  test('a signed call is answered', async () => {
    const made = await client.call('POST', '/12/accounts');
    assert.equal(made.status, 200, made.text);
    assert.equal(made.headers.get('x-access-level'), 'read-write');
  });

  test('a token created while it runs is valid at once', async () => {
    toldBy(await createUser('ben'));
    const flags = ['--app', keys.consumer_key, '--user', 'ben', '--level', 'read'];
    const token = toldBy(await command('token', 'create', ...flags));
    const other = clientOf(service.sandboxUrl, { ...keys, ...token } as Keys, systemClock);
    const reply = await other.call('GET', '/12/accounts');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-access-level'), 'read');
    assert.equal((await other.call('POST', '/12/accounts')).status, 403);
  });

  const site = ['--website', 'https://a.test'];
  const refused: [why: string, run: () => Promise<Outcome>, stderr: RegExp][] = [
    ['a name that is taken', () => createUser('Ada'), /^barker: the name is already taken/],
    ['a name with a blank', () => createUser('a b'), /^barker: a user name is 1 to 15 letters/],
    ['a short password', () => createUser('cleo', 'short\n'), /^barker: the password must have 8 to 256 characters\n$/],
    [
      'an application of nobody',
      () => command('app', 'create', 'X', ...site, '--owner', 'zed', '--callback', 'https://a.test/'),
      /^barker: there is no user zed/,
    ],
    [
      'a script as callback',
      () => command('app', 'create', 'X', ...site, '--owner', 'ada', '--callback', 'javascript:alert(1)'),
      /^barker: javascript:alert\(1\) has the scheme javascript/,
    ],
    [
      'a relative callback',
      () => command('app', 'create', 'X', ...site, '--owner', 'ada', '--callback', '/back'),
      /^barker: \/back is not an absolute URL/,
    ],
    [
      'a token of no application',
      () => command('token', 'create', '--app', 'zzz', '--user', 'ada'),
      /^barker: there is no application with this consumer key/,
    ],
    [
      'a token above its application',
      () =>
        command('token', 'create', '--app', keys.consumer_key, '--user', 'ada', '--level', 'read-write-directmessages'),
      /^barker: the access level of the application is only read-write/,
    ],
  ];
  for (const [why, run, stderr] of refused) {
    test(`refused: ${why}`, async () => {
      const outcome = await run();
      assert.match(outcome.stderr, stderr);
      assert.notEqual(outcome.code, 0);
      assert.equal(outcome.stdout, '');
    });
  }

  test('another master key is refused; the former may be listed beside a new one', async () => {
    const another = 'ef'.repeat(32);
    const input = (more: Record<string, string>) => ({ env: { BARKER_MASTER_KEY: another, ...more } });
    const start = ['serve', ...flagsOf(place), ...ANY_PORTS];
    const wrong = await barker(start, input({}));
    assert.match(wrong.stderr, /^barker: the secrets in this database were sealed with another master key; check /);
    assert.equal(wrong.code, 1);
    const create = ['token', 'create', '--app', keys.consumer_key, '--user', 'ada', ...flagsOf(place)];
    const both = input({ BARKER_MASTER_KEY_ID: 'k2', BARKER_MASTER_KEYS_OLD: `k1:${MASTER_KEY}` });
    assert.equal((await barker(create, both)).code, 0);
  });

  test('a password can come from a file', async () => {
    const file = join(place.folder, 'password');
    await writeFile(file, `${PASSWORD}\n`);
    assert.match(
      (await command('user', 'create', 'dora', '--password-file', file)).stdout,
      /^user_id=\d+\nusername=dora\n$/,
    );
  });

  test('probes have a listener of their own', async () => {
    const probe = async (origin: string, path: string) => {
      const reply = await fetch(origin + path);
      return { status: reply.status, text: await reply.text() };
    };
    assert.deepEqual(await probe(service.operationsUrl, '/livez'), { status: 200, text: '{"status":"alive"}' });
    await untilReady(service.operationsUrl);
    const ready = await probe(service.operationsUrl, '/readyz');
    assert.equal(ready.status, 200);
    assert.deepEqual(JSON.parse(ready.text), {
      status: 'ready',
      checks: {
        ...{ database: 'ok', schema: 'ok', disk: 'ok', nonces: 'ok', media: 'ok', shutdown: 'ok' },
        ...(engine === 'postgres' && { clock: 'ok' }),
      },
    });
    await client.call('GET', '/12/accounts');
    await clientOf(service.sandboxUrl, { ...keys, access_token_secret: 'x' }, systemClock).call('GET', '/12/accounts');
    const { text } = await probe(service.operationsUrl, '/metrics');
    for (const line of [
      /^barker_request_duration_seconds_count\{operation="accounts\.list",method="GET",route="\/12\/accounts",status="200"\} [1-9]/m,
      /^barker_authentication_failures_total\{problem="SIGNATURE_REFUSED"\} 1$/m,
      /^barker_database_units_waiting 0$/m,
      /^barker_nonces_remembered [1-9]\d*$/m,
      /^process_resident_memory_bytes \d+$/m,
      /^barker_build_info\{version="[\d.]+",node="v24\.[\d.]+"\} 1$/m,
    ]) {
      assert.match(text, line);
    }
    for (const origin of [service.url, service.sandboxUrl]) {
      for (const path of ['/livez', '/readyz', '/metrics']) assert.equal((await probe(origin, path)).status, 404);
    }
  });
});

describe('config print', () => {
  test('hides secrets and shows where values come from', async () => {
    const url = 'postgres://ada:hunter2@db.test/barker';
    const { code, stdout } = await barker(['config', 'print', '--port', '9000'], {
      env: { ...env, BARKER_DATABASE_URL: url, BARKER_HOST: '127.0.0.2' },
    });
    assert.equal(code, 0);
    assert.match(stdout, /^master_key +environment +\(set\)$/m);
    assert.match(stdout, /^database_url +environment +\(set\)$/m);
    assert.match(stdout, /^port +flag +9000$/m);
    assert.match(stdout, /^host +environment +127\.0\.0\.2$/m);
    assert.match(stdout, /^sandbox_port +default +8081$/m);
    assert.ok(!stdout.includes('hunter2') && !stdout.includes(MASTER_KEY));
  });

  test('prints JSON, and the defaults of dev', async () => {
    const { stdout } = await barker(['config', 'print', '--mode', 'dev', '--json']);
    const rows = JSON.parse(stdout) as { name: string; value: string }[];
    assert.equal(rows.find(({ name }) => name === 'allow_insecure_loopback')?.value, 'true');
    assert.ok(rows.some(({ name }) => name === 'seed'));
  });
});

describe('a stop', () => {
  let keys: Keys & Record<string, string>;
  before(async () => {
    place = await openPlace();
    await barker(['migrate', ...flagsOf(place)]);
    keys = await register();
  });
  after(() => place.remove());

  /** Sends a request whose form body waits; the rest is sent, and the reply read, by `finish`. */
  async function begin(origin: string) {
    const { header } = sign({
      method: 'POST',
      url: `${origin}/12/accounts`,
      form: [['name', 'late']],
      oauth: protocol(keys, systemClock),
      consumerSecret: keys.consumer_secret,
      tokenSecret: keys.access_token_secret,
    });
    const outgoing = request(`${origin}/12/accounts`, {
      method: 'POST',
      headers: {
        authorization: header,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': '9',
        expect: '100-continue',
      },
    });
    outgoing.flushHeaders();
    // The server has the head and waits for the body.
    await new Promise((done) => outgoing.once('continue', done));
    const reply = new Promise<{ status: number; connection: string | undefined }>((done, failed) => {
      outgoing.on('error', failed);
      outgoing.on('response', (response) => {
        response.resume();
        response.on('end', () => done({ status: response.statusCode!, connection: response.headers.connection }));
      });
    });
    reply.catch(() => {});
    return {
      finish() {
        outgoing.end('name=late');
        return reply;
      },
      reply,
    };
  }

  test('finishes the request in flight, accepts no others, and shows in the probe', async () => {
    const service = await startServe(place);
    const silent = connect(Number(new URL(service.url).port), '127.0.0.1');
    await new Promise((done) => silent.once('connect', done));
    const agentless = await fetch(`${service.sandboxUrl}/12/accounts`);
    await agentless.text();
    const inFlight = await begin(service.sandboxUrl);
    service.child.kill('SIGTERM');
    await service.saw(/"message":"SIGTERM: finishing/);
    const ready = await fetch(`${service.operationsUrl}/readyz`);
    assert.equal(ready.status, 503);
    assert.equal(JSON.parse(await ready.text()).checks.shutdown, 'failed');
    await assert.rejects(fetch(`${service.url}/12/accounts`));
    assert.deepEqual(await inFlight.finish(), { status: 200, connection: 'close' });
    const { code, stdout } = await service.ended;
    assert.equal(code, 0);
    assert.match(stdout, /"message":"stopped"\}\n$/);
  });

  test('cuts off requests that take too long', async () => {
    const service = await startServe(place, { flags: ['--shutdown-timeout-s', '1'] });
    const inFlight = await begin(service.sandboxUrl);
    service.child.kill('SIGTERM');
    const { code, stdout } = await service.ended;
    await assert.rejects(inFlight.reply);
    assert.match(stdout, /"message":"stopped; 1 connections were closed after 1 s"/);
    assert.equal(code, 0);
  });

  test('that is requested twice ends at once', async () => {
    const service = await startServe(place);
    const inFlight = await begin(service.sandboxUrl);
    service.child.kill('SIGTERM');
    await service.saw(/"message":"SIGTERM: finishing/);
    // What follows the first at once is the same request, passed on by a script runner.
    const again = setInterval(() => service.child.kill('SIGTERM'), 20);
    const { code, stdout } = await service.ended;
    clearInterval(again);
    assert.match(stdout, /"message":"SIGTERM again: exiting immediately"\}\n$/);
    assert.equal(code, 1);
    await assert.rejects(inFlight.reply);
  });
});
