import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, maxHeaderSize, request as plainRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { problem } from '../../src/contract/problems/problems.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { errorReply } from '../../src/http/error-reply.ts';
import { JSON_TYPES, PROBLEM_TYPE } from '../../src/http/reply.ts';
import { familyOf } from '../../src/http/send-error.ts';
import { PATIENCE_MS } from './patience.ts';

/** A proxy with one of our configurations, on ports of its own. */
export interface RunningProxy {
  readonly port: number;
  readonly plainPort: number;
  /** What it has written to standard error. */
  said(): string;
  stop(): Promise<void>;
}

/** The text of a sample, with the ports and files of a test in the place of those that it names. */
export function sample(file: string, changes: readonly (readonly [from: string | RegExp, to: string])[]): string {
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of changes) {
    const changed = text.replaceAll(from, to);
    assert.notEqual(changed, text, `${file} has no ${from}`);
    text = changed;
  }
  return text;
}

/** Starts a proxy, and waits until it takes connections. */
export async function startProxy(
  program: string,
  args: readonly string[],
  { port, plainPort, env }: { readonly port: number; readonly plainPort: number; readonly env?: NodeJS.ProcessEnv },
): Promise<RunningProxy> {
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: env ?? process.env });
  let said = '';
  let hasEnded = false;
  child.stderr!.on('data', (chunk) => (said += chunk));
  const ended = new Promise<void>((done) => {
    child.on('error', (error) => {
      said += error.message;
      hasEnded = true;
      done();
    });
    child.on('exit', () => {
      hasEnded = true;
      done();
    });
  });
  const until_ms = performance.now() + PATIENCE_MS;
  while ((await plainStatus(plainPort, '/')) === undefined) {
    assert.ok(!hasEnded, `${program} ended: ${said}`);
    assert.ok(performance.now() < until_ms, `${program} does not answer: ${said}`);
  }
  return {
    port,
    plainPort,
    said: () => said,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The status of a reply over plain HTTP; undefined if there is none. */
export function plainStatus(port: number, path: string): Promise<number | undefined> {
  return new Promise((done) => {
    const headers = { host: 'ads.example.org' };
    const asking = plainRequest({ host: '127.0.0.1', port, path, headers, agent: false }, (reply) => {
      reply.resume();
      done(reply.statusCode);
    });
    asking.on('error', () => done(undefined));
    asking.end();
  });
}

/**
 * Asks for what an ACME client proves over plain HTTP, which a stand-in for the client answers at the port. Fails when
 * its answer does not come through.
 */
export async function readChallenge({ plainPort }: RunningProxy, clientPort: number): Promise<void> {
  const path = '/.well-known/acme-challenge/LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0';
  const client = createServer((request, response) => response.end(`${request.url}.thumbprint`));
  client.listen(clientPort, '127.0.0.1');
  await once(client, 'listening');
  try {
    const asking = plainRequest({
      ...{ host: '127.0.0.1', port: plainPort, path, agent: false },
      headers: { host: 'ads.example.org' },
    });
    asking.end();
    const [reply] = await once(asking, 'response');
    assert.deepEqual([reply.statusCode, await text(reply)], [200, `${path}.thumbprint`]);
  } finally {
    client.close();
  }
}

const CONTENT_TYPES = {
  ads: JSON_TYPES.ads,
  numeric: JSON_TYPES.others,
  flat: JSON_TYPES.others,
  problem: PROBLEM_TYPE,
};
const plainType = (type: unknown): string => String(type).replaceAll(' ', '');

/** A reply that was read. */
interface ReadReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Fails unless a reply refuses a call for now, in the form that the service gives errors of that path. */
export function assertUnavailable(path: string, reply: ReadReply): void {
  assertError(path, reply, new StoreUnavailable(new Error('away')), '1');
}

/** Fails unless a reply is what the service answers on that path because of an error, with this `retry-after`. */
export function assertError(path: string, reply: ReadReply, error: Error, retryAfter: string | null = null): void {
  const family = familyOf(path);
  const expected = errorReply(error, family, '{}', { base: () => '' });
  const { status, headers, text: body } = reply;
  assert.deepEqual(
    { status, body, retry: headers.get('retry-after'), type: plainType(headers.get('content-type')) },
    { ...expected, retry: retryAfter, type: plainType(CONTENT_TYPES[family]) },
    path,
  );
}

/** One path for each form of errors. */
export const FORMS = ['/12/accounts', '/1.1/account/settings.json', '/2/users'] as const;

/** Fails unless a proxy without a server refuses calls as the service does without its database. */
export async function assertAllUnavailable(proxy: RunningProxy, ca: string): Promise<void> {
  for (const path of [...FORMS, '/oauth/request_token', '/2/activity/stream'])
    assertUnavailable(path, await readThrough(proxy, ca, path));
}

/** Sends a request as `askThrough` does, and reads the reply. */
export async function readThrough(...of: Parameters<typeof askThrough>): Promise<ReadReply> {
  const { status, reply, headers } = await askThrough(...of);
  return { status, headers: new Headers(headers as Record<string, string>), text: await text(reply) };
}

/** Fails unless the service itself refuses heads that are longer than it reads, though the proxy could. */
export async function refuseLongHead(proxy: RunningProxy, ca: string): Promise<void> {
  for (const path of FORMS) {
    const reply = await readThrough(proxy, ca, path, { headers: { cookie: 'x'.repeat(20_000) } });
    assertError(path, reply, problem('HEAD_TOO_LARGE', { words: { max: maxHeaderSize } }));
  }
}

/** Sends bytes that need not be a request to production through a proxy, and reads the reply. */
export async function sendBytes({ port }: RunningProxy, ca: string, bytes: string): Promise<ReadReply> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'ads.example.org', ca });
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, text: body };
}

