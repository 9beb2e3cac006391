import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import type { Service } from '../../src/app/server.ts';
import { formatInstant } from '../../src/base/instants.ts';
import type { NewEvent } from '../../src/contract/store/events.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until, untilReady } from '../rig/patience.ts';
import { serve } from '../rig/serving.ts';

let place: Place;
before(async () => {
  place = await openPlace('postgres', { hasSchema: true, isInMemory: true });
});
after(() => place.remove());

let origin: string;
let operations: string;

/** Starts a server of a role, which listens at `origin`. */
async function start(role: string): Promise<Service> {
  const service = await serve(place, { role });
  origin = service.settings.public_base_url;
  operations = service.operationsUrl;
  return service;
}

async function answer(path: string, method: 'GET' | 'POST' = 'GET', at = origin) {
  const { statusCode, headers, body } = await request(`${at}${path}`, { method });
  return { status: statusCode, headers, text: await body.text() };
}
const status = async (...of: Parameters<typeof answer>) => (await answer(...of)).status;
const checks = async () => Object.keys(JSON.parse((await answer('/readyz', 'GET', operations)).text).checks).sort();

/** A request for each role that is refused where it is answered, because it has no credentials, and others. */
const REQUESTS = {
  api: ['/12/accounts', 'GET'],
  stream: ['/2/activity/stream', 'GET'],
  estimate: ['/12/accounts/18ce54d4x5t/audience_estimate', 'POST'],
  insights: ['/12/insights/keywords/search', 'GET'],
  suggestions: ['/12/accounts/18ce54d4x5t/targeting_suggestions', 'GET'],
  page: ['/login', 'GET'],
  description: ['/openapi.json', 'GET'],
  unknown: ['/12/nothing', 'GET'],
} as const;
const statuses = async () => {
  const found: Record<string, number> = {};
  for (const [name, [path, method]] of Object.entries(REQUESTS)) found[name] = await status(path, method);
  return found;
};
const MISDIRECTED = Object.fromEntries(Object.keys(REQUESTS).map((name) => [name, 421]));
const SEARCHES = { estimate: 401, insights: 401, suggestions: 401 };
const OTHERS = { page: 200, description: 200, unknown: 404 };
const USUAL = ['clock', 'database', 'disk', 'schema', 'shutdown'];

describe('a server with the role', () => {
  for (const [role, answered, checked] of [
    ['api', { api: 401, ...OTHERS }, ['media', 'nonces']],
    ['stream', { stream: 401 }, ['nonces']],
    ['search', SEARCHES, ['nonces']],
    ['api,search', { api: 401, ...SEARCHES, ...OTHERS }, ['media', 'nonces']],
    ['worker,stream', { stream: 401 }, ['nonces']],
    ['all', { api: 401, stream: 401, ...SEARCHES, ...OTHERS }, ['media', 'nonces']],
  ] as const) {
    test(`${role} answers what belongs to it, and tells the balancer of all else`, async () => {
      const service = await start(role);
      try {
        assert.deepEqual(await statuses(), { ...MISDIRECTED, ...answered });
        await untilReady(operations);
        assert.deepEqual(await checks(), [...USUAL, ...checked].sort());
      } finally {
        await service.close();
      }
    });
  }

  test('worker has no listeners but that of probes and metrics', async () => {
    const service = await start('worker');
    try {
      await assert.rejects(answer('/'), { code: 'ECONNREFUSED' });
      assert.deepEqual(await checks(), USUAL);
      assert.match((await answer('/metrics', 'GET', operations)).text, /^barker_nodes_alive 1$/m);
      assert.equal(service.services.pageUrl('production', '/x'), `${origin}/x`);
    } finally {
      await service.close();
    }
  });

  test('stream refuses others in words, and closes their connection', async () => {
    const service = await start('stream');
    try {
      const { headers, text } = await answer('/12/accounts');
      assert.equal(headers.connection, 'close');
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.deepEqual(JSON.parse(text), {
        errors: [
          { code: 'MISDIRECTED_REQUEST', message: 'This server does not answer this path: its role is another one' },
        ],
      });
    } finally {
      await service.close();
    }
  });
});

describe('background work', () => {
  const KIND = 'cache-change-expiry';
  const EVENT: NewEvent = { event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: '{}' };

  /** What a server leaves undone of a due job and an event, after several times the interval of looking for them. */
  async function left(role: string): Promise<unknown> {
    const service = await start(role);
    const { store, clock, node } = service;
    try {
      const run_at = formatInstant(clock.now() - 60_000);
      await store.write(async (tx) => {
        await tx.jobs.plan({ kind: KIND, key: 'all', run_at });
        await tx.events.append([EVENT], run_at);
      });
      const isLeft = async () => {
        const [job, event] = await Promise.all([
          store.read((tx) => tx.jobs.find(KIND, 'all')),
          store.read((tx) => tx.events.findOldestWaiting()),
        ]);
        return { job: job === run_at, event: event !== undefined };
      };
      if (role.includes('worker')) {
        await until('the worker has done both', async () => !Object.values(await isLeft()).includes(true));
      }
      // Also without one the node has heartbeats, and leases nothing.
      let beats = 0;
      for (let age_s = 0; beats < 2; await wait(50)) {
        const now_s = node.heartbeats!.age_s();
        if (now_s < age_s) beats += 1;
        age_s = now_s;
      }
      return await isLeft();
    } finally {
      await service.close();
    }
  }

  test('is done by workers alone, also what others left', async () => {
    assert.deepEqual(await left('api,stream,search'), { job: true, event: true });
    assert.deepEqual(await left('worker'), { job: false, event: false });
  });
});
