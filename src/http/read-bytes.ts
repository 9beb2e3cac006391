import type { IncomingMessage } from 'node:http';
import { releaseMemory } from '../base/release-memory.ts';
import { nextTurn } from '../base/timers.ts';
import { lingeringClose } from './lingering-close.ts';
import type { BodyReadObserver } from './read-body.ts';

const NOTHING = Buffer.alloc(0);
/** The initial buffer for a body of unknown length. */
const FIRST_BYTES = 65_536;

/**
 * Reads a body of at most `max` bytes into one buffer of its own; undefined as soon as it is known to be longer,
 * however many bytes are still to come.
 */
export function readBytes(
  request: IncomingMessage,
  max: number,
  watch?: BodyReadObserver,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const announced = request.headers['content-length'];
  if (Number(announced ?? 0) > max) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let room = Buffer.allocUnsafeSlow(announced === undefined ? Math.min(FIRST_BYTES, max) : Number(announced));
    let size = 0;
    let isEnded = false;
    watch?.onStart((failure) => {
      isEnded = true;
      room = NOTHING;
      reject(failure);
    });
    const take = (chunk: Buffer): void => {
      if (isEnded) return;
      const end = size + chunk.length;
      if (end > max) {
        request.off('data', take);
        resolve(undefined);
        return;
      }
      if (end > room.length) room = Buffer.from(room.buffer.transfer(Math.min(max, Math.max(end, room.length * 2))));
      chunk.copy(room, size);
      size = end;
      watch?.onProgress(size, size);
      if (isEnded) return;
      // The garbage collector sees small objects and not the memory behind them.
      releaseMemory(chunk);
      // The event loop reads from a connection as long as there is data; without a pause, large bodies would starve
      // other connections.
      if (size < max) {
        request.pause();
        nextTurn(() => request.resume());
      }
    };
    request.on('data', take);
    request.on('end', () => resolve(new Uint8Array(room.buffer, 0, size)));
    request.on('error', reject);
  });
}

/** The number of further bytes that are dropped; after that the sender has to wait for the end. */
const LINGER_BYTES = 8_388_608;

/** Closes the connection of a request with an unwanted body after its reply: the sender has a moment to read it. */
export function discardAndClose(request: IncomingMessage): void {
  const { socket } = request;
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    releaseMemory(chunk);
    if (dropped > LINGER_BYTES) request.pause();
  });
  // The server calls this at the end of a reply that closes its connection.
  socket.destroySoon = () => lingeringClose(socket);
}
