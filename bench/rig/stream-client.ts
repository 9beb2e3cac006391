import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { StreamPlan } from './stream-load.ts';

const [plan] = (await once(process, 'message')) as [StreamPlan];
const MARK = '~'.charCodeAt(0);
/** One stream of so many is looked into: the others are only counted. */
const SAMPLE = 25;

let counted = 0;
let expected = Number.POSITIVE_INFINITY;
let reached = (): void => {};
const latencies: number[] = [];

/** Opens a stream; resolves when its head and first line are there. */
async function open(isRead: boolean, isSampled: boolean): Promise<Socket> {
  const { hostname, port } = new URL(plan.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const headers = Object.entries(plan.streamHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${plan.streamPath} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers.join('')}\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  if (!first.toString().startsWith('HTTP/1.1 200')) throw new Error(first.toString());
  if (!isRead) return socket.pause();
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(MARK); at >= 0; at = chunk.indexOf(MARK, at + 1)) counted += 1;
    if (isSampled) rest = look(rest + chunk.toString('latin1'));
    if (counted >= expected) reached();
  });
  return socket;
}

/** Notes how long events took; the answer is what is not whole yet. */
function look(text: string): string {
  const now = performance.timeOrigin + performance.now();
  let end = 0;
  for (const match of text.matchAll(/~(\d+\.\d{3})"/g)) {
    latencies.push(now - Number(match[1]));
    end = match.index + match[0].length;
  }
  return text.slice(Math.max(end, text.length - 100));
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
function post(): Promise<void> {
  const stamp = (performance.timeOrigin + performance.now()).toFixed(3);
  const body = Buffer.from(plan.body.replace('~', `~${stamp}`));
  const headers = { ...plan.postHeaders, 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const outgoing = request(plan.origin + plan.postPath, { method: 'POST', agent, headers }, (reply) => {
      if (reply.statusCode !== 202) reject(new Error(`a post was answered ${reply.statusCode}`));
      reply.resume();
      reply.on('end', resolve);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

for (let index = 0; index < plan.readers; index += 1) await open(true, index % SAMPLE === 0);
for (let index = 0; index < plan.stalled; index += 1) await open(false, false);
process.send!('open');

process.on('message', async (message) => {
  const { events, connections, perSecond } = message as { events: number; connections: number; perSecond?: number };
  counted = 0;
  latencies.length = 0;
  expected = events * plan.readers;
  const whole = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const startedAt = performance.now();
  let posted = 0;
  if (perSecond === undefined) {
    const one = async (): Promise<void> => {
      while (posted++ < events) await post();
    };
    await Promise.all(Array.from({ length: connections }, one));
  } else {
    const under: Promise<void>[] = [];
    while (posted < events) {
      const due = Math.min(events, Math.floor(((performance.now() - startedAt) * perSecond) / 1000));
      while (posted < due) {
        under.push(post());
        posted += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(under);
  }
  if (plan.readers > 0) await whole;
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  process.send!({ deliveriesPerSecond: expected / seconds, p50_ms: at(0.5), p99_ms: at(0.99) });
});

// Whoever measures may be stopped in the middle.
process.on('disconnect', () => process.exit());
