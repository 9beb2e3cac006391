import assert from 'node:assert/strict';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openDependencies } from '../../src/app/dependencies.ts';
import { type Service, startListeners } from '../../src/app/server.ts';
import { openLog } from '../../src/http/log.ts';
import type { Mode } from '../../src/settings/kinds.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { openPlace, type Place } from '../rig/databases.ts';

/** Whatever could not be used, nothing of a failed start is left, and the next one works. */

const log = openLog('silent', { write() {} });
const MASTER_KEY = '11'.repeat(32);
let place: Place;
let taken: Server;
let takenPort: number;

beforeEach(async () => {
  place = await openPlace();
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen({ host: '127.0.0.1', port: 0 }, resolve));
  takenPort = (taken.address() as AddressInfo).port;
  await nothingIsOpen();
});
afterEach(async () => {
  await new Promise((resolve) => taken.close(resolve));
  await place.remove();
});

async function start(mode: Mode, more: Readonly<Record<string, unknown>> = {}): Promise<Service> {
  const ports = { port: 0, sandbox_port: 0, ...(mode === 'serve' && { operations_port: 0 }) };
  const { folder, databaseUrl } = place;
  const settings = loadSettings({
    mode,
    environment: { BARKER_MASTER_KEY: MASTER_KEY },
    readFile: () => '',
    flags: {
      ...{ data_folder: folder, database_url: databaseUrl || undefined, log_level: 'silent', ...ports },
      ...more,
    },
  });
  return startListeners(mode, await openDependencies(mode, settings, { log }));
}

/** The status of the reference page; the connection is not kept. */
function statusOf(service: Service): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${service.url}/docs/`, { agent: false }, (reply) => {
      reply.resume().on('close', () => resolve(reply.statusCode));
    }).on('error', reject);
  });
}

/** What keeps a process alive, by kind. */
function open(): Record<string, number> {
  const kinds = process.getActiveResourcesInfo();
  const count = (kind: string) => kinds.filter((each) => each === kind).length;
  return { servers: count('TCPServerWrap'), sockets: count('TCPSocketWrap'), workers: count('MessagePort') };
}

/** What is open beside a service: the server on the port that is taken. */
const BESIDE = { servers: 1, sockets: 0, workers: 0 };

/** A service has left nothing open; the other side of a connection may still be closing it. */
async function nothingIsOpen(): Promise<void> {
  for (let looks = 0; looks < 200 && !isDeepStrictEqual(open(), BESIDE); looks++) await wait(20);
  assert.deepEqual(open(), BESIDE);
}

/** A start that fails leaves nothing open; one that could have worked then works. */
async function failsCleanly(mode: Mode, more: Readonly<Record<string, unknown>>, message: RegExp): Promise<void> {
  await assert.rejects(start(mode, more), message);
  await nothingIsOpen();
  const service = await start(mode);
  assert.equal(await statusOf(service), 200);
  await service.close();
  await nothingIsOpen();
}

describe('a start that fails', () => {
  beforeEach(async () => {
    await (await start('dev')).close();
  });

  test('because the first port is taken', () => failsCleanly('dev', { port: takenPort }, /EADDRINUSE/));
  test('because the second port is taken', () => failsCleanly('dev', { sandbox_port: takenPort }, /EADDRINUSE/));
  test('because the port of probes is taken', () =>
    failsCleanly('serve', { operations_port: takenPort }, /EADDRINUSE/));

  test('because a certificate cannot be read', () =>
    failsCleanly('serve', { tls_cert: join(place.folder, 'none.pem'), tls_key: 'none' }, /cannot be read/));

  test('because a logo cannot be read', () =>
    failsCleanly('dev', { service_logo: join(place.folder, 'none.png') }, /none\.png/));

  test('because another server has the database', async () => {
    const first = await start('dev');
    try {
      await assert.rejects(start('dev'), /another|server/i);
      assert.equal(await statusOf(first), 200);
    } finally {
      await first.close();
    }
    await (await start('dev')).close();
  });
});

test('a start without a schema closes the database', async () => {
  await assert.rejects(start('serve'), /barker migrate/);
  await nothingIsOpen();
  await (await start('dev')).close();
});
