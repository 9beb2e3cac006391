import type { ServerResponse } from 'node:http';
import { after, elapsed_ms, every } from '../../base/timers.ts';
import type { StreamHandle } from '../../contract/services/streams.ts';
import type { Headers } from '../reply.ts';

/** Writes replies that go on. */
export interface StreamWriter {
  /** Sends the head at once, so that the caller sees an open stream, then hands the connection to the flow. */
  begin(response: ServerResponse, headers: Headers, flow: StreamHandle): void;
}

/** Also what is sent when nothing else is. */
const LINE_END = Buffer.from('\r\n');
/** How often it is looked whether a line is due. */
const LOOK_MS = 250;
/** A reader who does not take the last line within this time is cut off. */
const FINISH_MS = 2000;

/** Writes streams that say something at least every `keepAlive_ms`, so that neither reader nor proxy takes them for dead. */
export function streamWriter(keepAlive_ms: number): StreamWriter {
  /** When each open stream said something last. */
  const spoke = new Map<ServerResponse, number>();
  let stopLooking: (() => void) | undefined;

  const look = (): void => {
    const now_ms = elapsed_ms();
    for (const [response, at_ms] of spoke) {
      if (now_ms - at_ms < keepAlive_ms) continue;
      spoke.set(response, now_ms);
      // Whoever has not taken what was sent before is not told that we are alive.
      if (response.writableLength === 0) response.write(LINE_END);
    }
  };
  const forget = (response: ServerResponse): void => {
    spoke.delete(response);
    if (spoke.size > 0) return;
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
      // The connection serves nothing after a stream.
      response.shouldKeepAlive = false;
      response.writeHead(200, headers);
      response.write(LINE_END);
      spoke.set(response, elapsed_ms());
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
          spoke.set(response, elapsed_ms());
          return response.write(bytes);
        },
        get waiting_bytes() {
          return response.writableLength;
        },
        finish(last) {
          if (isClosed) return;
          forget(response);
          const callOff = after(FINISH_MS, () => response.destroy());
          response.once('close', callOff);
          response.end(last);
        },
      });
    },
  };
}
