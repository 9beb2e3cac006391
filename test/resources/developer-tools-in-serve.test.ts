// On either database: who listens is decided before anything is read from it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { operations } from '../../src/app/dependencies.ts';
import type { Service } from '../../src/app/server.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { serve } from '../rig/serving.ts';
import { openWorld } from '../rig/world.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

let place: Place;
let service: Service;
/** Every call below `/_dev`, as development mode lists them. */
let calls: readonly Route[];

before(async () => {
  const world = await openWorld();
  const reply = await request(`${world.service.url}/_dev`);
  ({ calls } = (await reply.body.json()) as { calls: Route[] });
  await world.close();
  place = await openPlace(undefined, { hasSchema: true });
  service = await serve(place);
});
after(async () => {
  await service?.close();
  await place?.remove();
});

/** Status, headers and body of a reply, without what is different in each. */
async function answerOf(origin: string, { method, path }: Route, sent: Record<string, string> = {}) {
  const reply = await request(origin + path, { method: method as 'GET', headers: sent });
  const { date, 'x-transaction-id': id, 'x-response-time': time, ...headers } = reply.headers;
  return { status: reply.statusCode, headers, body: await reply.body.text() };
}

const filled = (path: string): string => path.replace(/:\w+/g, 'x1');

describe('in a server without tools for developers', () => {
  test('no call of them exists, on any listener', async () => {
    assert.ok(calls.length > 5, String(calls.length));
    for (const origin of [service.url, service.sandboxUrl]) {
      for (const { method, path } of calls) {
        const known = await answerOf(origin, { method, path: filled(path) });
        const unknown = await answerOf(origin, { method, path: '/_nothing' });
        assert.equal(known.status, 404, `${method} ${path}`);
        assert.deepEqual(known, unknown, `${method} ${path}`);
      }
    }
  });

  test('every tool is among the calls', () => {
    const parts = ['debugger', 'auth', 'clock', 'requests', 'rates', 'faults', 'snapshots', 'reset'];
    for (const part of parts)
      assert.ok(
        calls.some(({ path }) => path.startsWith(`/_dev/${part}`)),
        part,
      );
  });

  test('a fault that a header asks for is not made, and replies to keys name none', async () => {
    const asked = { 'x-barker-fault': 'status=503; delay=60s' };
    for (const { method, path } of operations) {
      const plain = await answerOf(service.url, { method, path: filled(path) });
      assert.deepEqual(await answerOf(service.url, { method, path: filled(path) }, asked), plain, `${method} ${path}`);
    }
  });

  test('no operation names a trace or a hint', async () => {
    assert.ok(operations.length > 100, String(operations.length));
    let refused = 0;
    for (const { method, path } of operations) {
      const { status, headers } = await answerOf(service.url, { method, path: filled(path) });
      if (status === 401) refused += 1;
      const told = Object.keys(headers).filter((name) => /^x-barker|^x-hint$/.test(name));
      assert.deepEqual(told, [], `${method} ${path}`);
    }
    assert.ok(refused > 100, String(refused));
  });
});
