import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { after, every, nextTurn, pause } from '../base/timers.ts';

/** Closes a server without losing replies. */
export interface ConnectionDrain {
  /**
   * Keeps serving for the grace period, so that clients learn from their next reply that the connection closes; then ends
   * streams, stops accepting, lets requests in flight finish, closes idle connections, and cuts those beyond the timeout.
   * Resolves with the number of connections cut.
   * @source decision 436
   */
  finish(times: DrainTimes): Promise<number>;
}

/** Both count from the start of draining. */
export interface DrainTimes {
  readonly grace_ms: number;
  readonly timeout_ms: number;
  /** Ends streams after the grace period, so that clients reconnect to another server. */
  endLasting?(): Promise<void>;
}

/** A connection that becomes idle while the server is stopping is closed within this time. */
const LOOK_MS = 20;

/** Tracks the connections of a server from now on. */
export function watchConnections(server: Server): ConnectionDrain {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeIdle = (): void => {
    server.closeIdleConnections();
    // Node treats a connection that never sent a byte as busy with its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  return {
    async finish({ grace_ms, timeout_ms, endLasting }) {
      let cut = 0;
      const callOff = after(timeout_ms, () => {
        cut = sockets.size;
        for (const socket of sockets) socket.destroy();
      });
      // Also without connections: a load balancer may not have noticed yet, and opens more.
      if (grace_ms > 0) await pause(Math.min(grace_ms, timeout_ms));
      await endLasting?.();
      // Wait for this turn of the event loop to read its sockets: pending connections are accepted and sent bytes are
      // read.
      await new Promise<void>(nextTurn);
      // `close` of an HTTP server also closes idle connections at once, even those on which a request is arriving.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const stopLooking = every(LOOK_MS, () => nextTurn(closeIdle));
      await closed;
      stopLooking();
      callOff();
      // Ends what only HTTP servers have, such as their timers.
      server.close(() => {});
      return cut;
    },
  };
}
