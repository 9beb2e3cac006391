// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { problem } from '../../src/contract/problems/problems.ts';
import { type CertificatePaths, ensureCertificates } from '../../src/dev/certificates.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
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
  sendBytes,
  startProxy,
} from '../rig/proxy-programs.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { barker, flagsOf, MASTER_KEY, startServe, toldBy } from './program.ts';

const ORIGIN = 'https://ads.example.org';
const SANDBOX = 'https://sandbox.ads.example.org';
const FORGED = '203.0.113.9';

type Service = Awaited<ReturnType<typeof startServe>>;

let place: Place;
let service: Service;
/** Where its listeners are; what it calls its addresses is where the proxy is. */
let upstreams: readonly [production: string, sandbox: string];
let certificates: CertificatePaths;
/** Where the ACME client listens that nginx knows. */
let acmePort: number;
let keys: Keys & Record<string, string>;

before(async () => {
  place = await openPlace();
  const env = { BARKER_MASTER_KEY: MASTER_KEY };
  const run = async (...args: string[]) => toldBy(await barker([...args, ...flagsOf(place)], { env }));
  const migrated = await barker(['migrate', ...flagsOf(place)], { env });
  assert.equal(migrated.code, 0, migrated.stderr);
  toldBy(await barker(['user', 'create', 'ada', ...flagsOf(place)], { env, input: 'correct horse battery staple\n' }));
  const app = await run(
    'app',
    'create',
    'Reports',
    '--owner',
    'ada',
    '--website',
    'https://a.test',
    '--callback',
    'https://a.test/back',
    '--level',
    'read-write',
  );
  const token = await run('token', 'create', '--app', app.consumer_key!, '--user', 'ada');
  keys = { ...app, ...token } as unknown as Keys & Record<string, string>;
  const [port, sandboxPort, clientPort] = (await freePorts(3)) as [number, number, number];
  acmePort = clientPort;
  upstreams = [`127.0.0.1:${port}`, `127.0.0.1:${sandboxPort}`];
  service = await startServe(place, {
    flags: [
      '--port',
      String(port),
      '--sandbox-port',
      String(sandboxPort),
      '--trusted-proxies',
      '127.0.0.1',
      '--public-base-url',
      ORIGIN,
      '--public-sandbox-url',
      SANDBOX,
    ],
    env: { BARKER_STREAM_KEEP_ALIVE_S: '1' },
  });
  certificates = await ensureCertificates(place.folder, ['ads.example.org', 'sandbox.ads.example.org'], systemClock);
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await place.remove();
});

/** Changes of a sample beside its ports and files. */
type Changes = readonly (readonly [from: string, to: string])[];