/** In the place of a server: breaks off each connection at its first request, or never answers if its query is `silent`. */
export async function openBrokenServer(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (bytes) => String(bytes).split('\r\n', 1)[0]!.includes('?silent') || socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Lets every name lead to a proxy, as the names of a service do. */
export function agentTo({ port }: RunningProxy, ca: string, options: Agent.Options = {}): Agent {
  const connect = buildConnector({ ca });
  return new Agent({
    ...options,
    connect: (to, done) => connect({ ...to, hostname: '127.0.0.1', port: String(port), servername: to.hostname }, done),
  });
}

/** A reply whose body has yet to be read. */
export interface OpenReply {
  readonly status: number;
  readonly reply: AsyncIterable<Buffer> & { destroy(): void };
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends a request to production through a proxy, as it is told. */
export function askThrough(
  { port }: RunningProxy,
  ca: string,
  path: string,
  options: RequestOptions = {},
  body = '',
): Promise<OpenReply> {
  return new Promise((done, failed) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port, servername: 'ads.example.org', path, ca, agent: false },
        ...options,
        headers: { host: 'ads.example.org', ...options.headers },
      },
      (reply) => done({ status: reply.statusCode!, reply, headers: reply.headers }),
    );
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}

/** Opens a stream through a proxy, and reads what keeps it alive. Fails when it does not come as it is sent. */
export async function readKeepAlives(proxy: RunningProxy, ca: string, key: string, secret: string): Promise<void> {
  const basic = Buffer.from(`${key}:${secret}`).toString('base64');
  const type = 'application/x-www-form-urlencoded';
  const headers = { authorization: `Basic ${basic}`, 'content-type': type };
  const token = await askThrough(
    proxy,
    ca,
    '/oauth2/token',
    { method: 'POST', headers },
    'grant_type=client_credentials',
  );
  const issued = await text(token.reply);
  assert.equal(token.status, 200, issued);
  const authorization = `Bearer ${JSON.parse(issued).access_token}`;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const stream = await askThrough(proxy, ca, '/2/activity/stream', { headers: { authorization }, signal });
  assert.equal(stream.status, 200);
  let lines = 0;
  for await (const chunk of stream.reply) {
    assert.equal(chunk.toString(), '\r\n');
    if (++lines === 3) break;
  }
  stream.reply.destroy();
}
