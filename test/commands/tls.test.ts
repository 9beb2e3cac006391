// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { type CertificatePaths, ensureCertificates } from '../../src/dev/certificates.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { untilReady } from '../rig/patience.ts';
import {
  ANY_PORTS,
  barker,
  cleanEnvironment,
  flagsOf,
  MASTER_KEY,
  type Started,
  started,
  startServe,
} from './program.ts';

const DAY_MS = 86_400_000;
/** Certificates of one authority, as an operator gets them one after the other. */
let folder: string;
let ca: string;
let first: CertificatePaths;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  first = await ensureCertificates(folder, [], systemClock);
  ca = readFileSync(first.ca, 'utf8');
});
after(() => rmSync(folder, { recursive: true }));

let place: Place;
let running: Started[] = [];
beforeEach(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
afterEach(async () => {
  for (const one of running) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
  running = [];
  await place.remove();
});

/** A certificate made at another time, under the same authority. */
async function madeAt(days: number): Promise<{ cert: string; key: string }> {
  const other = mkdtempSync(join(tmpdir(), 'tls-'));
  cpSync(join(folder, 'tls', 'ca.pem'), join(other, 'tls', 'ca.pem'));
  cpSync(join(folder, 'tls', 'ca-key.pem'), join(other, 'tls', 'ca-key.pem'));
  const paths = await ensureCertificates(other, [], { now: () => systemClock.now() + days * DAY_MS });
  const pair = { cert: readFileSync(paths.cert, 'utf8'), key: readFileSync(paths.key, 'utf8') };
  rmSync(other, { recursive: true });
  return pair;
}

/** Puts files into the folder of the place; the flags that name them. */
function named(pair: { cert?: string; key?: string }): string[] {
  const paths = { cert: join(place.folder, 'c.pem'), key: join(place.folder, 'k.pem') };
  writeFileSync(paths.cert, pair.cert ?? readFileSync(first.cert));
  writeFileSync(paths.key, pair.key ?? readFileSync(first.key));
  return ['--tls-cert', paths.cert, '--tls-key', paths.key];
}

function ask(url: string, options: object = {}): Promise<{ status: number; headers: Record<string, unknown> }> {
  return new Promise((done, failed) => {
    get(url, { ca, agent: false, ...options }, (reply) => {
      reply.resume();
      done({ status: reply.statusCode!, headers: reply.headers });
    }).on('error', failed);
  });
}

/** The serial number of the certificate that a server shows. */
function shownAt(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((done, failed) => {
    const socket = connect({ host, port: Number(port), ca }, () => {
      done(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    }).on('error', failed);
  });
}

const serialOf = (cert: string): string => new X509Certificate(cert).serialNumber;

async function serve(...flags: string[]) {
  const service = await startServe(place, { flags: ['--allow-insecure-loopback', 'false', ...flags] });
  running.push(service);
  return service;
}

describe('serve with a certificate', () => {
  test('serves https with HSTS on both listeners, and probes over http', async () => {
    const service = await serve(...named({}));
    for (const url of [service.url, service.sandboxUrl]) {
      assert.match(url, /^https:/);
      for (const [path, status] of [
        ['/12/accounts', 401],
        ['/12/nothing', 404],
        ['/openapi.json', 200],
        ['/pages/style.css', 200],
        ['/login', 200],
      ] as const) {
        const reply = await ask(url + path);
        assert.equal(reply.status, status, path);
        assert.equal(reply.headers['strict-transport-security'], 'max-age=31536000', path);
      }
      const options = await ask(`${url}/12/accounts`, { method: 'OPTIONS' });
      assert.equal(options.headers['strict-transport-security'], 'max-age=31536000');
    }
    assert.match(service.operationsUrl, /^http:/);
    await untilReady(service.operationsUrl);
    await assert.rejects(ask(service.url, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }));
  });

  test('may listen beyond loopback without a proxy', async () => {
    const service = await serve(...named({}), '--host', '0.0.0.0', '--public-base-url', 'https://ads.test');
    const [line] = await service.saw(/"message":"ready".*/);
    assert.ok(line);
    assert.equal(service.url, 'https://ads.test');
  });

  test('loads renewed files on SIGHUP, and keeps the old ones when the new ones are invalid', async () => {
    const service = await serve(...named({}));
    const before = serialOf(readFileSync(first.cert, 'utf8'));
    assert.equal(await shownAt(service.url), before);

    const next = await madeAt(0);
    named({ cert: next.cert });
    service.child.kill('SIGHUP');
    await service.saw(/"message":"could not reload the certificate; the previous one stays in use"/);
    assert.match(
      service.output().stdout,
      /"level":"error".*--tls-key: the key in .*k\.pem does not match the certificate/,
    );
    assert.equal(await shownAt(service.url), before);

    named(next);
    service.child.kill('SIGHUP');
    await service.saw(/"message":"certificate reloaded"/);
    for (const url of [service.url, service.sandboxUrl]) assert.equal(await shownAt(url), serialOf(next.cert));
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
  });

  test('that has expired starts, and logs why clients refuse it', async () => {
    const service = await serve(...named(await madeAt(-500)));
    assert.match(
      service.output().stdout,
      /"level":"warn".*"message":"the certificate has expired: clients will refuse it"/,
    );
    await assert.rejects(ask(service.url), { code: 'CERT_HAS_EXPIRED' });
  });

  test('that expires soon starts, and logs it', async () => {
    const service = await serve(...named(await madeAt(-390)));
    assert.match(service.output().stdout, /"level":"warn".*"message":"the certificate expires soon"/);
    assert.equal((await ask(`${service.url}/12/accounts`)).status, 401);
  });

  for (const name of ['cert', 'key'] as const) {
    test(`refuses a ${name} that is missing`, async () => {
      const paths = { cert: first.cert, key: first.key, [name]: '/nowhere/x.pem' };
      const own = ['--operations-port', '0', '--tls-cert', paths.cert, '--tls-key', paths.key];
      const env = { BARKER_MASTER_KEY: MASTER_KEY };
      const outcome = await barker(['serve', ...flagsOf(place), ...ANY_PORTS, ...own], { env });
      assert.equal(outcome.stderr, `barker: --tls-${name}: /nowhere/x.pem cannot be read (ENOENT)\n`);
      assert.equal(outcome.code, 1);
    });
  }
});

describe('dev --tls', () => {
  async function dev(...flags: string[]): Promise<Started & { file: Record<string, string> }> {
    const one = started(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
    running.push(one);
    await one.saw(/Try it:\n.*\n/);
    return { ...one, file: JSON.parse(readFileSync(join(place.folder, 'dev.json'), 'utf8')) };
  }
  const stop = async (one: Started): Promise<void> => {
    one.child.kill('SIGTERM');
    assert.equal((await one.ended).code, 0);
  };
  const call = () => barker(['call', 'GET', '/12/accounts', '--data', place.folder]);

  test('prints https addresses and what to trust; call and the output of sign work unchanged', async () => {
    const { file, output } = await dev('--tls');
    for (const url of [file.base_url, file.ads_url, file.sandbox_url]) assert.match(url!, /^https:\/\/127\.0\.0\.1:/);
    assert.equal(file.tls_ca, join(place.folder, 'tls', 'ca.pem'));
    const told = await call();
    assert.equal(told.code, 0, told.stderr);
    assert.equal(JSON.parse(told.stdout).data[0].name, 'Demo account');
    const signed = await barker(['sign', 'GET', '/12/accounts', '--data', place.folder]);
    const pasted = await promisify(execFile)('sh', ['-c', signed.stdout.split('Command:\n')[1]!]);
    assert.equal(JSON.parse(pasted.stdout).data[0].name, 'Demo account');
    for (const name of ['NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE', 'PERL_LWP_SSL_CA_FILE']) {
      assert.ok(output().stdout.includes(`${name}=${file.tls_ca}`), name);
    }
  });

  test('is trusted by another program with the line that it prints', async () => {
    const { file } = await dev('--tls');
    const env = { ...cleanEnvironment(), NODE_EXTRA_CA_CERTS: file.tls_ca! };
    const script = `fetch('${file.base_url}/livez').then(async (reply) => console.log(reply.status))`;
    const asked = await promisify(execFile)(process.execPath, ['-e', script], { env });
    assert.equal(asked.stdout, '200\n');
    await assert.rejects(promisify(execFile)(process.execPath, ['-e', script], { env: cleanEnvironment() }));
  });

  test('has further names, and keeps its authority after --reset', async () => {
    const one = await dev('--tls', '--tls-name', 'ads.test', '--tls-name', 'www.ads.test');
    const authority = readFileSync(one.file.tls_ca!, 'utf8');
    const { port } = new URL(one.file.base_url!);
    const lookup = (_: string, __: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const name of ['ads.test', 'www.ads.test']) {
      assert.equal((await ask(`https://${name}:${port}/livez`, { ca: authority, lookup })).status, 200);
    }
    await assert.rejects(ask(`https://other.test:${port}/livez`, { ca: authority, lookup }), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    await stop(one);
    const again = await dev('--tls', '--reset');
    assert.equal(readFileSync(again.file.tls_ca!, 'utf8'), authority);
    await stop(again);
    const refused = await barker(['dev', ...flagsOf(place), ...ANY_PORTS, '--tls', '--tls-name', 'other.test']);
    assert.match(refused.stderr, /^barker: .*ca\.pem was not made for other\.test; rename .* to have a new one made, /);
    assert.equal(refused.code, 1);
  });

  test('without it no certificate is created, and http is served', async () => {
    await stop(await dev());
    assert.equal(existsSync(join(place.folder, 'tls')), false);
    await stop(await dev('--tls'));
    const { file } = await dev();
    assert.match(file.base_url!, /^http:/);
    assert.equal('tls_ca' in file, false);
    assert.equal((await call()).code, 0);
  });
});