async function startNginx(changes: Changes = []): Promise<RunningProxy> {
  const [port, plainPort] = (await freePorts(2)) as [number, number];
  const folder = join(place.folder, 'nginx');
  mkdirSync(folder, { recursive: true });
  const ours = sample('deploy/nginx.conf', [
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['127.0.0.1:8080', upstreams[0]],
    ['127.0.0.1:8081', upstreams[1]],
    ['127.0.0.1:8402', `127.0.0.1:${acmePort}`],
    ['/etc/barker/tls/fullchain.pem', certificates.cert],
    ['/etc/barker/tls/privkey.pem', certificates.key],
    ...changes,
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(join(folder, 'barker.conf'), ours);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr warn; ${process.getuid!() === 0 ? 'user root;' : ''}
events {}
http { access_log off; ${temporary.join(' ')} include ${folder}/barker.conf; }`,
  );
  return startProxy('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { port, plainPort });
}

async function startCaddy(): Promise<RunningProxy> {
  const [port, plainPort] = (await freePorts(2)) as [number, number];
  const folder = join(place.folder, 'caddy');
  mkdirSync(folder, { recursive: true });
  const tls = `tls ${certificates.cert} ${certificates.key}`;
  const ours = sample('deploy/Caddyfile', [
    ['127.0.0.1:8080', upstreams[0]],
    ['127.0.0.1:8081', upstreams[1]],
    [/^((?:sandbox\.)?ads\.example\.org) \{$/gm, `$1 {\n\tbind 127.0.0.1\n\t${tls}`],
  ]);
  const global = `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tstorage file_system ${folder}\n}\n`;
  writeFileSync(join(folder, 'Caddyfile'), global + ours);
  const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  return startProxy('caddy', args, { port, plainPort });
}

const PROXIES = [
  ['nginx', startNginx],
  ['Caddy', startCaddy],
] as const;

const ca = (): string => readFileSync(certificates.ca, 'utf8');

for (const [name, start] of PROXIES) {
  describe(`behind ${name}`, () => {
    let proxy: RunningProxy;
    let production: Client;
    let sandbox: Client;
    const dispatcher = getGlobalDispatcher();

    before(async () => {
      proxy = await start();
      setGlobalDispatcher(agentTo(proxy, ca()));
      production = clientOf(ORIGIN, keys, systemClock);
      sandbox = clientOf(SANDBOX, keys, systemClock);
    });
    after(async () => {
      await getGlobalDispatcher().close();
      setGlobalDispatcher(dispatcher);
      await proxy.stop();
    });

    test('signed calls are answered, and each host name leads to its environment', async () => {
      const listed = await production.call('GET', '/12/accounts');
      assert.equal(listed.status, 200, listed.text);
      const made = await sandbox.call('POST', '/12/accounts', { params: { name: 'Harbour Coffee' } });
      assert.equal(made.status, 200, made.text);
      const path = `/12/accounts/${made.body.data[0].id}`;
      const [inside, outside] = [await sandbox.call('GET', path), await production.call('GET', path)];
      assert.deepEqual([inside.status, outside.status], [200, 403], inside.text + outside.text);
    });

    test('uploads arrive complete', async () => {
      const sent = await upload(production, JPEG, { media_type: 'image/jpeg' });
      assert.equal(sent.status, 200, sent.text);
    });

    test('a body that is too large is refused by the service, in its own format', async () => {
      const reply = await sandbox.call('POST', '/12/accounts', { params: { name: 'x'.repeat(1_100_000) } });
      assert.equal(reply.status, 413, reply.text);
      assert.equal(reply.body.errors[0].code, 'INVALID_PARAMETER');
    });

    test('a head that is too long is refused by the service, in its own format', () => refuseLongHead(proxy, ca()));

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
      } = await askThrough(proxy, ca(), '/login', { localAddress: '127.0.0.2', headers });
      page.destroy();
      assert.equal(status, 200);
      assert.match(String(told['strict-transport-security']), /^max-age=/);
      const line = JSON.parse((await lineOf(String(told['x-transaction-id']))) ?? '{}');
      assert.equal(line.address, '127.0.0.2');
    });

    test('a stream is forwarded without buffering', () =>
      readKeepAlives(proxy, ca(), keys.consumer_key, keys.consumer_secret));

    test('nothing is served over plain HTTP', async () => {
      const status = await plainStatus(proxy.plainPort, '/12/accounts');
      assert.ok(status === 403 || status === 308, String(status));
    });

    // Caddy obtains certificates itself.
    if (name === 'nginx')
      test('an ACME client answers challenges over plain HTTP', () => readChallenge(proxy, acmePort));

    async function lineOf(transaction: string): Promise<string | undefined> {
      await service.saw(new RegExp(`"transaction_id":"${transaction}"`));
      return service
        .output()
        .stdout.split('\n')
        .find((line) => line.includes(transaction));
    }
  });
}

/** The limits of the samples. */
const BYTES_MAX = { nginx: 16_777_216, Caddy: 16_000_000 } as const;

for (const [name, start] of PROXIES) {
  test(`a body beyond the limit of ${name} is refused as the service would refuse it`, async () => {
    const proxy = await start();
    try {
      const max = BYTES_MAX[name];
      for (const path of FORMS) {
        const headers = { 'content-length': String(max + 1) };
        const reply = await readThrough(proxy, ca(), path, { method: 'POST', headers });
        assertError(path, reply, problem('BODY_TOO_LARGE', { words: { max } }));
      }
    } finally {
      await proxy.stop();
    }
  });
}

test('nginx answers what is no request, or has a long head, as the service would', async () => {
  const proxy = await startNginx();
  try {
    for (const path of FORMS) {
      const unreadable = await sendBytes(proxy, ca(), `GET ${path} HTTP/1.1\r\n\r\n`);
      // In version 2 the service names the page of the problem, for which nginx would need its address.
      if (!path.startsWith('/2/')) assertError(path, unreadable, problem('REQUEST_UNREADABLE'));
      else
        assert.deepEqual(
          [unreadable.status, JSON.parse(unreadable.text).detail],
          [400, 'The request is not valid HTTP.'],
        );
      const headers = { cookie: 'x'.repeat(32_768) };
      const long = await readThrough(proxy, ca(), path, { headers });
      assertError(path, long, problem('HEAD_TOO_LARGE', { words: { max: 32_768 } }));
    }
  } finally {
    await proxy.stop();
  }
});

test('while the service does not run, or breaks off, calls are refused as it would refuse them', async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  for (const [, start] of PROXIES) {
    const proxy = await start();
    await assertAllUnavailable(proxy, ca()).finally(() => proxy.stop());
  }
  const broken = await openBrokenServer();
  upstreams = [`127.0.0.1:${broken.port}`, `127.0.0.1:${broken.port}`];
  try {
    for (const [, start] of PROXIES) {
      const proxy = await start();
      await assertAllUnavailable(proxy, ca()).finally(() => proxy.stop());
    }
    const proxy = await startNginx([['proxy_read_timeout 60s', 'proxy_read_timeout 1s']]);
    try {
      for (const path of FORMS) assertUnavailable(path, await readThrough(proxy, ca(), `${path}?silent`));
    } finally {
      await proxy.stop();
    }
  } finally {
    broken.close();
  }
});
