// On either database: it is about servers that share PostgreSQL.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { problem } from '../../src/contract/problems/problems.ts';
import { ensureCertificates } from '../../src/dev/certificates.ts';
import { PROBLEM_TYPE } from '../../src/http/reply.ts';
import { needPackages } from '../clients/debian.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { type ComposeService, environmentOf, OPERATORS, readCompose } from '../rig/compose.ts';
import { type CuttableProxy, openCuttableProxy } from '../rig/cuttable-proxy.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { freePorts } from '../rig/ports.ts';
import {
  agentTo,
  askThrough,
  assertAllUnavailable,
  assertError,
  assertUnavailable,
  FORMS,
  openBrokenServer,
  plainStatus,
  type RunningProxy,
  readChallenge,
  readKeepAlives,
  readThrough,
  refuseLongHead,
  sample,
  startProxy,
} from '../rig/proxy-programs.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { type OwnS3, startS3 } from '../rig/s3.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { barker, flagsOf, MASTER_KEY, type Started, started, toldBy } from './program.ts';

// No machine of ours has a container engine: the servers of compose.cluster.yaml are started here, with its commands and
// variables, behind its balancer.

const SERVERS = ['api-1', 'api-2', 'worker-1'] as const;
type Name = (typeof SERVERS)[number];
const FORGED = '203.0.113.9';

let place: Place;
/** Leads the servers to the database. */
let database: CuttableProxy;
let acmePort: number;
let redis: OwnRedis;
let s3: OwnS3;
let ca: string;
let keys: Keys & Record<string, string>;
let proxy: RunningProxy;
let production: Client;
let sandbox: Client;
const ports = new Map<Name, readonly number[]>();
const running = new Map<Name, Started>();
const dispatcher = getGlobalDispatcher();

before(async () => {
  needPackages('haproxy', 'redis-server');
  place = await openPlace('postgres');
  database = await openCuttableProxy(place.databaseUrl);
  [redis, s3] = await Promise.all([startRedis(), startS3()]);
  // However busy the machine is.
  const env = { BARKER_MASTER_KEY: MASTER_KEY, BARKER_POSTGRES_CONNECT_TIMEOUT_S: '60' };
  const run = async (args: readonly string[], input?: string) =>
    toldBy(await barker([...args, ...flagsOf(place)], { env, ...(input && { input }) }));
  await barker(['migrate', ...flagsOf(place)], { env });
  await run(['user', 'create', 'ada'], 'correct horse battery staple\n');
  const website = ['--website', 'https://a.test', '--callback', 'https://a.test/back'];
  const app = await run(['app', 'create', 'Reports', '--owner', 'ada', '--level', 'read-write', ...website]);
  const token = await run(['token', 'create', '--app', app.consumer_key!, '--user', 'ada']);
  keys = { ...app, ...token } as unknown as Keys & Record<string, string>;
  const all = await freePorts(3 * SERVERS.length);
  for (const [at, name] of SERVERS.entries()) ports.set(name, all.slice(3 * at, 3 * at + 3));
  await Promise.all(SERVERS.map(start));
  const certificates = await ensureCertificates(
    place.folder,
    ['ads.example.org', 'sandbox.ads.example.org'],
    systemClock,
  );
  ca = readFileSync(certificates.ca, 'utf8');
  const pem = readFileSync(certificates.cert, 'utf8') + readFileSync(certificates.key, 'utf8');
  writeFileSync(join(place.folder, 'tls.pem'), pem, { mode: 0o600 });
  proxy = await startBalancer();
  // Each request has a connection of its own.
  setGlobalDispatcher(agentTo(proxy, ca, { pipelining: 0 }));
  production = clientOf(OPERATORS.BARKER_PUBLIC_BASE_URL!, keys, systemClock);
  sandbox = clientOf(OPERATORS.BARKER_PUBLIC_SANDBOX_URL!, keys, systemClock);
});
after(async () => {
  await getGlobalDispatcher().close();
  setGlobalDispatcher(dispatcher);
  await proxy?.stop();
  for (const { child } of running.values()) child.kill('SIGKILL');
  await Promise.all([...running.values()].map(({ ended }) => ended));
  await Promise.all([redis.stop(), s3.close(), database.close()]);
  await place.remove();
});

