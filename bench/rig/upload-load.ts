import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { systemClock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../../test/rig/client.ts';
import { type Keys, said } from './load.ts';

/** Uploads of people to send: all of the same size, and no two with an identifier in common. */
export interface UploadPlan {
  readonly origin: string;
  readonly path: string;
  readonly keys: Keys;
  readonly bytes: number;
  readonly connections: number;
  readonly seconds: number;
  /** On all connections together; as many as are answered when left out. */
  readonly perSecond?: number;
}

/** What came of them. */
export interface UploadResult {
  readonly acknowledged: number;
  /** In all of them together. */
  readonly identifiers: number;
  readonly perSecond: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Uploads from a process of its own; every reply must be 200. */
export async function uploadLoad(plan: UploadPlan): Promise<UploadResult> {
  const client = fork(new URL('./upload-client.ts', import.meta.url));
  client.send(plan);
  await said(client);
  client.send('go');
  return (await said(client)) as UploadResult;
}

/** Sends a signed GET again and again at a pace, whatever the replies take, until it is stopped; tells how long they took. */
export function pacedGets(
  origin: string,
  path: string,
  keys: Keys,
  every_ms: number,
): { stop(): Promise<readonly number[]> } {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  const under = new Set<Promise<void>>();
  const send = (): void => {
    const one = get(agent, origin + path, keys).then((ms) => void latencies.push(ms));
    under.add(one);
    one.finally(() => under.delete(one));
  };
  const timer = setInterval(send, every_ms);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
      agent.destroy();
      return latencies.sort((a, b) => a - b);
    },
  };
}

function get(agent: Agent, url: string, keys: Keys): Promise<number> {
  const { header: authorization } = sign({
    method: 'GET',
    url,
    form: undefined,
    oauth: protocol(keys, systemClock),
    consumerSecret: keys.consumer_secret,
    tokenSecret: keys.access_token_secret,
  });
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, headers: { authorization } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`${url} answered ${reply.statusCode}`));
      reply.resume();
      reply.on('end', () => resolve(performance.now() - sentAt));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
