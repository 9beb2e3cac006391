import type { ServerResponse } from 'node:http';
import { after, elapsed_ms, every } from '../../base/timers.ts';
import type { StreamHandle } from '../../contract/services/streams.ts';
import type { Headers } from '../reply.ts';
import { type BodyWriter, bodyWriter } from './chunks.ts';

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