/** Starts a server of the compose file, on this machine in the place of its network. */
async function start(name: Name): Promise<void> {
  const service = readCompose('compose.cluster.yaml').services[name] as ComposeService;
  const secrets = join(place.folder, 'secrets');
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  const contents = {
    master_key: MASTER_KEY,
    database_url: database.url,
    redis_url: redis.url,
    object_store_secret: String(s3.flags.object_store_secret),
  };
  for (const [file, content] of Object.entries(contents)) writeFileSync(join(secrets, file), content, { mode: 0o600 });
  const given = Object.entries(environmentOf(service)).map(([variable, value]) => [
    variable,
    value.replace('/run/secrets', secrets),
  ]);
  const [port, sandboxPort, operationsPort] = ports.get(name)!;
  const env = {
    ...Object.fromEntries(given),
    BARKER_OBJECT_STORE: String(s3.flags.object_store),
    BARKER_OBJECT_STORE_ENDPOINT: String(s3.flags.object_store_endpoint),
    BARKER_OBJECT_STORE_KEY_ID: String(s3.flags.object_store_key_id),
    BARKER_TRUSTED_PROXIES: '127.0.0.1',
    BARKER_DATA_FOLDER: join(place.folder, name),
    BARKER_PORT: String(port),
    BARKER_SANDBOX_PORT: String(sandboxPort),
    BARKER_OPERATIONS_PORT: String(operationsPort),
    BARKER_ACCESS_LOG: 'all',
    BARKER_STREAM_KEEP_ALIVE_S: '1',
  };
  const server = started(service.command!, { env });
  running.set(name, server);
  await server.saw(/"message":"ready"/);
}

/** Starts HAProxy with the configuration, to which some more is changed; its servers are ours, or all at one port. */
async function startBalancer(
  changes: readonly (readonly [string, string])[] = [],
  only?: number,
): Promise<RunningProxy> {
  const [port, plainPort, clientPort] = (await freePorts(3)) as [number, number, number];
  const tls = join(place.folder, 'tls.pem');
  const at = (name: Name, index: number): string => {
    if (only !== undefined) return `127.0.0.1:${only} port ${only}`;
    acmePort = clientPort;
    const [, , operations] = ports.get(name)!;
    return `127.0.0.1:${ports.get(name)![index]} port ${operations}`;
  };
  const config = sample('deploy/haproxy.cfg', [
    ['bind :8443', `bind 127.0.0.1:${port}`],
    ['bind :8080', `bind 127.0.0.1:${plainPort}`],
    ['/run/secrets/tls.pem', tls],
    ['172.30.81.11:8080', at('api-1', 0)],
    ['172.30.81.12:8080', at('api-2', 0)],
    ['172.30.81.11:8081', at('api-1', 1)],
    ['172.30.81.12:8081', at('api-2', 1)],
    ['172.30.81.1:8402', `127.0.0.1:${clientPort}`],
    ...changes,
  ]);
  const file = join(place.folder, `haproxy-${port}.cfg`);
  writeFileSync(file, config);
  return startProxy('haproxy', ['-f', file], { port, plainPort, env: { ...process.env, ...OPERATORS } });
}

/** Calls until the time comes; resolves with the statuses, or with errors of connections. */
async function callUntil(isOver: () => boolean, call: (round: number) => Promise<{ status: number }>) {
  const results: (number | string)[] = [];
  for (let round = 0; !isOver(); round++) {
    results.push(await call(round).then(({ status }) => status, String));
  }
  return results;
}

