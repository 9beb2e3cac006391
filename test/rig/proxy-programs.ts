import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { Agent, buildConnector } from 'undici';
import { PATIENCE_MS } from './patience.ts';

/** A proxy with one of our configurations, on ports of its own. */
export interface RunningProxy {
  readonly port: number;
  readonly plainPort: number;
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
  let text = '';
  for await (const chunk of token.reply) text += chunk;
  assert.equal(token.status, 200, text);
  const authorization = `Bearer ${JSON.parse(text).access_token}`;
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
