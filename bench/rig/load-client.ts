import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import type { LoadPlan, LoadResult } from './load.ts';

/**
 * A load generator in a process of its own: signs its requests first, each with its own nonce, then keeps every
 * connection busy with one request at a time. It does as little as possible per reply, so that the server is what is
 * measured.
 */
process.once('message', async (plan: LoadPlan) => {
  const requests = build(plan);
  process.send!('ready');
  await new Promise((resolve) => process.once('message', resolve));
  process.send!(await fire(plan, requests));
  process.disconnect();
});

function build(plan: LoadPlan): Buffer[] {
  const { host } = new URL(plan.origin);
  return Array.from({ length: plan.requests }, (_, index) => {
    const path = plan.paths[index % plan.paths.length]!;
    const form = plan.form?.map(([name, value]) => [name, value.replace('#', String(index))] as const);
    const body = form === undefined ? '' : new URLSearchParams(form as unknown as [string, string][]).toString();
    const lines = [`${plan.method} ${path} HTTP/1.1`, `host: ${host}`, ...authorization(plan, path, form)];
    if (form) lines.push('content-type: application/x-www-form-urlencoded', `content-length: ${body.length}`);
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

function authorization(
  plan: LoadPlan,
  path: string,
  form: readonly (readonly [string, string])[] | undefined,
): string[] {
  const { keys } = plan;
  if (!keys) return [`authorization: ${plan.authorization ?? 'none'}`];
  const oauth = {
    oauth_consumer_key: keys.consumer_key,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    oauth_token: keys.access_token,
    oauth_version: '1.0',
  };
  const url = plan.origin + path;
  const { header } = sign({
    method: plan.method,
    url,
    form,
    oauth,
    consumerSecret: keys.consumer_secret,
    tokenSecret: keys.access_token_secret,
  });
  return [`authorization: ${header}`];
}

async function fire(plan: LoadPlan, requests: readonly Buffer[]): Promise<LoadResult> {
  let next = 0;
  let completed = 0;
  let refused = 0;
  let firstRefusal = '';
  const latencies: number[] = [];
  const { hostname, port } = new URL(plan.origin);
  const startedAt = performance.now();
  const deadline = startedAt + plan.seconds * 1000;

  const oneConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      let sentAt = 0;
      let missing = 0;
      let pending = '';
      const send = () => {
        if (next >= requests.length || performance.now() >= deadline) {
          socket.destroy();
          resolve();
          return;
        }
        sentAt = performance.now();
        socket.write(requests[next++]!);
      };
      const finished = () => {
        completed += 1;
        latencies.push(performance.now() - sentAt);
        send();
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        if (missing > 0) {
          missing -= chunk.length;
          if (missing === 0) finished();
          return;
        }
        // A head may come in pieces; bodies are counted, not read.
        const text = pending + chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) {
          pending = text;
          return;
        }
        pending = '';
        if (!text.startsWith('HTTP/1.1 200')) {
          refused += 1;
          firstRefusal ||= text.slice(0, 2000);
        }
        const lengthAt = text.toLowerCase().indexOf('content-length: ') + 16;
        const length = Number.parseInt(text.slice(lengthAt, lengthAt + 12), 10);
        missing = end + 4 + length - text.length;
        if (missing === 0) finished();
      });
    });
  await Promise.all(Array.from({ length: plan.connections }, oneConnection));
  const elapsed_s = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: completed / elapsed_s,
    completed,
    refused,
    firstRefusal,
    p50_ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99_ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  };
}
