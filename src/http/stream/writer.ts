import type { ServerResponse } from 'node:http';
import { after, elapsed_ms, every } from '../../base/timers.ts';
import type { StreamHandle } from '../../contract/services/streams.ts';
import type { Headers } from '../reply.ts';

/** Writes streaming replies. */
export interface StreamWriter {
  /** Sends the head at once, so that the client sees an open stream, then passes the connection to the flow. */
  begin(response: ServerResponse, headers: Headers, flow: StreamHandle): void;
}

/** Also the keep-alive signal of an idle stream. */
const LINE_END = Buffer.from('\r\n');
/** How often due keep-alives are looked for. */
const LOOK_MS = 250;
/** A client that does not read the last line within this time is disconnected. */
const FINISH_MS = 2000;

interface OpenStream {
  readonly body: BodyWriter;
  /** When it last sent something. */
  spokeAt_ms: number;
}

/**
 * Writes streams that send a line at least every `keepAlive_ms`, so that neither client nor proxy considers them dead.
 */
export function streamWriter(keepAlive_ms: number): StreamWriter {
  const open = new Map<ServerResponse, OpenStream>();
  let stopLooking: (() => void) | undefined;

  const look = (): void => {
    const now_ms = elapsed_ms();
    for (const [response, stream] of open) {
      if (now_ms - stream.spokeAt_ms < keepAlive_ms) continue;
      stream.spokeAt_ms = now_ms;
      // A client that has not read earlier data gets no keep-alive.
      if (response.writableLength === 0) stream.body.write(LINE_END);
    }
  };
  const forget = (response: ServerResponse): void => {
    open.delete(response);
    if (open.size > 0) return;
    stopLooking?.();
    stopLooking = undefined;
  };

  return {
    begin(response, headers, flow) {
      const { socket } = response;
      if (response.destroyed || !socket) {
        flow.disconnected();
        return;
      }
      // A connection is not reused after a stream.
      response.shouldKeepAlive = false;
      response.writeHead(200, headers);
      response.write(LINE_END);
      const body = bodyWriter(response);
      const stream = { body, spokeAt_ms: elapsed_ms() };
      open.set(response, stream);
      stopLooking ??= every(LOOK_MS, look);
      response.on('drain', () => flow.drained());
      response.on('error', () => {});
      let isClosed = false;
      response.once('close', () => {
        isClosed = true;
        forget(response);
        flow.disconnected();
      });
      flow.begin({
        send(bytes) {
          stream.spokeAt_ms = elapsed_ms();
          return body.write(bytes);
        },
        get waiting_bytes() {
          return response.writableLength;
        },
        finish(last) {
          if (isClosed) return;
          forget(response);
          const callOff = after(FINISH_MS, () => response.destroy());
          response.once('close', callOff);
          body.end(last);
        },
      });
    },
  };
}

const CRLF = '\r\n';
const LAST_CHUNK = `0${CRLF}${CRLF}`;

/** Writes the body of a reply whose head was sent. */
interface BodyWriter {
  /** Returns false under backpressure. */
  write(bytes: Uint8Array): boolean;
  end(last?: Uint8Array): void;
}

/**
 * Writes a reply in chunks that are made once for all readers of the same bytes. Node.js makes them for each, and writes
 * each in three pieces, which takes a third longer.
 * @source RFC 9112 7.1; decision 1037
 */
export function bodyWriter(response: ServerResponse): BodyWriter {
  // An HTTP/1.0 client gets no chunks. Tools for developers, which replace `write`, see lines.
  if (!response.chunkedEncoding || Object.hasOwn(response, 'write')) return response;
  // From here on, Node.js passes on what it is given.
  response.chunkedEncoding = false;
  return {
    write: (bytes) => response.write(chunkOf(bytes)),
    end(last) {
      if (last) response.write(chunkOf(last));
      response.end(LAST_CHUNK, 'latin1');
    },
  };
}

let latest: { readonly bytes: Uint8Array; readonly chunk: Buffer } | undefined;

function chunkOf(bytes: Uint8Array): Buffer {
  if (latest?.bytes !== bytes) {
    latest = { bytes, chunk: Buffer.concat([Buffer.from(bytes.length.toString(16) + CRLF), bytes, Buffer.from(CRLF)]) };
  }
  return latest.chunk;
}
