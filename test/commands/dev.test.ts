// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openPlace, type Place } from '../rig/databases.ts';
import {
  ANY_PORTS,
  barker,
  cleanEnvironment,
  ENTRY,
  flagsOf,
  MASTER_KEY,
  type Started,
  started,
  toldBy,
} from './program.ts';

let place: Place;
let running: Started[] = [];

/** Tests that change nothing that the others look at share a place, and what runs there. */
let isShared = false;

beforeEach(async () => {
  if (!isShared) place = await openPlace(undefined, { hasSchema: true });
});
afterEach(async () => {
  if (!isShared) await clear();
});

async function clear(): Promise<void> {
  for (const one of running) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
  running = [];
  await place.remove();
}

async function dev(...flags: string[]): Promise<Started & { file: Record<string, string> }> {
  const one = started(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
  running.push(one);
  await one.saw(/Try it:\n.*\n/);
  return { ...one, file: written() };
}

const written = (): Record<string, string> => JSON.parse(readFileSync(join(place.folder, 'dev.json'), 'utf8'));

async function stop(one: Started): Promise<void> {
  one.child.kill('SIGTERM');
  assert.equal((await one.ended).code, 0);
}

const KEYS = `
  base_url ads_url sandbox_url operator_token consumer_key consumer_secret access_token
  access_token_secret other_access_token other_access_token_secret user_id other_user_id username
  password other_username other_password callback_url messages_consumer_key messages_consumer_secret
  messages_access_token messages_access_token_secret messages_other_access_token
  messages_other_access_token_secret reader_consumer_key reader_consumer_secret reader_access_token
  reader_access_token_secret reader_other_access_token reader_other_access_token_secret
`
  .trim()
  .split(/\s+/);

/** What of `dev.json` does not tell where the service listens. */
function lasting({ base_url, ads_url, sandbox_url, ...keys }: Record<string, string>): Record<string, string> {
  return keys;
}

async function accountsOf(...more: string[]): Promise<{ id: string }[]> {
  const { stdout, stderr } = await barker(['call', 'GET', '/12/accounts', '--data', place.folder, ...more]);
  assert.equal(stderr, '');
  return JSON.parse(stdout).data;
}

describe('barker dev on an empty folder', () => {
  let one: Awaited<ReturnType<typeof dev>>;
  before(async () => {
    isShared = true;
    place = await openPlace();
    one = await dev();
  });
  after(async () => {
    await clear();
    isShared = false;
  });

  test('writes addresses and keys to private files', async () => {
    const { file } = one;
    assert.deepEqual(Object.keys(file), KEYS);
    for (const key of KEYS) assert.ok(file[key], key);
    assert.equal(file.ads_url, file.base_url);
    assert.notEqual(new URL(file.base_url!).port, '0');
    assert.notEqual(file.sandbox_url, file.base_url);
    assert.equal(file.callback_url, 'http://127.0.0.1:9911/callback');
    for (const name of ['dev.json', 'master.key', 'operator.token']) {
      assert.equal(statSync(join(place.folder, name)).mode & 0o777, 0o600, name);
    }
  });

  test('prints addresses, the file of keys, and a command that works when pasted', async () => {
    const { stdout, stderr } = one.output();
    assert.equal(stderr, '');
    assert.equal(stdout.split('\n', 1)[0], `Barker is ready: open ${one.file.base_url}`);
    for (const shown of [one.file.sandbox_url!, join(place.folder, 'dev.json')])
      assert.ok(stdout.includes(shown), shown);
    assert.match(stdout, /^ {2}webhooks {4}may use http, any port, and addresses of this machine and its networks$/m);
    const line = /Try it:\n {2}(.*)\n$/.exec(stdout)![1]!;
    assert.match(line, /^npx --no-install barker call GET \/12\/accounts --data /);
    // As in a shell of a machine whose own Node may be an older one.
    const path = `/usr/local/bin:/usr/bin:/bin:${process.env.PATH}`;
    const env = { ...cleanEnvironment(), PATH: path };
    const pasted = await promisify(execFile)('sh', ['-c', line], { cwd: resolve('.'), env });
    assert.equal(JSON.parse(pasted.stdout).data[0].name, 'Demo account');
  });

  test('users have roles: the second can only read', async () => {
    const [account] = await accountsOf();
    const path = `/12/accounts/${account!.id}`;
    const as = (user: string, ...args: string[]) => barker(['call', ...args, '--data', place.folder, '--as', user]);
    assert.deepEqual(await accountsOf('--as', 'other'), [account]);
    const instruments = await as('first', 'GET', `${path}/funding_instruments`);
    const { id: instrument } = JSON.parse(instruments.stdout).data[0];
    const create = ['POST', `${path}/campaigns`, '-d', 'name=A & B', '-d', `funding_instrument_id=${instrument}`];
    const budget = ['-d', 'entity_status=PAUSED'];
    const made = await as('first', ...create, ...budget);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(JSON.parse(made.stdout).data.name, 'A & B');
    const refused = await as('other', ...create, ...budget);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^barker: 403 Forbidden: The current user is not allowed .* \(ACTION_NOT_ALLOWED\)\n$/,
    );
    assert.equal(JSON.parse(refused.stdout).errors[0].code, 'ACTION_NOT_ALLOWED');
  });

  test('the messages application receives message events, as in the documentation', async () => {
    const { file } = one;
    const page = readFileSync('docs/activity.md', 'utf8');
    const [subscribe, send] = /```sh\n(npx --no-install barker call .*dm\.received.*)\n(.*)\n/.exec(page)!.slice(1);
    const as = (line: string) => {
      const args = line
        .replaceAll("'", '')
        .split(/ (?![^{]*})/)
        .slice(3);
      return barker([...args, '--data', place.folder]);
    };
    const made = await as(subscribe!);
    assert.equal(made.code, 0, made.stderr);
    const listening = started(['events', 'listen', '--app', 'messages', '--data', place.folder]);
    running.push(listening);
    await listening.saw(/listening, with 1 subscription/);
    const sent = await as(send!);
    assert.equal(sent.code, 0, sent.stderr);
    const [line] = await listening.saw(/\{"data":.*\n/);
    const { data } = JSON.parse(line);
    assert.deepEqual([data.event_type, data.filter], ['dm.received', { user_id: file.other_user_id }]);
    // The application without that level may not.
    const refused = await as(subscribe!.replace('--app messages', '--app demo'));
    assert.equal(refused.code, 1);
  });

  test('the sandbox has separate accounts', async () => {
    assert.deepEqual(await accountsOf('--sandbox'), []);
  });
});

describe('barker dev again', () => {
  test('keeps keys and accounts after a restart', async () => {
    const first = await dev();
    const accounts = await accountsOf();
    await stop(first);
    const second = await dev();
    assert.deepEqual(lasting(second.file), lasting(first.file));
    assert.deepEqual(await accountsOf(), accounts);
  });

  test('completes the demo world of an earlier release', async () => {
    const first = await dev();
    const { messages_consumer_key: key } = first.file;
    await stop(first);
    const former = Object.fromEntries(Object.entries(first.file).filter(([name]) => !/^(messages|reader)_/.test(name)));
    writeFileSync(join(place.folder, 'dev.json'), JSON.stringify(former));
    const known = await dev();
    assert.deepEqual(lasting(known.file), lasting(first.file));
    await stop(known);
    // Applications of other names are not those that are missing, although they have the keys of the seed.
    writeFileSync(join(place.folder, 'dev.json'), JSON.stringify(former));
    assert.equal((await barker(['app', 'edit', key!, '--name', 'Other', ...flagsOf(place)])).code, 0);
    const { file } = await dev();
    assert.deepEqual(Object.keys(file), KEYS);
    assert.notEqual(file.messages_consumer_key, key);
    assert.equal(file.reader_consumer_key, first.file.reader_consumer_key);
    assert.equal(file.access_token, former.access_token);
    assert.equal((await accountsOf('--app', 'messages')).length, 1);
  });

  test('--reset deletes all data; keys and ids depend on the seed', async () => {
    const idOf = async () => (await accountsOf())[0]!.id;
    const first = await dev('--seed', '7');
    const account = await idOf();
    const made = await barker(['call', 'POST', '/12/accounts', '--sandbox', '--data', place.folder]);
    const { id: sandboxId } = JSON.parse(made.stdout).data[0];
    await stop(first);

    const again = await dev('--seed', '7', '--reset');
    assert.deepEqual(lasting(again.file), lasting(first.file));
    assert.equal(await idOf(), account);
    assert.deepEqual(await accountsOf('--sandbox'), []);
    const remade = await barker(['call', 'POST', '/12/accounts', '--sandbox', '--data', place.folder]);
    assert.equal(JSON.parse(remade.stdout).data[0].id, sandboxId);
    await stop(again);

    const other = await dev('--seed', '8', '--reset');
    for (const key of ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret', 'password']) {
      assert.notEqual(other.file[key], first.file[key], key);
    }
    assert.notEqual(await idOf(), account);
  });
});

describe('commands beside barker dev', () => {
  test('use the master key of the data folder', async () => {
    const first = await dev();
    const create = [
      'app',
      'create',
      'Reports',
      '--owner',
      first.file.username!,
      '--website',
      'https://reports.example',
    ];
    const made = await barker([...create, '--callback', 'reports://back', ...flagsOf(place)]);
    assert.equal(made.code, 0, made.stderr);
    const { consumer_key, consumer_secret } = toldBy(made);
    const bearer = (url: string) =>
      fetch(`${url}/oauth2/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
    assert.equal((await bearer(first.file.base_url!)).status, 200);
    await stop(first);
    const again = await dev();
    assert.equal((await bearer(again.file.base_url!)).status, 200);
    const people = await barker(['demo', 'population', '--users', '10', ...flagsOf(place)]);
    assert.match(people.stdout, /^people=10$/m);
  });

  test('use that key for the demo database only', async () => {
    await stop(await dev());
    const other = await openPlace();
    try {
      copyFileSync(join(place.folder, 'master.key'), join(other.folder, 'master.key'));
      await barker(['migrate', ...flagsOf(other)]);
      const { code, stderr } = await barker(['app', 'list', ...flagsOf(other)]);
      assert.match(stderr, /^barker: master_key: required in serve; /);
      assert.equal(code, 2);
    } finally {
      await other.remove();
    }
  });
});

