import { createServer, connect as dial, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A TCP proxy to a server whose connections can be cut. */
export interface CuttableProxy {
  /** The URL of the server through this proxy. */
  readonly url: string;
  /** Drops all traffic in both directions without closing any connection. */
  silence(): void;
  /** Closes the connections to the server and leaves those of the clients open. */
  loseClients(): void;
  /** Closes all connections, and new ones as soon as they are made. */
  refuse(): void;
  /** Passes on what comes from now on so much later, in both directions; in order. */
  slow(delay_ms: number): void;
  /** Lets new connections pass, without delay; those that were cut stay cut. */
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy to the server of a URL. */
export async function openCuttableProxy(to: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(to);
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  const sockets = new Set<Socket>();
  let isSilent = false;
  let isRefusing = false;
  let delay_ms = 0;
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {});
    if (isRefusing) near.destroy();
    if (isSilent) return;
    const far = dial(Number(port), hostname);
    sockets.add(far);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, into] of [pair, [far, near] as const]) {
      from.setNoDelay(true);
      from.on('error', () => {});
      let passed = Promise.resolve();
      from.on('data', (bytes) => {
        const due_ms = performance.now() + delay_ms;
        passed = passed.then(async () => {
          if (due_ms > performance.now()) await wait(due_ms - performance.now());
          if (!cut.has(pair)) into.write(bytes);
        });
      });
      from.on('close', () => void (!cut.has(pair) && into.destroy()));
    }
  });
  const cut = new WeakSet<readonly [Socket, Socket]>();
  const cutAll = (): void => {
    isSilent = true;
    for (const pair of pairs) cut.add(pair);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(to);
  url.port = String((server.address() as { port: number }).port);
  url.hostname = '127.0.0.1';
  return {
    url: url.href,
    silence: cutAll,
    loseClients() {
      cutAll();
      for (const [, far] of pairs) far.destroy();
    },
    refuse() {
      cutAll();
      isRefusing = true;
      for (const socket of sockets) socket.destroy();
    },
    slow(by_ms) {
      delay_ms = by_ms;
    },
    mend() {
      isSilent = false;
      isRefusing = false;
      delay_ms = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
