// On either database: what is tried here is decided before the database is asked.
// Of one node: behind a balancer, an address is configured, and the host of a request says nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol, type Reply, read } from '../rig/client.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
let instrument: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ({ path, instrument } = await openAccount(world.sandbox));
});
after(() => world.close());

const batch = (...items: unknown[]) =>
  world.sandbox.call('POST', path.replace('/12/', '/12/batch/').concat('/campaigns'), { json: items });

describe('an operation of a batch is named by a word', () => {
  const params = () => ({ name: 'A', funding_instrument_id: instrument, entity_status: 'PAUSED' });
  for (const [what, word, shown] of [
    ['an object that says it is text', { toString: 1 }, '{"toString":1}'],
    ['a list of a word', ['Create'], '["Create"]'],
    ['a number', 1, '1'],
  ] as const) {
    test(`and not by ${what}`, async () => {
      const { status, body } = await batch({ operation_type: word, params: params() });
      assert.equal(status, 400);
      assert.equal(
        body.operation_errors[0][0].message,
        `Expected a value in Create, Delete, Update, got "${shown}" for operation_type`,
      );
    });
  }
});

/** A form sent as these bytes, signed as this text. */
async function sendForm(bytes: Buffer, signedAs: readonly (readonly [string, string])[]): Promise<Reply> {
  const url = world.service.sandboxUrl + path;
  const { header } = sign({
    method: 'PUT',
    url,
    form: signedAs,
    oauth: protocol(world.keys, world.clock),
    consumerSecret: world.keys.consumer_secret,
    tokenSecret: world.keys.access_token_secret,
  });
  const headers = { authorization: header, 'content-type': 'application/x-www-form-urlencoded' };
  return read(await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) }));
}

