import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { after, every } from '../base/timers.ts';

/** Lets a server end without losing replies. */
export interface Drain {
  /**
   * Stops accepting, lets the requests in flight finish, and cuts those that are not done in time. Connections that
   * carry no request are closed at once. Resolves with the number of connections cut.
   */
  finish(timeout_ms: number): Promise<number>;
}

/** A connection that falls idle while the server is stopping is closed within this time. */
const LOOK_MS = 20;

/** Watches the connections of a server from now on. */
export function drainOf(server: Server): Drain {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    async finish(timeout_ms) {
      let cut = 0;
      const closeIdle = (): void => {
        server.closeIdleConnections();
        // Node counts a connection that never sent a byte as busy with its first request.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closeIdle();
      const stopLooking = every(LOOK_MS, closeIdle);
      const callOff = after(timeout_ms, () => {
        cut = sockets.size;
        server.closeAllConnections();
      });
      await closed;
      stopLooking();
      callOff();
      return cut;
    },
  };
}