describe('behind HAProxy', () => {
  test('signed calls reach both servers, and each host name leads to its environment', async () => {
    for (let round = 0; round < 8; round++) {
      const listed = await production.call('GET', '/12/accounts');
      assert.equal(listed.status, 200, listed.text);
    }
    const made = await sandbox.call('POST', '/12/accounts', { params: { name: 'Harbour Coffee' } });
    assert.equal(made.status, 200, made.text);
    const path = `/12/accounts/${made.body.data[0].id}`;
    const [inside, outside] = [await sandbox.call('GET', path), await production.call('GET', path)];
    assert.deepEqual([inside.status, outside.status], [200, 403], inside.text + outside.text);
    for (const name of ['api-1', 'api-2'] as const) await running.get(name)!.saw(/"route":"\/12\/accounts"/);
  });

  test('uploads arrive complete, whichever server gets a segment', async () => {
    const sent = await upload(production, JPEG, { media_type: 'image/jpeg' });
    assert.equal(sent.status, 200, sent.text);
  });

  test('a body that is too large is refused by the service, in its own format', async () => {
    const reply = await sandbox.call('POST', '/12/accounts', { params: { name: 'x'.repeat(1_100_000) } });
    assert.equal(reply.status, 413, reply.text);
    assert.equal(reply.body.errors[0].code, 'INVALID_PARAMETER');
  });

  test('a head that is too long is refused by the service, in its own format', () => refuseLongHead(proxy, ca));

  test('forwarding headers of callers are not trusted', async () => {
    const headers = {
      'x-forwarded-for': FORGED,
      'x-forwarded-host': 'other.example.org',
      'x-forwarded-proto': 'http',
    };
    const reply = await production.call('GET', '/12/accounts', { headers });
    assert.equal(reply.status, 200, reply.text);
    const {
      status,
      reply: page,
      headers: told,
    } = await askThrough(proxy, ca, '/login', { localAddress: '127.0.0.2', headers });
    page.destroy();
    assert.equal(status, 200);
    assert.match(String(told['strict-transport-security']), /^max-age=/);
    const line = new RegExp(`^.*"transaction_id":"${told['x-transaction-id']}".*$`, 'm');
    const [text] = await Promise.any(['api-1', 'api-2'].map((name) => running.get(name as Name)!.saw(line)));
    assert.equal(JSON.parse(text).address, '127.0.0.2');
  });

  test('a stream is forwarded without buffering', () =>
    readKeepAlives(proxy, ca, keys.consumer_key, keys.consumer_secret));

  test('nothing is served over plain HTTP', async () => {
    assert.equal(await plainStatus(proxy.plainPort, '/12/accounts'), 403);
  });

  test('an ACME client answers challenges over plain HTTP', () => readChallenge(proxy, acmePort));

  test('no call fails while a server is stopped and another takes its place', async () => {
    const { child, ended } = running.get('api-2')!;
    let isOver = false;
    const calling = callUntil(
      () => isOver,
      () => production.call('GET', '/12/accounts'),
    );
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    await start('api-2');
    isOver = true;
    const results = await calling;
    assert.ok(results.length > 10);
    assert.deepEqual([...new Set(results)], [200]);
  });

  test('when a server is killed, calls go on with the other, and no request is sent twice', async () => {
    const before = await listAccounts();
    const acknowledged: string[] = [];
    let goodInARow = 0;
    const calling = callUntil(
      () => goodInARow >= 30,
      async () => {
        const made = await sandbox.call('POST', '/12/accounts');
        goodInARow = made.status === 200 ? goodInARow + 1 : 0;
        if (made.status === 200) acknowledged.push(made.body.data[0].id);
        return made;
      },
    );
    const { child, ended } = running.get('api-1')!;
    child.kill('SIGKILL');
    await ended;
    goodInARow = 0;
    const results = await calling;
    // A request that a second server gets is refused by its nonce, with 401: there may be none.
    for (const result of results)
      assert.ok(result === 200 || result === 502 || typeof result === 'string', `${result}`);
    const added = (await listAccounts()).filter((id) => !before.includes(id));
    assert.deepEqual(
      acknowledged.filter((id) => !added.includes(id)),
      [],
    );
    assert.ok(added.length <= results.length, `${added.length} accounts of ${results.length} calls`);
  });

  test('while the database is away, the servers refuse calls themselves, though none is ready', async () => {
    const before = proxy.said().length;
    const wentDown = (): boolean =>
      ['production', 'sandbox'].every((name) => proxy.said().includes(`Server ${name}/api-2 is DOWN`, before));
    database.refuse();
    await until('the balancer finds no server ready', wentDown);
    assertUnavailable('/12/accounts', await production.call('GET', '/12/accounts'));
    database.mend();
    await until('calls succeed', async () => (await production.call('GET', '/12/accounts')).status === 200);
  });

  test('while no server can be reached, calls are refused as they would refuse them', async () => {
    const { child, ended } = running.get('api-2')!;
    child.kill('SIGKILL');
    await ended;
    await assertAllUnavailable(proxy, ca);
  });
});

