import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { releaseMemory } from '../base/release-memory.ts';
import { after, nextTurn } from '../base/timers.ts';
import { problem } from '../contract/problems/problems.ts';

/** Observes a body that is being read. */
export interface BodyReadObserver {
  /** Receives the number of bytes so far, and the size of the memory that holds them. */
  onProgress(received_bytes: number, held_bytes: number): void;
  /** Receives a function that aborts reading. */
  onStart(end: (failure: Error) => void): void;
}

/** Whether the body of a request has a content coding, none of which is supported. @source RFC 9110 8.4; decision 1114 */
export function hasEncodedBody({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding'];
  if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const NOTHING = Buffer.alloc(0);
/** The initial size of the buffer that collects small chunks; it doubles as needed. */
const FIRST_BYTES = 4096;

/**
 * Reads a body of at most `max` bytes. Drops further bytes, so that the refusal can be sent. Merges chunks as they arrive, so
 * that a body sent byte by byte takes no more memory than any other.
 */
export function readBody(request: IncomingMessage, max: number, watch?: BodyReadObserver): Promise<Buffer> {
  const tooLarge = () => problem('BODY_TOO_LARGE', { words: { max } });
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.reject(tooLarge());
  // An asynchronous iterator would cost several times as much.
  return new Promise((resolve, reject) => {
    let whole: Buffer = NOTHING;
    let size = 0;
    let isEnded = false;
    const end = (failure: Error): void => {
      isEnded = true;
      whole = NOTHING;
      reject(failure);
    };
    watch?.onStart(end);
    request.on('data', (chunk: Buffer) => {
      if (isEnded) return;
      const before = size;
      size += chunk.length;
      if (size > max) return end(tooLarge());
      if (before === 0) {
        whole = chunk;
      } else {
        if (size > whole.length) whole = grown(whole, before, Math.min(max, Math.max(size, before * 2, FIRST_BYTES)));
        chunk.copy(whole, before);
      }
      watch?.onProgress(size, whole.length);
    });
    request.on('end', () => resolve(whole.subarray(0, size)));
    request.on('error', reject);
  });
}

/** Copies the first `size` bytes of a buffer into a larger one. */
export function grown(whole: Buffer, size: number, room: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(room);
  whole.copy(larger, 0, 0, size);
  return larger;
}

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

/** The initial buffer for a body of unknown length. */
const WHOLE_FIRST_BYTES = 65_536;

/**
 * Reads a body of at most `max` bytes into its own buffer; resolves with undefined as soon as it is known to be longer.
 */
export function readBytes(
  request: IncomingMessage,
  max: number,
  watch?: BodyReadObserver,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const announced = request.headers['content-length'];
  if (Number(announced ?? 0) > max) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let room = Buffer.allocUnsafeSlow(announced === undefined ? Math.min(WHOLE_FIRST_BYTES, max) : Number(announced));
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

/** Maximum number of bytes dropped after the reply; then reading stops. */
const LINGER_BYTES = 8_388_608;

/** Drops the rest of a body, and closes the connection after the reply, leaving the client time to read it. */
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
