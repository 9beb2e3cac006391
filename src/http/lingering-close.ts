import { Socket } from 'node:net';
import { after } from '../base/timers.ts';

/** A client that is still sending would lose the reply if the connection were closed at once. */
const LINGER_MS = 1000;
/** The number of connections that may linger at a time; each holds as much memory as any other. */
const LINGERING_MAX = 100;
let lingering = 0;

/** Whether another connection may stay open until its client has read the last reply. */
export function canLinger(): boolean {
  return lingering < LINGERING_MAX;
}

/**
 * Closes a connection once everything is sent, `last` included. The client gets a moment to read it, unless many other
 * connections are lingering.
 */
export function lingeringClose(socket: Socket, last = ''): void {
  socket.end(last);
  // `destroySoon` of this socket may have been replaced by a call of this function.
  if (!canLinger()) {
    Socket.prototype.destroySoon.call(socket);
    return;
  }
  lingering += 1;
  const callOff = after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => {
    lingering -= 1;
    callOff();
  });
}
