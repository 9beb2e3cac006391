import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { barker } from '../commands/program.ts';

describe('barker health', () => {
  let status: number;
  let body: object;
  const server = createServer((request, response) => {
    assert.equal(request.url, '/readyz');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  before(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
  after(() => server.close());
  const health = (host: string) => {
    const { port } = server.address() as AddressInfo;
    return barker(['health', '--operations-port', String(port)], { env: { BARKER_OPERATIONS_HOST: host } });
  };

  test('exits with 0 when the service is ready, also when it listens on every address', async () => {
    status = 200;
    body = { status: 'ready', checks: { database: 'ok', shutdown: 'ok' } };
    assert.deepEqual(await health('0.0.0.0'), { code: 0, stdout: 'ready\n', stderr: '' });
  });

  test('exits with 1 when it is not, and names what failed', async () => {
    status = 503;
    body = { status: 'not ready', checks: { database: 'failed', schema: 'ok', shutdown: 'failed' } };
    const stderr = 'barker: the server is not ready: database, shutdown\n';
    assert.deepEqual(await health('127.0.0.1'), { code: 1, stdout: '', stderr });
  });

  test('exits with 1 when there is none', async () => {
    const outcome = await barker(['health', '--operations-port', '9']);
    const stderr = 'barker: no server answers at http://127.0.0.1:9/readyz\n';
    assert.deepEqual(outcome, { code: 1, stdout: '', stderr });
  });
});
