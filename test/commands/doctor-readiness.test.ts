// On either database: nothing is stored.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { examineService } from '../../src/cli/doctor/dependencies.ts';
import { loadSettings } from '../../src/settings/load.ts';

const settingsOf = (operations_port: number) =>
  loadSettings({ mode: 'serve', environment: {}, incomplete: true, readFile: () => '', flags: { operations_port } });

describe('the running service', () => {
  let server: Server;
  let answer = { status: 200, checks: { database: 'ok' } as Record<string, string> };
  before(async () => {
    server = createServer((_, response) => {
      response.writeHead(answer.status).end(JSON.stringify({ checks: answer.checks }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  after(() => void server.close());
  beforeEach(() => {
    answer = { status: 200, checks: { database: 'ok' } };
  });
  const examine = async () =>
    (await examineService(settingsOf((server.address() as AddressInfo).port))).map(
      ({ level, message }) => `${level}: ${message}`,
    );

  test('that is ready', async () => assert.match((await examine()).at(-1)!, /^ok: a service runs and is ready/));

  test('that is not ready: the failed checks are named', async () => {
    answer = { status: 503, checks: { database: 'failed', schema: 'ok' } };
    assert.deepEqual(await examine(), ['error: a service runs and is not ready: database']);
  });
});