describe('barker dev on a production database', () => {
  for (const flags of [[], ['--reset']]) {
    test(`refuses to start and changes nothing ${flags}`, async () => {
      const env = { BARKER_MASTER_KEY: MASTER_KEY };
      await barker(['migrate', ...flagsOf(place)]);
      const create = ['user', 'create', 'ada', ...flagsOf(place)];
      assert.equal((await barker(create, { env, input: 'a long password' })).code, 0);
      const { code, stderr } = await barker(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
      assert.match(stderr, /^barker: the database has users that are not part of a demo world; .*\n$/);
      assert.equal(code, 1);
      const again = await barker(create, { env, input: 'a long password' });
      assert.match(again.stderr, /the name is already taken/);
    });
  }
});

describe('barker dev on a port that is taken', () => {
  for (const flag of ['--port', '--sandbox-port']) {
    test(`prints the port and the flag (${flag})`, async () => {
      const squatter = createServer().listen(0, '127.0.0.1');
      await new Promise((done) => squatter.once('listening', done));
      const { port } = squatter.address() as AddressInfo;
      const { code, stderr, stdout } = await barker(['dev', ...flagsOf(place), ...ANY_PORTS, flag, String(port)]);
      squatter.close();
      assert.match(
        stderr,
        new RegExp(`^barker: port ${port} is in use; choose another with ${flag}, or 0 for any free port\\n`),
      );
      assert.equal(stderr.split('\n').length, 2);
      assert.equal(stdout, '');
      assert.equal(code, 1);
    });
  }
});

describe('barker dev on data of a running server', () => {
  test('is refused, also with --reset', async () => {
    const { child } = await dev();
    const before = written();
    // PostgreSQL knows the connection.
    const holder = place.databaseUrl === '' ? `\\(${child.pid}, at ${before.base_url}\\) ` : '';
    for (const flags of [[], ['--reset']]) {
      const { code, stderr } = await barker(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
      assert.match(stderr, new RegExp(`^barker: another process ${holder}serves .*; stop it first\\n$`));
      assert.equal(code, 1);
    }
    assert.deepEqual(written(), before);
    assert.equal((await accountsOf()).length, 1);
  });
});

test('a first start can be repeated after a port conflict', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => squatter.once('listening', done));
  const { port } = squatter.address() as AddressInfo;
  assert.equal((await barker(['dev', ...flagsOf(place), '--port', String(port), '--sandbox-port', '0'])).code, 1);
  squatter.close();
  const without = await barker(['call', 'GET', '/12/accounts', '--data', place.folder]);
  assert.match(without.stderr, /^barker: .*dev\.json does not exist; start barker dev, /);
  await dev();
  assert.equal((await accountsOf()).length, 1);
});

