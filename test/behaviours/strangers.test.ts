// On either database: what is tried here is decided before the database is asked.
// Of one node: what one server holds for strangers, and how it ends their connections.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { openLog } from '../../src/http/log.ts';
import { type Keys, protocol } from '../rig/client.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { halfSent, type Stranger, stranger } from '../rig/strangers.ts';
import { closeAll, openAccount, openWorld, type World } from '../rig/world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MIB = 1_048_576;

const worlds: World[] = [];
after(() => closeAll(worlds));
async function open(flags: Record<string, unknown>, seams = {}): Promise<World> {
  const world = await openWorld({ flags, seams });
  worlds.push(world);
  return world;
}

async function metric(world: World, name: string): Promise<number> {
  const text = await (await fetch(`${world.service.operationsUrl}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );
}

/** Waits until a metric has reached a value. */
async function metricUntil(world: World, name: string, isReached: (value: number) => boolean): Promise<number> {
  let value = Number.NaN;
  await until(
    () => `${name} reaches its value: it is ${value}`,
    async () => {
      value = await metric(world, name);
      return isReached(value);
    },
  );
  return value;
}

function signed(url: string, method: string, keys: Keys, clock: Clock): { readonly header: string } {
  return sign({
    ...{ method, url, form: undefined, oauth: protocol(keys, clock) },
    ...{ consumerSecret: keys.consumer_secret, tokenSecret: keys.access_token_secret },
  });
}

/** Connections from an address, each kept open after a signed request on it. */
async function authenticated(world: World, from: string, count: number): Promise<Stranger[]> {
  const { keys, clock, service } = world;
  return Promise.all(
    Array.from({ length: count }, async () => {
      const url = `${service.sandboxUrl}/12/accounts`;
      const { header } = signed(url, 'GET', keys, clock);
      const { host } = new URL(url);
      const head = `GET /12/accounts HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${header}\r\n\r\n`;
      const one = await stranger(service.sandboxUrl, head, from);
      assert.equal(await one.answer(), 200);
      return one;
    }),
  );
}

const endAll = (strangers: readonly Stranger[]): void => {
  for (const { socket } of strangers) socket.destroy();
};

describe('forms of unknown senders', () => {
  test('have at most 64 KiB; with a token in use more', async () => {
    const world = await open({});
    const form = (bytes: number) => `text=${'a'.repeat(bytes)}`;
    const call = (body: string, more = {}) =>
      rawCall(world.service.sandboxUrl, world.clock, {
        method: 'POST',
        target: '/12/accounts',
        headers: FORM,
        body,
        ...more,
      });
    const large = form(65_537);
    assert.equal((await call(form(60_000))).status, 401);
    const refused = await call(large);
    assert.equal(refused.status, 413);
    assert.equal(refused.body.errors[0].message, 'The request body has more than 65536 bytes');
    assert.equal((await call(large, { keys: { ...world.keys, access_token: 'nobody' } })).status, 413);
    assert.equal((await call(large, { keys: world.keys, skew_s: 4000 })).status, 413);
    for (const unusable of ['isUserSuspended', 'isUserLocked', 'isApplicationSuspended', 'isRevoked']) {
      const keys = await register(world, { [unusable]: true });
      assert.equal((await call(large, { keys })).status, 413, unusable);
    }
    // Signed for other bytes: the form is read to its end, and refused for the signature.
    const keys = { ...world.keys, access_token_secret: 'wrong' };
    assert.equal((await call(large, { keys })).status, 401);
    assert.notEqual((await call(large, { keys: world.keys })).status, 413);
    for (const keys of [world.keys, undefined]) {
      const { status, body } = await call(form(1_048_577), { keys });
      assert.deepEqual([status, body.errors[0].message], [413, 'The request body has more than 1048576 bytes']);
    }
  });

  test('in chunks are counted as they arrive', async () => {
    const world = await open({});
    const head = halfSent(1, 0).replace('content-length: 1', 'transfer-encoding: chunked');
    const one = await stranger(world.service.url, `${head}${`8000\r\n${'a'.repeat(0x8000)}\r\n`.repeat(3)}`);
    assert.equal(await one.answer(), 413);
    assert.match(one.said(), /"code":44,/);
    one.socket.destroy();
  });

  test('that arrive too slowly are ended in the format of their path; slow but steady ones are not', async () => {
    const world = await open({ request_grace_s: 1, request_bytes_per_s_min: 100 });
    const [numeric, ads, page] = [
      await stranger(world.service.url, halfSent(50_000, 10)),
      await stranger(world.service.url, halfSent(50_000, 10, { target: '/12/accounts/a1/campaigns' })),
      await stranger(world.service.url, halfSent(50_000, 10, { target: '/login' })),
    ];
    const steady = await stranger(world.service.url, halfSent(60_000, 50_000));
    assert.deepEqual([await numeric.answer(), await ads.answer(), await page.answer()], [408, 408, 408]);
    assert.match(
      numeric.said(),
      /connection: close[\s\S]*{"code":44,"message":"The request did not arrive in time."}/i,
    );
    assert.match(ads.said(), /{"code":"CANCELLED_REQUEST","message":"The request did not arrive in time"}/);
    assert.match(page.said(), /This form took too long to arrive/);
    steady.socket.write('a'.repeat(10_000));
    assert.equal(await steady.answer(), 400);
    steady.socket.destroy();
    assert.equal(await metric(world, 'barker_unauthenticated_bodies_ended_total{reason="slow"}'), 3);
  });

  test('take no more than their memory: the oldest is evicted, and one address gets only its share', async () => {
    const world = await open({ unauthenticated_bytes_max: 4 * MIB });
    const crowd: Stranger[] = [];
    // Each counts for 5 KiB and what it has sent: 32 KiB in all, of which 8 are the share of an address.
    const half = halfSent(40_000, 27_648 - halfSent(40_000, 0).length);
    for (let count = 0; count < 200; count++) {
      const from = `127.0.1.${1 + (count % 40)}`;
      crowd.push(await stranger(world.service.url, half, from));
    }
    const ended = await metricUntil(
      world,
      'barker_unauthenticated_bodies_ended_total{reason="memory"}',
      (value) => value >= 72,
    );
    // A connection that asks for the metrics may need a place too.
    assert.ok(ended === 72 || ended === 73, `${ended} ended`);
    assert.ok((await metric(world, 'barker_unauthenticated_bodies')) >= 127);
    assert.ok((await metric(world, 'barker_unauthenticated_bytes')) <= 4 * MIB);
    assert.equal(await crowd[0]!.answer(), 503);
    assert.match(crowd[0]!.said(), /retry-after: 1\r\n[\s\S]*"code":130/i);
    assert.equal(crowd.at(-1)!.said(), '');

    const many: Stranger[] = [];
    for (let count = 0; count < 9; count++) many.push(await stranger(world.service.url, half, '127.0.2.1'));
    assert.equal(await many[8]!.answer(), 429);
    assert.match(many[8]!.said(), /retry-after: 1\r\n[\s\S]*"code":88/i);
    assert.equal(many[7]!.said(), '');
    // Whoever sends at once is served meanwhile.
    const call = { method: 'POST', target: '/12/accounts', headers: FORM, body: 'name=Harbour', keys: world.keys };
    assert.equal((await rawCall(world.service.sandboxUrl, world.clock, call)).status, 200);
    endAll([...crowd, ...many]);
    await metricUntil(world, 'barker_unauthenticated_bytes', (value) => value === 0);
  });

  test('reach the server when they are complete, in whatever pieces they arrive', async () => {
    const world = await open({});
    const head = 'POST /12/nowhere HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n';
    const requests = [
      `${head}content-length: 3\r\n\r\na=b`,
      `${head}transfer-encoding: chunked\r\n\r\n2\r\na=\r\n1\r\nb\r\n0\r\n\r\n`,
    ];
    for (const request of requests) {
      const open: Promise<Stranger>[] = [];
      for (let cut = 1; cut < request.length; cut += 1) {
        open.push(
          stranger(world.service.url, request.slice(0, cut)).then(async (one) => {
            await new Promise(setImmediate);
            one.socket.write(`${request.slice(cut)}GET /12/later HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
            await once(one.socket, 'close');
            return one;
          }),
        );
      }
      for (const one of await Promise.all(open))
        assert.equal(one.said().match(/HTTP\/1.1 404/g)?.length, 2, one.said());
    }
  });

  test('that are cut off do not reach the HTTP server', async () => {
    const world = await open({});
    const one = await stranger(world.service.url, halfSent(3000, 10));
    one.socket.end();
    assert.equal(await one.answer(), 400);
    // The server itself says nothing of a request that ends too early, because whoever reads its body counts it.
    assert.equal(await metric(world, 'barker_unrouted_total{status="400"}'), 1);
  });

  test('sent byte by byte take no more memory than sent at once', async () => {
    const world = await open({});
    const one = await stranger(world.service.url, halfSent(3000, 0));
    one.socket.setNoDelay(true);
    for (let count = 0; count < 300; count++) await new Promise((sent) => one.socket.write('a', sent));
    await metricUntil(world, 'barker_unauthenticated_bytes', (value) => value > 5121);
    assert.ok((await metric(world, 'barker_unauthenticated_bytes')) <= 5120 + 4096);
    one.socket.destroy();
  });
});

