import { randomBytes, randomFillSync } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../../test/rig/client.ts';
import type { UploadPlan, UploadResult } from './upload-load.ts';

const HASH_DIGITS = 64;
const IN_ONE_PERSON = 6;

/**
 * Uploads from a process of its own, one at a time on each connection. All bodies of a connection lie in one piece of
 * memory, in which the first eight digits of every hash change from one upload to the next: all identifiers are
 * different, and as evenly spread as those of people.
 */
process.once('message', async (plan: UploadPlan) => {
  const bodies = Array.from({ length: plan.connections }, () => bodyOf(plan.bytes));
  process.send!('ready');
  await new Promise((resolve) => process.once('message', resolve));
  const startedAt = performance.now();
  const latencies: number[] = [];
  await Promise.all(bodies.map((body, index) => keepSending(plan, body, index, startedAt, latencies)));
  const elapsed_s = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? 0;
  const identifiers = latencies.length * bodies[0]!.places.length;
  const result: UploadResult = {
    acknowledged: latencies.length,
    identifiers,
    perSecond: latencies.length / elapsed_s,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
  process.send!(result);
  process.disconnect();
});

interface Body {
  readonly bytes: Buffer;
  /** Where hashes begin. */
  readonly places: readonly number[];
  /** A random number for each. */
  readonly beginnings: Uint32Array;
}

function bodyOf(bytes: number): Body {
  const hashes = (count: number): string[] =>
    Array.from({ length: count }, () => randomBytes(HASH_DIGITS / 2).toString('hex'));
  const person = (): string => JSON.stringify({ email: hashes(IN_ONE_PERSON) });
  const count = Math.floor((bytes - 60) / (person().length + 1));
  const users = Array.from({ length: count }, person).join(',');
  const text = `[{"operation_type":"Update","params":{"users":[${users}]}}]`.padEnd(bytes);
  const places = [...text.matchAll(/"[0-9a-f]{64}"/g)].map(({ index }) => index + 1);
  return { bytes: Buffer.from(text), places, beginnings: randomFillSync(new Uint32Array(places.length)) };
}

function renew({ bytes, places, beginnings }: Body, number: number): void {
  const change = Math.imul(number, 0x9e3779b1);
  for (const [index, place] of places.entries()) {
    const beginning = beginnings[index]! ^ change;
    for (let digit = 0; digit < 8; digit++) bytes[place + digit] = DIGITS[(beginning >>> (digit * 4)) & 15]!;
  }
}

const DIGITS = Buffer.from('0123456789abcdef');

async function keepSending(
  plan: UploadPlan,
  body: Body,
  connection: number,
  startedAt: number,
  latencies: number[],
): Promise<void> {
  const { hostname, port, host } = new URL(plan.origin);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await new Promise((resolve) => socket.once('connect', resolve));
  for (let sent = 0; performance.now() - startedAt < plan.seconds * 1000; sent++) {
    renew(body, sent * plan.connections + connection);
    // Each connection has its turn; one that is late goes on at once.
    const turn_s = plan.perSecond === undefined ? 0 : (sent * plan.connections + connection) / plan.perSecond;
    await delay(Math.max(0, startedAt + turn_s * 1000 - performance.now()));
    const head = [
      `POST ${plan.path} HTTP/1.1`,
      `host: ${host}`,
      `authorization: ${authorization(plan)}`,
      'content-type: application/json',
      `content-length: ${body.bytes.length}`,
    ].join('\r\n');
    const sentAt = performance.now();
    socket.write(`${head}\r\n\r\n`);
    socket.write(body.bytes);
    const reply = await replyOn(socket);
    if (!reply.startsWith('HTTP/1.1 200')) throw new Error(reply);
    latencies.push(performance.now() - sentAt);
  }
  socket.destroy();
}

function authorization({ origin, path, keys }: UploadPlan): string {
  return sign({
    method: 'POST',
    url: origin + path,
    form: undefined,
    oauth: protocol(keys, systemClock),
    consumerSecret: keys.consumer_secret,
    tokenSecret: keys.access_token_secret,
  }).header;
}

function replyOn(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const settle = (act: () => void): void => {
      socket.off('data', take).off('close', closed);
      act();
    };
    const closed = (): void => settle(() => reject(new Error(`closed after ${text}`)));
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
      if (end >= 0 && text.length >= end + 4 + Number(length)) settle(() => resolve(text));
    };
    socket.on('data', take).on('close', closed);
  });
}
