// On either database: what is tried here is decided before the database is asked.
// Of one node: what the HTTP server of one process answers by itself, and counts.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect as plain, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { connect as secure } from 'node:tls';
import { openLog } from '../../src/http/log.ts';
import { ownHeaders, ownText } from '../rig/foreign-words.ts';
import { checkReply } from '../rig/validation.ts';
import { closeAll, openWorld, type World } from '../rig/world.ts';

interface Said {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: of two families
  readonly body: any;
}

const worlds: Partial<Record<'http' | 'https', World>> = {};
const log: string[] = [];
before(async () => {
  const kept = openLog('info', { write: (line) => void log.push(line) });
  worlds.http = await openWorld({ flags: { access_log: 'failures' }, seams: { log: kept } });
  worlds.https = await openWorld({ flags: { tls: true, access_log: 'failures' }, seams: { log: kept } });
});
after(async () => {
  await closeAll(Object.values(worlds));
});

/** Sends bytes as they are and reads until the service closes. */
async function say(url: string, bytes: string, way: 'as its scheme' | 'plainly' = 'as its scheme'): Promise<Said> {
  const { hostname: host, port, protocol } = new URL(url);
  const to = { host, port: Number(port) };
  const socket: Socket = protocol === 'https:' && way === 'as its scheme' ? secure(to) : plain(to);
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = ownHeaders(new Headers(lines.map((line) => line.split(/: /, 2) as [string, string])));
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(ownText(body)) };
}

/** How the words of each family say it. */
const ADS = (code: string | number, message: string) => ({
  errors: [{ code, message }],
  request: { params: {} },
});
const NUMERIC = (code: number, message: string) => ({ errors: [{ code, message }] });
const [UNREADABLE, EXPECTED] = ['The request is not valid HTTP', 'Only 100-continue can be expected'];
const TOO_LONG = 'The request line and headers have more than 16384 bytes';
const ENCODED = 'Content-Encoding gzip is not supported: send the body as it is';
const CLOSE = 'host: localhost\r\nconnection: close';

