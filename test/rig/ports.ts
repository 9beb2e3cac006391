import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux and macOS give to connections, and to programs that ask for any port: they cannot take one meanwhile. */
const FIRST = 12_000;
const LAST = 31_999;
/** Processes look for ports in different places: two of them that run side by side hardly find the same one. */
const STEP = 64;

let next = FIRST + ((process.pid * STEP) % (LAST - FIRST + 1));

/** Ports of this machine that nobody listens on, for programs that cannot be asked which they took. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = next;
    next = port === LAST ? FIRST : port + 1;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