describe('a form', () => {
  test('must be UTF-8', async () => {
    const { status } = await sendForm(Buffer.from('name=a\xff', 'latin1'), [['name', 'a\ufffd']]);
    assert.equal(status, 401);
    assert.equal((await sendForm(Buffer.from('name=a\ufffd'), [['name', 'a\ufffd']])).status, 200);
  });

  test('has 2,000 pairs at most: more are not read', async () => {
    const pairs = (count: number) => Array.from({ length: count }, () => ['a', ''] as const);
    assert.equal((await sendForm(Buffer.from('a&'.repeat(2000)), pairs(2000))).status, 200);
    assert.equal((await sendForm(Buffer.from('a&'.repeat(2001)), pairs(2001))).status, 401);
  });

  test('whose sender disconnects is not an internal error', async () => {
    const { hostname, port, host } = new URL(world.service.sandboxUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    // The first form of a connection reaches nobody until it is complete.
    socket.write(`GET /login HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await once(socket, 'data');
    const type = 'content-type: application/x-www-form-urlencoded';
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: ${host}\r\n${type}\r\ncontent-length: 50\r\n\r\nna`);
    const probe = async (): Promise<string> => (await fetch(`${world.service.operationsUrl}/metrics`)).text();
    // The head has been read once another request is answered; the end of the connection is noticed by itself.
    await probe();
    socket.destroy();
    const gone = /^barker_request_duration_seconds_count\{.*operation="accounts.update".*status="408"\} 1$/m;
    let metrics = '';
    for (let look = 0; look < 500 && !gone.test(metrics); look++) metrics = await probe();
    assert.match(metrics, gone);
    assert.doesNotMatch(metrics, /status="5\d\d"/);
  });
});

/** Sends requests in one packet, each signed for its host and path; the last closes the connection. */
async function inOnePacket(
  requests: readonly (readonly [method: string, target: string, more?: string, version?: string])[],
  signedFor = world.service.sandboxUrl,
): Promise<{ status: number; body: string }[]> {
  const { hostname, port } = new URL(world.service.sandboxUrl);
  const bytes = requests.map(([method, target, more = '', version = '1.1'], at) => {
    const { keys, clock } = world;
    const { header } = sign({
      ...{ method, url: signedFor + target.replace(/^https?:..[^/]*/, ''), form: undefined },
      ...{ oauth: protocol(keys, clock), consumerSecret: keys.consumer_secret },
      tokenSecret: keys.access_token_secret,
    });
    const last = at === requests.length - 1 ? 'connection: close\r\n' : '';
    return `${method} ${target} HTTP/${version}\r\n${more}authorization: ${header}\r\n${last}\r\n`;
  });
  const socket = connect(Number(port), hostname);
  socket.write(bytes.join(''));
  const replies = (await text(socket)).split(/(?=HTTP\/1\.1 \d)/);
  return replies.map((reply) => ({
    status: Number(reply.split(' ', 2)[1]),
    body: reply.slice(reply.indexOf('\r\n\r\n')),
  }));
}

describe('requests of one connection that wait for each other', () => {
  test('read what was changed before them, and not what is changed after', async () => {
    const made = await world.sandbox.call('POST', `${path}/campaigns`, {
      params: { name: 'old', funding_instrument_id: instrument, entity_status: 'PAUSED' },
    });
    const target = `${path}/campaigns/${made.body.data.id}`;
    const { host } = new URL(world.service.sandboxUrl);
    const named = (name: string) =>
      ['PUT', `${target}?name=${name}`, `host: ${host}\r\ncontent-length: 0\r\n`] as const;
    const reading = ['GET', target, `host: ${host}\r\n`] as const;
    // The first is being answered when the others arrive, and then each kind waits behind each.
    const order = [reading, reading, named('A'), reading, reading, named('B'), named('C'), reading];
    const replies = await inOnePacket(order);
    assert.deepEqual(
      replies.map(({ body }) => /"(old|[A-D])"/.exec(body)?.[1]),
      ['old', 'old', 'A', 'A', 'A', 'B', 'C', 'C'],
    );
    const first = await inOnePacket([named('D'), reading]);
    assert.deepEqual(
      first.map(({ body }) => /"(old|[A-D])"/.exec(body)?.[1]),
      ['D', 'D'],
    );
  });
});

describe('the host of a request', () => {
  test('is that of a target that has one, whatever the header says', async () => {
    const { host, port } = new URL(world.service.sandboxUrl);
    const named = `http://name.localhost:${port}`;
    const [asSigned] = await inOnePacket([['GET', `${named}${path}`, `host: ${host}\r\n`]], named);
    assert.equal(asSigned!.status, 200, asSigned!.body);
    const [asHeader] = await inOnePacket([['GET', `${named}${path}`, `host: ${host}\r\n`]]);
    assert.equal(asHeader!.status, 401, asHeader!.body);
    const [elsewhere] = await inOnePacket([['GET', `http://ads.example${path}`, `host: ${host}\r\n`]]);
    assert.deepEqual([elsewhere!.status, /SSL is required/.test(elsewhere!.body)], [403, true]);
  });

  test('is the address of the server where HTTP/1.0 names none', async () => {
    for (const target of [path, `${world.service.sandboxUrl}${path}`]) {
      const [reply] = await inOnePacket([['GET', target, '', '1.0']]);
      assert.equal(reply!.status, 200, reply!.body);
    }
  });
});

describe('letters that only look like others', () => {
  test('a Kelvin sign is not the k of an id', async () => {
    const { status, body } = await world.sandbox.call('GET', `${path}/campaigns/${encodeURIComponent('\u212a')}`);
    assert.equal(status, 404);
    assert.equal(body.errors[0].code, 'INVALID_ID_ILLEGAL_CHARACTERS');
  });

  test('the last code point is a letter like any other behind a prefix', async () => {
    const params = { name: 'zq\u{10ffff}\u{10ffff}b', funding_instrument_id: instrument, entity_status: 'PAUSED' };
    await world.sandbox.call('POST', `${path}/campaigns`, { params });
    const { body } = await world.sandbox.call('GET', `${path}/campaigns`, { params: { q: 'ZQ' } });
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      [params.name],
    );
  });
});

test('a path of the version with a query is of the version', async () => {
  const { body } = await world.sandbox.call('GET', '/12?x=1');
  assert.equal(body.errors[0].message, 'The requested resource could not be found');
});
