import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../base/address-block.ts';

/** Maximum numbers of open connections. @source decision 477 */
interface ConnectionLimits {
  /** Across all listeners. */
  readonly connections_max: number;
  /** From one address, IPv6 per /64. @source decision 470 */
  readonly connections_per_address_max: number;
  /** Kept open between requests without any authenticated request on them. */
  readonly unauthenticated_idle_connections_max: number;
}

/** The limit that a refused connection exceeds. */
export type ConnectionRefusal = 'total' | 'address';

/** The open connections of all listeners. */
export interface ConnectionLimiter {
  /**
   * Counts the connections of a server from now on. Passes those beyond a limit to `refuse`, before the server sees them.
   */
  guard(server: Server, refuse: (socket: Socket, why: ConnectionRefusal) => void): void;
  /** Records that a request of a still unknown caller started. */
  requestStarted(socket: Socket, response: ServerResponse): void;
  /** Records an authenticated caller: the connection is no longer closed to make room for others. */
  markAuthenticated(socket: Socket): void;
  openCount(): number;
  /** The number of idle connections closed to make room. */
  closedIdleCount(): number;
  /** The number of refused connections so far, by reason. */
  refusedCounts(): ReadonlyMap<ConnectionRefusal, number>;
}

/**
 * Creates a connection limiter. A connection beyond the total replaces an idle unauthenticated one, if there is one.
 * @param isProxy addresses of proxies, which count in the total only.
 * @param evictOldest ends the oldest connection with an incomplete request; false if there is none.
 * @source decision 477, 621
 */
export function connectionLimiter(
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
  evictOldest: () => boolean,
): ConnectionLimiter {
  const byBlock = new Map<string, number>();
  const refused = new Map<ConnectionRefusal, number>();
  const authenticated = new WeakSet<Socket>();
  /** Open between requests without any authenticated one; the one idle longest comes first. */
  const idle = new Set<Socket>();
  /** Sockets that remove themselves from `idle` when they close. */
  const watched = new WeakSet<Socket>();
  let open = 0;
  let closed = 0;
  const closeIdle = (): boolean => {
    const [longest] = idle;
    if (!longest) return false;
    idle.delete(longest);
    closed += 1;
    longest.destroy();
    return true;
  };
  const nowIdle = (socket: Socket): void => {
    if (socket.destroyed || authenticated.has(socket) || isProxy(socket.remoteAddress ?? '')) return;
    if (!watched.has(socket)) socket.once('close', () => idle.delete(socket));
    watched.add(socket);
    idle.add(socket);
    if (idle.size > limits.unauthenticated_idle_connections_max) closeIdle();
  };
  /** Counts one more connection, or returns the reason to refuse it. */
  const take = (socket: Socket): ConnectionRefusal | undefined => {
    if (open >= limits.connections_max && !closeIdle() && !evictOldest()) return 'total';
    const address = socket.remoteAddress ?? '';
    const block = isProxy(address) ? undefined : addressBlock(address);
    const ofBlock = block === undefined ? 0 : (byBlock.get(block) ?? 0);
    if (block !== undefined) {
      if (ofBlock >= limits.connections_per_address_max) return 'address';
      byBlock.set(block, ofBlock + 1);
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
      if (block === undefined) return;
      const left = byBlock.get(block)! - 1;
      if (left > 0) byBlock.set(block, left);
      else byBlock.delete(block);
    });
    return undefined;
  };
  return {
    guard(server, refuse) {
      // Handling by the server costs more than all the rest, so it must not see refused connections.
      const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
      server.removeAllListeners('connection');
      server.on('connection', (socket: Socket) => {
        const why = take(socket);
        if (why === undefined) {
          for (const listen of listeners) listen.call(server, socket);
          return;
        }
        refused.set(why, (refused.get(why) ?? 0) + 1);
        refuse(socket, why);
      });
    },
    requestStarted(socket, response) {
      if (authenticated.has(socket)) return;
      idle.delete(socket);
      response.once('close', () => nowIdle(socket));
    },
    markAuthenticated: (socket) => void authenticated.add(socket),
    openCount: () => open,
    closedIdleCount: () => closed,
    refusedCounts: () => refused,
  };
}