test('HAProxy answers in the form of the API when a server breaks off or is late', async () => {
  const broken = await openBrokenServer();
  const own = await startBalancer([['timeout server 60s', 'timeout server 1s']], broken.port);
  try {
    for (const path of FORMS) {
      for (const [query, status, title] of [
        ['', 502, 'Bad Gateway'],
        ['?silent', 504, 'Gateway Timeout'],
      ] as const) {
        const reply = await readThrough(own, ca, path + query);
        const ofVersion2 = { title, type: 'about:blank', status, detail: title };
        assert.equal(reply.status, status);
        if (path.startsWith('/2/')) {
          assert.equal(reply.text, JSON.stringify(ofVersion2));
          assert.equal(reply.headers.get('content-type'), PROBLEM_TYPE);
        } else assertError(path, { ...reply, status: 500 }, problem('INTERNAL'));
      }
    }
  } finally {
    await own.stop();
    broken.close();
  }
});

async function listAccounts(): Promise<string[]> {
  const page = await sandbox.call('GET', '/12/accounts', { params: { count: '1000' } });
  assert.equal(page.status, 200, page.text);
  assert.equal(page.body.next_cursor, null);
  return page.body.data.map(({ id }: { id: string }) => id);
}

test('the Redis of the compose file takes its password from the secret, and keeps nothing on disk', async () => {
  needPackages('redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'barker-redis-'));
  writeFileSync(join(folder, 'redis_password'), 'a password of Redis\n'.replaceAll(' ', '-'));
  const [port] = await freePorts(1);
  const { entrypoint } = readCompose('compose.cluster.yaml').services.redis!;
  const [program, option, script] = entrypoint!;
  const here = script!
    .replace('valkey-server', 'redis-server')
    // Compose makes one of two.
    .replaceAll('$$', '$')
    .replace('/run/secrets', folder)
    .replace('save ""', `save ""\nport ${port}\nbind 127.0.0.1`);
  const child = spawn(program!, [option!, here], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await new Promise<void>((ready, failed) => {
      child.once('exit', (code) => failed(new Error(`ended with ${code}`)));
      child.stdout.on('data', (chunk) => /Ready to accept connections/.test(String(chunk)) && ready());
    });
    const ask = (...args: string[]): string =>
      spawnSync('redis-cli', ['-p', `${port}`, ...args], { encoding: 'utf8' }).stdout.trim();
    assert.match(ask('ping'), /^NOAUTH/);
    assert.equal(ask('--no-auth-warning', '-a', 'a-password-of-Redis', 'ping'), 'PONG');
    assert.equal(ask('--no-auth-warning', '-a', 'a-password-of-Redis', 'config', 'get', 'save'), 'save');
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  }
});
