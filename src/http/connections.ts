import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../base/address-block.ts';

/** How many connections may be open. */
export interface ConnectionLimits {
  /** Over all listeners. */
  readonly connections_max: number;
  /** From one address, IPv6 per /64. */
  readonly connections_per_address_max: number;
}

/** Why a connection is refused. */
export type ConnectionRefusal = 'total' | 'address';

/** The open connections of all listeners. */
export interface Connections {
  /**
   * Counts the connections of a server from now on. One beyond a limit is handed to `refuse` instead of the server, which
   * never knows of it.
   */
  guard(server: Server, refuse: (socket: Socket, why: ConnectionRefusal) => void): void;
  count(): number;
  /** How many were refused so far, by reason. */
  refused(): ReadonlyMap<ConnectionRefusal, number>;
}

/** @param isProxy addresses that speak for many callers: they count in the total only. */
export function connectionCounts(limits: ConnectionLimits, isProxy: (address: string) => boolean): Connections {
  const byBlock = new Map<string, number>();
  const refused = new Map<ConnectionRefusal, number>();
  let open = 0;
  /** Why one more is too many; undefined when it is not, and then it is counted. */
  const take = (socket: Socket): ConnectionRefusal | undefined => {
    if (open >= limits.connections_max) return 'total';
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
    count: () => open,
    refused: () => refused,
  };
}
