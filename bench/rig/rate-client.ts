import { connect, type Socket } from 'node:net';
import { pause } from '../../src/base/timers.ts';

/**
 * Sends whole requests, as bytes made beforehand, at a fixed rate, whether the former are answered or not; returns how
 * long after it was due each was answered, in milliseconds: who waits for a late answer is not left out.
 *
 * It leaves next to nothing behind in memory. A client that tidies up for 12 ms every other second measures itself.
 */
export async function atRate(options: {
  readonly port: number;
  readonly requests: readonly Buffer[];
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  /** What every reply must contain. */
  readonly expected: string;
}): Promise<Float64Array> {
  const { requests, perSecond } = options;
  const total = perSecond * options.seconds;
  const times = new Float64Array(total);
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => opened(options.port)));
  /** The connections that wait for nothing, and the number of the request that each of the others waits for. */
  const idle = [...sockets.keys()];
  const waiting = new Int32Array(sockets.length).fill(-1);
  let next = 0;
  let done = 0;
  let failure: Error | undefined;
  const begun = performance.now();
  const due = (number: number): number => begun + (number * 1000) / perSecond;
  const sendDue = (): void => {
    while (next < total && idle.length > 0 && due(next) <= performance.now()) {
      const free = idle.pop()!;
      waiting[free] = next;
      sockets[free]!.write(requests[next % requests.length]!);
      next += 1;
    }
  };
  for (const [at, socket] of sockets.entries()) {
    let received: Buffer | undefined;
    socket.on('error', (error) => (failure = error));
    socket.on('data', (bytes: Buffer) => {
      received = received ? Buffer.concat([received, bytes]) : bytes;
      if (!isWhole(received)) return;
      if (!received.includes(options.expected)) failure = new Error(received.toString());
      received = undefined;
      times[waiting[at]!] = performance.now() - due(waiting[at]!);
      waiting[at] = -1;
      idle.push(at);
      done += 1;
      sendDue();
    });
  }
  while (done < total && !failure) {
    sendDue();
    await pause(1);
  }
  for (const socket of sockets) socket.destroy();
  if (failure) throw failure;
  return times;
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Whether these bytes are a whole reply; its length is in its head. */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = bytes.toString('latin1', 0, headEnd);
  return bytes.length >= headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)![1]);
}
