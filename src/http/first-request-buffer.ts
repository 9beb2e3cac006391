import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../base/address-block.ts';
import { type Problem, problem } from '../contract/problems/problems.ts';
import { grown } from './read-body.ts';
import type { RequestMemory, Reservation, ReservationRequest } from './request-memory.ts';

/** Buffers new connections until their first request has arrived, before the HTTP server sees them. @source decision 620 */
export interface FirstRequestBuffer {
  /**
   * Buffers connections in front of a server, which sees one once the head of its first request and a following form are
   * complete, or not worth waiting for. Until then a connection takes a quarter of the memory.
   * @param event the event of the server for a new connection: `secureConnection` over TLS.
   * @param unanswered ends a connection that has no request to answer.
   */
  attachTo(
    server: Server,
    event: 'connection' | 'secureConnection',
    unanswered: (socket: Socket, failure: Problem, bytes: Buffer) => void,
  ): void;
  /** The reason to refuse a request that was handed over incomplete, if any. */
  failureOf(socket: Socket): Problem | undefined;
}

/**
 * The memory of a buffered connection, beside the bytes received.
 * @source decision 620, 475
 */
const CONNECTION_BYTES = 5120;
/**
 * Maximum number of connections at a time that get an error reply for a refused form; others are closed without one.
 * @source decision 474
 */
const REFUSED_MAX = 100;
const NOTHING = Buffer.alloc(0);
const FIRST_BYTES = 2048;

/**
 * Creates a buffer within this memory.
 * @param addressOf returns the client address of a head, as named by a trusted proxy.
 */
export function firstRequestBuffer(
  memory: RequestMemory,
  form_bytes_max: number,
  addressOf: (socket: Socket, head: Buffer) => string,
): FirstRequestBuffer {
  const failures = new WeakMap<Socket, Problem>();
  let refusedCount = 0;

  function wait(
    socket: Socket,
    serve: (socket: Socket) => void,
    unanswered: (socket: Socket, failure: Problem, bytes: Buffer) => void,
  ): void {
    const scan = firstRequestScanner(form_bytes_max);
    let bytes: Buffer = NOTHING;
    let size = 0;
    let stage: ReservationRequest['stage'] = 'head';
    let held: Reservation | undefined;

    const leave = (): void => {
      held?.release();
      held = undefined;
      socket.off('data', take).off('end', end).off('close', leave);
    };
    const handOver = (): void => {
      leave();
      serve(socket);
      socket.off('error', ignore);
      socket.emit('data', bytes.subarray(0, size));
    };
    const hold = (): Reservation => {
      const owner = stage === 'body' ? addressBlock(addressOf(socket, bytes.subarray(0, size))) : undefined;
      return memory.reserve({ stage, priority: 'first', owner, overhead_bytes: CONNECTION_BYTES, evict: fail });
    };
    const fail = (failure: Problem): void => {
      if (stage === 'head') {
        leave();
        unanswered(socket, failure, bytes.subarray(0, size));
        return;
      }
      if (refusedCount >= REFUSED_MAX) {
        leave();
        socket.destroy();
        return;
      }
      refusedCount += 1;
      socket.once('close', () => {
        refusedCount -= 1;
      });
      failures.set(socket, failure);
      handOver();
    };
    const take = (chunk: Buffer): void => {
      const before = size;
      size += chunk.length;
      if (before === 0) bytes = chunk;
      else {
        if (size > bytes.length) bytes = grown(bytes, before, Math.max(size, before * 2, FIRST_BYTES));
        chunk.copy(bytes, before);
      }
      const arrived = scan.scan(bytes.subarray(0, size));
      if (arrived === 'enough') {
        handOver();
        return;
      }
      if (arrived === 'some of the form' && stage === 'head') {
        held?.release();
        stage = 'body';
        held = hold();
      }
      held?.update(size, bytes.length);
    };
    const end = (): void => {
      leave();
      if (size === 0) socket.end();
      else unanswered(socket, problem('REQUEST_UNREADABLE'), bytes.subarray(0, size));
    };
    socket.on('error', ignore);
    socket.on('close', leave);
    socket.on('end', end);
    socket.on('data', take);
    held = hold();
  }

  return {
    attachTo(server, event, unanswered) {
      const listeners = server.listeners(event) as ((socket: Socket) => void)[];
      server.removeAllListeners(event);
      const serve = (socket: Socket): void => {
        for (const listen of listeners) listen.call(server, socket);
      };
      server.on(event, (socket: Socket) => wait(socket, serve, unanswered));
    },
    failureOf: (socket) => failures.get(socket),
  };
}