test('--rate-limits off disables rate limits', async () => {
  const limitOf = (stderr: string) => Number(/^x-rate-limit-limit: (\d+)$/m.exec(stderr)![1]);
  const call = () => barker(['call', 'GET', '/12/accounts', '-i', '--data', place.folder]);
  const limited = await dev();
  const usual = limitOf((await call()).stderr);
  await stop(limited);
  await dev('--rate-limits', 'off');
  assert.ok(limitOf((await call()).stderr) > usual * 1000);
});

test('errors and stop signals print one line each', async () => {
  const one = await dev();
  await barker(['call', 'GET', '/12/accounts/zzz/campaigns', '--data', place.folder]);
  await one.saw(
    /^403 GET \/12\/accounts\/:account_id\/campaigns: ACCOUNT_NOT_ACCESSIBLE \([\d.]+ ms, [0-9a-f]{16}\)$/m,
  );
  one.child.kill('SIGINT');
  const { code, stderr } = await one.ended;
  assert.match(stderr, /\nSIGINT: finishing open requests; a second signal exits immediately\nstopped\n$/);
  assert.equal(code, 0);
});

test('stops when the script runner exits', async () => {
  const args = [ENTRY, 'dev', ...flagsOf(place), ...ANY_PORTS].map((word) => `'${word}'`).join(' ');
  // The shell stays until it is killed, and does not tell its child.
  const shell = spawn('sh', ['-c', `'${process.execPath}' ${args}; true`], {
    env: { ...cleanEnvironment(), npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const closed = new Promise((done) => shell.on('close', done));
  await new Promise<void>((done) => {
    shell.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Try it')) done();
    });
  });
  shell.stderr.on('data', (chunk) => {
    output += chunk;
  });
  shell.kill('SIGTERM');
  // The pipes close when the last process that holds them is gone.
  await closed;
  assert.match(output, /the parent process has exited: finishing .*\nstopped\n$/);
});
