// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { dev } from '../rig/developer-surface.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';

/** Debian's own interpreter, which alone sees Debian's packages. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'tweepy_faults.py');

let world: World;
before(async () => {
  needPackages('python3-tweepy');
  world = await openWorld({ flags: { tls: true }, seams: { clock: systemClock } });
});
after(() => world?.close());
afterEach(() => dev(world, 'DELETE', '/_dev/faults'));

async function run(kind: 'wait' | 'retry'): Promise<string> {
  const env = { PATH: process.env.PATH, REQUESTS_CA_BUNDLE: world.tlsCa };
  const { stdout } = await promisify(execFile)(PYTHON, [SCRIPT, world.place.folder, kind], { env });
  return stdout.trim();
}

/** The statuses of the calls, in their order. */
async function statuses(): Promise<number[]> {
  const { body } = await dev(world, 'GET', '/_dev/requests?path=/1.1/account/verify_credentials.json');
  await dev(world, 'DELETE', '/_dev/requests');
  return body.requests.map(({ status }: { status: number }) => status).reverse();
}

describe('tweepy', () => {
  test('waits until the window of a rate limit ends, and calls again', async () => {
    const rule = { match: { path: '/1.1/**' }, times: 1, do: { rate_limited: { retry_after_s: 2 } } };
    await dev(world, 'POST', '/_dev/faults', { body: rule });
    const startedAt_ms = performance.now();
    assert.equal(await run('wait'), 'ada_demo');
    assert.deepEqual(await statuses(), [429, 200]);
    assert.ok(performance.now() - startedAt_ms > 2000, 'it waited');
  });

  test('calls again after a 503, as often as it was told', async () => {
    const rule = { match: { path: '/1.1/**' }, times: 2, do: { reply: { status: 503 } } };
    await dev(world, 'POST', '/_dev/faults', { body: rule });
    assert.equal(await run('retry'), 'ada_demo');
    assert.deepEqual(await statuses(), [503, 503, 200]);
  });

  test('gives up after more of them', async () => {
    await dev(world, 'POST', '/_dev/faults', { body: { match: { path: '/1.1/**' }, do: { reply: { status: 503 } } } });
    await assert.rejects(run('retry'), /ServerError: 503/);
    assert.deepEqual(await statuses(), [503, 503, 503, 503]);
  });
});
