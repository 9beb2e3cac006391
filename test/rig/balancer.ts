import { connect, createServer, type Socket } from 'node:net';

/** A TCP load balancer: each connection goes to the next of its nodes. */
export interface Balancer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The ports that connections go to from now on, in turn. */
  route(ports: readonly number[]): void;
  close(): Promise<void>;
}

/** Starts a balancer without nodes, which closes connections until it has some. */
export async function openBalancer(): Promise<Balancer> {
  let ports: readonly number[] = [];
  let next = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.setNoDelay(true).on('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    const port = ports[next++ % ports.length];
    if (port === undefined) return near.destroy();
    const far = keep(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => void (from.readableEnded || to.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    route(to) {
      ports = to;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