const cases: [what: string, bytes: string, status: number, body: unknown][] = [
  ['bytes that are no HTTP', 'hello\r\n\r\n', 400, ADS('INVALID_PARAMETER', UNREADABLE)],
  ['a method that is none', `MIX /12/accounts HTTP/1.1\r\n${CLOSE}\r\n\r\n`, 400, ADS('INVALID_PARAMETER', UNREADABLE)],
  ['the same on a numeric path', `MIX /1.1/x HTTP/1.1\r\n${CLOSE}\r\n\r\n`, 400, NUMERIC(44, `${UNREADABLE}.`)],
  ['a version that is none', `GET /12 HTTP/9.9\r\n${CLOSE}\r\n\r\n`, 400, ADS('INVALID_PARAMETER', UNREADABLE)],
  ['a header without a name', `GET /12 HTTP/1.1\r\n: x\r\n${CLOSE}\r\n\r\n`, 400, ADS('INVALID_PARAMETER', UNREADABLE)],
  [
    'two lengths',
    `POST /12/accounts HTTP/1.1\r\n${CLOSE}\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'a length and chunks',
    `POST /12/accounts HTTP/1.1\r\n${CLOSE}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'chunks that are not the last coding',
    `POST /12/accounts HTTP/1.1\r\n${CLOSE}\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'a length with a sign',
    `POST /12/accounts HTTP/1.1\r\n${CLOSE}\r\ncontent-length: +1\r\n\r\na`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'a blank before the colon',
    `POST /12/accounts HTTP/1.1\r\n${CLOSE}\r\ncontent-length : 1\r\n\r\na`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'a header that is folded',
    `GET /12/accounts HTTP/1.1\r\n${CLOSE}\r\nx: y\r\n z\r\n\r\n`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  ['two hosts', `GET /12/accounts HTTP/1.1\r\nhost: a\r\n${CLOSE}\r\n\r\n`, 400, ADS('INVALID_PARAMETER', UNREADABLE)],
  [
    'the same host twice',
    `GET /12/accounts HTTP/1.1\r\nHOST: localhost\r\n${CLOSE}\r\n\r\n`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  ...['a@b', 'a b', 'a/b', 'a,b', ''].map((host): [string, string, number, unknown] => [
    `the host ${host || 'of no letter'}`,
    `GET /12/accounts HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ]),
  ['no host', 'GET /12/accounts HTTP/1.1\r\nconnection: close\r\n\r\n', 400, ADS('INVALID_PARAMETER', UNREADABLE)],
  [
    'no host on a numeric path',
    'POST /oauth2/token HTTP/1.1\r\nconnection: close\r\n\r\n',
    400,
    NUMERIC(44, `${UNREADABLE}.`),
  ],
  [
    'a head of 20 KiB',
    `GET /12/accounts HTTP/1.1\r\n${CLOSE}\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    431,
    ADS('INVALID_PARAMETER', TOO_LONG),
  ],
  [
    'a head of 300 KiB',
    `GET /12/accounts HTTP/1.1\r\n${CLOSE}\r\nx: ${'y'.repeat(300_000)}\r\n\r\n`,
    431,
    ADS('INVALID_PARAMETER', TOO_LONG),
  ],
  [
    '3,000 ids on a numeric path',
    `GET /1.1/users/show.json?ids=${'abc12,'.repeat(3000)} HTTP/1.1\r\n${CLOSE}\r\n\r\n`,
    431,
    NUMERIC(44, `${TOO_LONG}.`),
  ],
  [
    'the host of a target with a user',
    `GET http://a@b/12/accounts HTTP/1.1\r\n${CLOSE}\r\n\r\n`,
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'a target with a host, but no header with it',
    'GET http://localhost/12/accounts HTTP/1.1\r\nconnection: close\r\n\r\n',
    400,
    ADS('INVALID_PARAMETER', UNREADABLE),
  ],
  [
    'an encoded body',
    `POST /12/accounts HTTP/1.1\r\n${CLOSE}\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nab`,
    415,
    ADS('INVALID_PARAMETER', ENCODED),
  ],
  [
    'encoded chunks on a numeric path',
    `POST /oauth2/token HTTP/1.1\r\n${CLOSE}\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
    415,
    NUMERIC(44, `${ENCODED}.`),
  ],
  [
    'an expectation',
    `GET /12/accounts HTTP/1.1\r\n${CLOSE}\r\nexpect: wonders\r\n\r\n`,
    417,
    ADS('INVALID_PARAMETER', EXPECTED),
  ],
  [
    'an expectation on a numeric path',
    `POST /oauth2/token HTTP/1.1\r\n${CLOSE}\r\nexpect: wonders\r\n\r\n`,
    417,
    NUMERIC(44, `${EXPECTED}.`),
  ],
];

for (const scheme of ['http', 'https'] as const) {
  describe(`bytes that are no request, over ${scheme}`, () => {
    for (const [what, bytes, status, body] of cases) {
      test(`${what} is answered in the format of the API`, async () => {
        const said = await say(worlds[scheme]!.service.url, bytes);
        assert.deepEqual(said.body, body);
        assert.equal(said.status, status);
        assert.equal(said.headers.get('accept-encoding'), status === 415 ? 'identity' : null);
        assert.equal(said.headers.get('connection'), 'close');
        assert.match(said.headers.get('x-transaction-id')!, /^[0-9a-f]{16}$/);
        assert.match(said.headers.get('content-type')!, /^application\/json; ?charset=utf-8$/);
        assert.ok(said.headers.has('date'));
        assert.equal(said.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(said.headers.has('strict-transport-security'), scheme === 'https');
        const path = /^\w+ (\/[^\s?]*)/.exec(bytes)?.[1] ?? '/';
        checkReply('GET', path, status, said.headers, JSON.stringify(said.body));
      });
    }

    test('each is counted, and has a line in the log', async () => {
      const { service } = worlds[scheme]!;
      const countOf = async (): Promise<number> => {
        const metrics = await (await fetch(`${service.operationsUrl}/metrics`)).text();
        return Number(/^barker_unrouted_total\{status="400"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
      };
      const before = await countOf();
      const { headers } = await say(service.sandboxUrl, 'hello\r\n\r\n');
      assert.equal(await countOf(), before + 1);
      const line = log.find((each) => each.includes(headers.get('x-transaction-id')!));
      assert.match(line!, /"status":400,"message":"unreadable request"/);
    });

    for (const [what, authorization, status, code] of [
      ['a request that waits for them', 'authorization: OAuth oauth_consumer_key="x"\r\n', 400, 'INVALID_PARAMETER'],
      ['a request that was answered before', '', 405, 'METHOD_NOT_ALLOWED'],
    ] as const) {
      test(`broken chunks after ${what} get one reply and end the connection`, async () => {
        const head = `POST /12/accounts HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n${authorization}`;
        const { service } = worlds[scheme]!;
        const form = 'content-type: application/x-www-form-urlencoded\r\n\r\n';
        const said = await say(status === 405 ? service.url : service.sandboxUrl, `${head}${form}zz\r\n`);
        assert.equal(said.status, status);
        assert.equal(said.body.errors[0].code, code);
      });
    }
  });
}

test('HTTP/1.0 needs no host, and is refused for its missing credential', async () => {
  const { status, body } = await say(worlds.https!.service.url, 'GET /12/accounts HTTP/1.0\r\n\r\n');
  assert.equal(status, 401);
  assert.equal(body.errors[0].code, 'UNAUTHORIZED_ACCESS');
});

describe('plain HTTP on a TLS port', () => {
  for (const [path, body] of [
    ['/12/accounts', ADS(92, 'SSL is required')],
    ['/oauth/request_token', ADS(92, 'SSL is required')],
  ] as const) {
    test(`is refused on ${path}, and is not logged`, async () => {
      const lines = log.length;
      const said = await say(worlds.https!.service.url, `GET ${path} HTTP/1.1\r\n${CLOSE}\r\n\r\n`, 'plainly');
      assert.equal(said.status, 403);
      assert.deepEqual(said.body, body);
      assert.equal(said.headers.get('strict-transport-security'), null);
      assert.equal(log.length, lines);
    });
  }

  test('bytes that are neither are cut off without a reply', async () => {
    const { hostname: host, port } = new URL(worlds.https!.service.url);
    const lines = log.length;
    const socket = plain({ host, port: Number(port) });
    socket.write(Buffer.from('0123456789'.repeat(10)));
    const [last] = await Promise.race([once(socket, 'close'), once(socket, 'error')]);
    assert.ok(last !== undefined);
    assert.equal(log.length, lines);
    assert.equal((await fetch(`${worlds.https!.service.url}/livez`)).status, 200);
  });
});

test('a request that does not arrive in time gets 408', async () => {
  const { hostname: host, port } = new URL(worlds.http!.service.url);
  const socket = plain({ host, port: Number(port) });
  // Node looks for late requests every half minute; here it is told at once that it has found one.
  const found = new Promise<void>((done) => {
    const look = (message: unknown): void => {
      const { request, server } = message as { request: IncomingMessage; server: Server };
      if (request.url !== '/livez?late') return;
      unsubscribe('http.server.request.start', look);
      request.socket.once('data', () => {
        const late = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
        for (let looks = 0; looks < 2; looks++) server.emit('clientError', late, request.socket);
        done();
      });
    };
    subscribe('http.server.request.start', look);
  });
  socket.write('GET /livez?late HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(socket, 'data');
  socket.write('GET /12/acc');
  await found;
  const [head = '', body = ''] = ownText(await text(socket)).split('\r\n\r\n', 2);
  assert.match(head, /^HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\n/);
  assert.deepEqual(JSON.parse(body), ADS('CANCELLED_REQUEST', 'The request did not arrive in time'));
  checkReply('GET', '/', 408, new Headers(), body);
});
