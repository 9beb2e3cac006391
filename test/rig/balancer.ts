import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A TCP load balancer: each connection goes to the next of its nodes. */
export interface Balancer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The ports that connections go to from now on, in turn. */
  route(ports: readonly number[]): void;
  close(): Promise<void>;
}

/** Starts a balancer without nodes, which closes connections until it has some. Without a port it takes any free one. */
export async function openBalancer(at = 0): Promise<Balancer> {
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
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(at, '127.0.0.1', resolve));
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

/** A node behind balancers. */
export interface BalancedNode {
  /** The address at which it says whether it is ready. */
  readonly readyz: string;
  /** Where each of the balancers reaches it, in their order. */
  readonly ports: readonly number[];
}

const LOOK_MS = 100;
/** A node that answers too late so often in a row is not ready; once may be the machine. */
const LATE_MAX = 3;

/**
 * Sends connections to the nodes that say that they are ready, as any balancer does, and when none is, to all that are there:
 * on a busy machine the only one may answer late. Returns how to end that.
 */
export async function routeToReady(balancers: readonly Balancer[], nodes: readonly BalancedNode[]) {
  let isStopped = false;
  const states = nodes.map(() => ({ isReady: false, isThere: true, late: 0 }));
  const lookAt = async ({ readyz }: BalancedNode, at: number): Promise<void> => {
    const state = states[at]!;
    try {
      const reply = await fetch(readyz, { signal: AbortSignal.timeout(5 * LOOK_MS) });
      await reply.arrayBuffer();
      states[at] = { isReady: reply.ok, isThere: true, late: 0 };
    } catch (error) {
      const isThere = (error as Error).name === 'TimeoutError';
      const late = isThere ? state.late + 1 : LATE_MAX;
      states[at] = { isReady: state.isReady && late < LATE_MAX, isThere, late };
    }
  };
  const look = async (): Promise<void> => {
    await Promise.all(nodes.map(lookAt));
    const which = (['isReady', 'isThere'] as const).find((each) => states.some((state) => state[each]));
    const chosen = which ? nodes.filter((_, at) => states[at]![which]) : nodes;
    for (const [at, balancer] of balancers.entries()) balancer.route(chosen.map(({ ports }) => ports[at]!));
  };
  await look();
  const done = (async () => {
    while (!isStopped) {
      await pause(LOOK_MS);
      await look();
    }
  })();
  return async (): Promise<void> => {
    isStopped = true;
    await done;
  };
}