/** A disconnecting client is no server error. */
function ignore(): void {}

/** The progress of the first request of a connection; `enough` if waiting for more is not worthwhile. */
type ScanResult = 'some of the head' | 'some of the form' | 'enough';

/** The maximum head size of the parser. */
const HEAD_BYTES_MAX = 16_384;
const HEAD_END = '\r\n\r\n';
/** Chunk heads are shorter, except with extensions, which no client sends. */
const CHUNK_HEAD_BYTES = 16;

/** Scans the first bytes of a connection. */
interface FirstRequestScanner {
  /** Receives all bytes so far, at least those of the previous call. */
  scan(bytes: Buffer): ScanResult;
}

/**
 * Creates a scanner that detects whether a head and its form have arrived. It only decides how long to buffer: the bytes
 * reach the parser unchanged, so anything unusual or malformed is `enough` at once and left to the parser.
 * @param form_bytes_max larger forms are not waited for.
 * @source decision 620
 */
export function firstRequestScanner(form_bytes_max: number): FirstRequestScanner {
  let looked = 0;
  /** Where the form, or its current chunk, ends; undefined before the head is complete. */
  let end: number | undefined;
  let isChunked = false;
  let bodyAt = 0;
  return {
    scan(bytes) {
      if (end === undefined) {
        const at = bytes.indexOf(HEAD_END, Math.max(0, looked - HEAD_END.length));
        if (at < 0) {
          const isOdd =
            !isUpperCase(bytes[0]!) || bytes.length > HEAD_BYTES_MAX || bytes.includes('\n\n', Math.max(0, looked - 1));
          looked = bytes.length;
          return isOdd ? 'enough' : 'some of the head';
        }
        bodyAt = at + HEAD_END.length;
        const form = formOf(bytes.toString('latin1', 0, bodyAt));
        isChunked = form === 'chunks';
        end = form === 'chunks' || form > form_bytes_max ? bodyAt : bodyAt + form;
      }
      if (bytes.length - bodyAt > form_bytes_max) return 'enough';
      while (isChunked && bytes.length >= end) {
        const next = nextChunk(bytes, end);
        if (next === 'incomplete') return 'some of the form';
        if (next === 'last or odd') return 'enough';
        end = next;
      }
      return bytes.length >= end ? 'enough' : 'some of the form';
    },
  };
}

function isUpperCase(byte: number): boolean {
  return byte >= 65 && byte <= 90;
}

/** The length of the form after a head; 0 if it is not buffered. */
function formOf(head: string): number | 'chunks' {
  if (!/\r\ncontent-type:[ \t]*application\/x-www-form-urlencoded[ \t]*[;\r]/i.test(head)) return 0;
  // A client that sent `expect` waits for an answer before it sends the body.
  if (/\r\nexpect:/i.test(head)) return 0;
  const lengths = [...head.matchAll(/\r\ncontent-length:[ \t]*(\d*)[ \t]*(?=\r)/gi)];
  if (/\r\ntransfer-encoding:/i.test(head)) {
    return lengths.length === 0 && /\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r/i.test(head) ? 'chunks' : 0;
  }
  return lengths.length === 1 ? Number(lengths[0]![1]) : 0;
}

/** The end of the chunk that begins at `at`. */
function nextChunk(bytes: Buffer, at: number): number | 'incomplete' | 'last or odd' {
  const head = bytes.toString('latin1', at, at + CHUNK_HEAD_BYTES);
  const [whole, size] = /^([0-9a-f]{1,8})\r\n/i.exec(head) ?? [];
  if (whole === undefined) return /^[0-9a-f]{0,8}\r?$/i.test(head) ? 'incomplete' : 'last or odd';
  const length = Number.parseInt(size!, 16);
  if (length === 0) return 'last or odd';
  const end = at + whole.length + length;
  // The line break after the chunk.
  if (bytes.length > end && bytes[end] !== 13) return 'last or odd';
  return end + 2;
}
