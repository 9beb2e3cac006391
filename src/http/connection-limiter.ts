import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../base/address-block.ts';

/** How many connections may be open. */
export interface ConnectionLimits {
  /** Over all listeners. */
  readonly connections_max: number;
  /** From one address, IPv6 per /64. */
  readonly connections_per_address_max: number;
  /** Kept open between requests although nobody has authenticated on them. */
  readonly unauthenticated_idle_connections_max: number;
}

/** Why a connection is refused. */
export type ConnectionRefusal = 'total' | 'address';

/** The open connections of all listeners. */
export interface ConnectionLimiter {
  /**
   * Counts the connections of a server from now on. One beyond a limit is handed to `refuse` instead of the server, which
   * never knows of it.
   */
  guard(server: Server, refuse: (socket: Socket, why: ConnectionRefusal) => void): void;
  /** Is told of each request, before anything is known of its caller. */
  requestStarted(socket: Socket, response: ServerResponse): void;
  /** The caller of a request is authenticated: their connection is not closed so that others have room. */
  markAuthenticated(socket: Socket): void;
  openCount(): number;
  /** How many idle ones were closed so that others had room. */
  closedIdleCount(): number;
  /** How many were refused so far, by reason. */
  refusedCounts(): ReadonlyMap<ConnectionRefusal, number>;
}

/**
 * Counts connections. One that is too many in total takes the place of one on which nobody has authenticated, if there is any.
 * @param isProxy addresses that speak for many callers: they count in the total only.
 * @param endOldest ends the oldest connection whose request has not arrived completely; false when there is none.
 */
export function connectionLimiter(
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
  endOldest: () => boolean,
): ConnectionLimiter {
  const byBlock = new Map<string, number>();
  const refused = new Map<ConnectionRefusal, number>();
  const vouched = new WeakSet<Socket>();
  /** Open between requests, nobody authenticated; the one idle longest comes first. */
  const idle = new Set<Socket>();
  /** Those that leave `idle` by themselves when they close. */
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
    if (socket.destroyed || vouched.has(socket) || isProxy(socket.remoteAddress ?? '')) return;
    if (!watched.has(socket)) socket.once('close', () => idle.delete(socket));
    watched.add(socket);
    idle.add(socket);
    if (idle.size > limits.unauthenticated_idle_connections_max) closeIdle();
  };
  /** Why one more is too many; undefined when it is not, and then it is counted. */
  const take = (socket: Socket): ConnectionRefusal | undefined => {
    if (open >= limits.connections_max && !closeIdle() && !endOldest()) return 'total';
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
      // What the server does with a connection costs more than all the rest: it must not hear of those that are refused.
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
      if (vouched.has(socket)) return;
      idle.delete(socket);
      response.once('close', () => nowIdle(socket));
    },
    markAuthenticated: (socket) => void vouched.add(socket),
    openCount: () => open,
    closedIdleCount: () => closed,
    refusedCounts: () => refused,
  };
}
