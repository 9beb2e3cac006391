import { halfSent, type Stranger, stranger } from './strangers.ts';

/** What a crowd of strangers does: how each connection begins. */
export type Stage = 'idle' | 'head' | 'form' | 'chunks' | 'later';

/** What this process is told on its command line. */
export interface Crowd {
  readonly url: string;
  readonly connections: number;
  readonly perAddress: number;
  readonly stage: Stage;
}

/**
 * A crowd of strangers in a process of its own, so that what it takes of a processor is not the measurement's. Tells
 * `held` when all have connected, and ends them when it is told to stop.
 */
const { url, connections, perAddress, stage }: Crowd = JSON.parse(process.argv[2]!);
const AT_ONCE = 100;

const form = halfSent(60_000, 1000);
const said: Readonly<Record<Stage, string>> = {
  idle: '',
  head: form.slice(0, form.indexOf('\r\n\r\n') + 2),
  form,
  chunks: form.replace('content-length: 60000', 'transfer-encoding: chunked').replace('\r\n\r\n', '\r\n\r\n3e8\r\n'),
  later: `GET /12/nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n${form}`,
};

const held: Stranger[] = [];
for (let at = 0; at < connections; at += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, connections - at) }, (_, more) => {
    const address = Math.floor((at + more) / perAddress);
    return stranger(url, said[stage], `127.1.${1 + (address >> 8)}.${address & 255}`);
  });
  held.push(...(await Promise.all(some)));
}
process.send!('held');
process.on('message', () => {
  for (const { socket } of held) socket.destroy();
  process.disconnect();
});