describe('bodies of callers who are authenticated', () => {
  const batch = async (world: World): Promise<(length: number, sent: number) => string> => {
    const { account } = await openAccount(world.sandbox);
    const { keys, clock, service } = world;
    const url = `${service.sandboxUrl}/12/batch/accounts/${account}/campaigns`;
    const { host, pathname } = new URL(url);
    return (length, sent) => {
      const { header } = signed(url, 'POST', keys, clock);
      const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${header}\r\ncontent-type: application/json`;
      return `${head}\r\ncontent-length: ${length}\r\n\r\n${' '.repeat(sent)}`;
    };
  };

  test('that arrive too slowly are ended', async () => {
    const world = await open({ request_grace_s: 1, request_bytes_per_s_min: 100 });
    const half = await batch(world);
    const slow = await stranger(world.service.sandboxUrl, half(50_000, 10));
    const steady = await stranger(world.service.sandboxUrl, half(60_000, 50_000));
    assert.equal(await slow.answer(), 408);
    assert.match(slow.said(), /connection: close/i);
    steady.socket.write(' '.repeat(10_000));
    assert.equal(await steady.answer(), 400);
    endAll([slow, steady]);
  });

  test('share a memory, of which one user may hold half', async () => {
    const world = await open({ authenticated_bytes_max: 16 * MIB });
    const half = await batch(world);
    // Their buffers grow by doubling, and have a mebibyte each: there is room for seven.
    const held: Stranger[] = [];
    for (let count = 0; count < 8; count++)
      held.push(await stranger(world.service.sandboxUrl, half(MIB, MIB - 50_000)));
    assert.equal(await Promise.race(held.map((one) => one.answer())), 429);
    const refused = held.filter((one) => one.said() !== '');
    assert.equal(refused.length, 1);
    assert.match(refused[0]!.said(), /retry-after: 1\r\n/i);
    endAll(held);
  });
});

describe('connections', () => {
  test('of one address and in total are limited; more are refused with a reason, and counted', async () => {
    const world = await open({ connections_max: 30, connections_per_address_max: 10 });
    const held: Stranger[] = [];
    const known = await authenticated(world, '127.0.3.1', 10);
    const eleventh = await stranger(world.service.sandboxUrl, '', '127.0.3.1');
    assert.equal(await eleventh.answer(), 429);
    assert.match(
      eleventh.said(),
      /x-content-type-options: nosniff\r\n[\s\S]*retry-after: 1\r\n[\s\S]*TOO_MANY_REQUESTS/,
    );
    for (const from of ['127.0.3.2', '127.0.3.3']) {
      for (let count = 0; count < 10; count++) held.push(await stranger(world.service.url, '', from));
    }
    // Strangers give way: first who has said nothing for longest.
    known.push(...(await authenticated(world, '127.0.3.4', 5)));
    await Promise.all(held.slice(0, 5).map(({ socket }) => socket.closed || once(socket, 'close')));
    assert.ok(held.slice(7).every(({ socket }) => !socket.closed));
    endAll(held);
    await metricUntil(world, 'barker_connections_open', (value) => value <= 16);
    known.push(...(await authenticated(world, '127.0.3.5', 10)));
    known.push(...(await authenticated(world, '127.0.3.6', 5)));
    const last = await stranger(world.service.url, '', '127.0.3.7');
    assert.equal(await last.answer(), 503);
    assert.match(last.said(), /SERVICE_UNAVAILABLE/);
    assert.ok(known.every(({ socket }) => !socket.closed));
    const gone = known.splice(0, 15);
    endAll(gone);
    await Promise.all(gone.map(({ socket }) => socket.closed || once(socket, 'close')));
    await metricUntil(world, 'barker_connections_refused_total{reason="address"}', (value) => value === 1);
    assert.ok((await metric(world, 'barker_connections_refused_total{reason="total"}')) >= 1);
    assert.ok((await metric(world, 'barker_connections_open')) >= 15);
    endAll(known);
  });

  test('without an authenticated request stay open between requests up to a limit; the one idle longest is closed', async () => {
    const world = await open({ unauthenticated_idle_connections_max: 3 });
    const [known] = await authenticated(world, '127.0.3.1', 1);
    const held: Stranger[] = [];
    for (let count = 0; count < 5; count++) {
      held.push(await stranger(world.service.url, 'GET /12/accounts HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'));
      assert.equal(await held[count]!.answer(), 401);
    }
    await Promise.all(held.slice(0, 2).map(({ socket }) => socket.closed || once(socket, 'close')));
    assert.ok([known!, ...held.slice(3)].every(({ socket }) => !socket.closed));
    assert.ok((await metric(world, 'barker_connections_closed_total{reason="idle"}')) >= 2);
    endAll([known!, ...held]);
  });

  test('of a trusted proxy count only in the total', async () => {
    const world = await open({ connections_per_address_max: 3, trusted_proxies: '127.0.3.9' });
    const held: Stranger[] = [];
    for (let count = 0; count < 8; count++) held.push(await stranger(world.service.url, '', '127.0.3.9'));
    held[7]!.socket.write('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n');
    assert.equal(await held[7]!.answer(), 200);
    endAll(held);
  });

  test('without a complete head in time are ended', async () => {
    const world = await open({ request_head_timeout_s: 1 });
    const silent = await stranger(world.service.url, '');
    const half = await stranger(world.service.url, 'GET /12/accounts HTTP/1.1\r\nhost: a\r\n');
    assert.deepEqual([await silent.answer(), await half.answer()], [408, 408]);
  });

  test('whose head arrived in time are answered by a process that stood still meanwhile', async () => {
    const world = await open({ request_head_timeout_s: 1 });
    const fresh = await stranger(world.service.url, '');
    const half = await stranger(
      world.service.url,
      'GET /livez HTTP/1.1\r\nhost: a\r\n\r\nGET /livez HTTP/1.1\r\nhost:',
    );
    assert.equal(await half.answer(), 200);
    fresh.socket.write('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n');
    half.socket.write(' a\r\nconnection: close\r\n\r\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
    await once(half.socket, 'close');
    const statuses = [...half.said().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual([await fresh.answer(), ...statuses], [200, '200', '200']);
    endAll([fresh, half]);
  });

  test('with too many pipelined requests answer a hundred at most, and end', async () => {
    const world = await open({});
    const one = await stranger(world.service.url, 'GET /12/accounts HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(300));
    await once(one.socket, 'close');
    const statuses = [...one.said().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.equal(statuses.at(-1), '429', statuses.join(' '));
    assert.ok(statuses.length <= 102, `${statuses.length} replies`);
    assert.ok(statuses.slice(0, -1).every((status) => status === '401'));
  });
});

describe('behind a trusted proxy', () => {
  test('every line of the log names the caller, not the proxy', async () => {
    const log: string[] = [];
    const world = await open(
      { trusted_proxies: '127.0.0.1,192.0.2.200' },
      { log: openLog('info', { write: (line: string) => void log.push(line) }) },
    );
    const addresses = async (target: string, headers: Record<string, string>): Promise<unknown[]> => {
      const before = log.length;
      await rawCall(world.service.sandboxUrl, world.clock, { method: 'GET', target, headers });
      return log.slice(before).map((line) => JSON.parse(line).address);
    };
    const cases: [forwarded: string, address: string][] = [
      ['192.0.2.7', '192.0.2.7'],
      ['198.51.100.1, 192.0.2.7', '192.0.2.7'],
      ['192.0.2.7, 192.0.2.200', '192.0.2.7'],
      ['192.0.2.7:4711', '192.0.2.7'],
      ['[2001:db8::7]:4711', '2001:db8::7'],
      ['192.0.2.7, nonsense', '127.0.0.1'],
      ['', '127.0.0.1'],
    ];
    for (const [forwarded, address] of cases) {
      for (const target of ['/12/accounts', '/12/nowhere']) {
        assert.deepEqual(
          await addresses(target, { 'x-forwarded-for': forwarded }),
          [address],
          `${forwarded} ${target}`,
        );
      }
    }
    const before = log.length;
    const broken = 'GET /12/accounts HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.8\r\n: x\r\n\r\n';
    const one = await stranger(world.service.url, broken);
    assert.equal(await one.answer(), 400);
    assert.deepEqual(
      log.slice(before).map((line) => JSON.parse(line).address),
      ['192.0.2.8'],
    );
  });
});
