import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { after, every, nextTurn } from '../base/timers.ts';

/** Lets a server end without losing replies. */
export interface ConnectionDrain {
  /**
   * Goes on as before for the grace period, so that clients learn from their next reply that the connection ends; then
   * stops accepting, lets the requests in flight finish, closes connections that carry none, and cuts those that are not done
   * in time. Resolves with the number of connections cut.
   */
  finish(times: DrainTimes): Promise<number>;
}

/** Both count from the beginning. */
export interface DrainTimes {
  /** Ends early when no connection is left. */
  readonly grace_ms: number;
  readonly timeout_ms: number;
}

/** A connection that falls idle while the server is stopping is closed within this time. */
const LOOK_MS = 20;

/** Watches the connections of a server from now on. */
export function watchConnections(server: Server): ConnectionDrain {
  const sockets = new Set<Socket>();
  let closedOne = (): void => {};
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      closedOne();
    });
  });
  const grace = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const ended = (): void => {
        callOff();
        closedOne = () => {};
        resolve();
      };
      const callOff = after(ms, ended);
      closedOne = () => void (sockets.size === 0 && ended());
      closedOne();
    });
  const closeIdle = (): void => {
    server.closeIdleConnections();
    // Node counts a connection that never sent a byte as busy with its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  return {
    async finish({ grace_ms, timeout_ms }) {
      let cut = 0;
      const callOff = after(timeout_ms, () => {
        cut = sockets.size;
        for (const socket of sockets) socket.destroy();
      });
      if (grace_ms > 0) await grace(Math.min(grace_ms, timeout_ms));
      // Behind the turn's reading of sockets: who is waiting to be accepted is, and what was sent has been read.
      await new Promise<void>(nextTurn);
      // The method of HTTP servers closes idle connections in the same breath, requests that are arriving among them.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const stopLooking = every(LOOK_MS, () => nextTurn(closeIdle));
      await closed;
      stopLooking();
      callOff();
      // What belongs to HTTP servers alone ends too.
      server.close(() => {});
      return cut;
    },
  };
}
