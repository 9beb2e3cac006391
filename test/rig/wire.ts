import { connect as plain, type Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import { ownText } from './foreign-words.ts';

/** Sends bytes as they are over one kept connection, and reads the reply; nothing is normalised on the way. */
export interface Wire {
  send(bytes: Buffer): Promise<WireReply>;
  close(): void;
}

/** The status and the body of a reply. */
export interface WireReply {
  readonly status: number;
  readonly text: string;
}

/** A connection to a listener, opened anew when the listener has closed it. */
export function wireTo(url: string): Wire {
  const { hostname, port, protocol } = new URL(url);
  const to = { host: hostname, port: Number(port) };
  const connect = (): Socket => (protocol === 'https:' ? secure(to) : plain({ ...to, noDelay: true }));
  let socket: Socket | undefined;
  return {
    send(bytes) {
      socket = socket?.writable && !socket.destroyed ? socket : connect();
      const open = socket;
      return new Promise((resolve, reject) => {
        let received = Buffer.alloc(0);
        const settle = (act: () => void): void => {
          open.off('data', take).off('error', failed).off('close', closed);
          act();
        };
        const take = (chunk: Buffer): void => {
          received = Buffer.concat([received, chunk]);
          const reply = wholeReply(received);
          if (!reply) return;
          // What the parser refuses is the end of a connection.
          if (reply.status === 400) open.destroy();
          settle(() => resolve(reply));
        };
        const failed = (error: Error): void => settle(() => reject(error));
        const closed = (): void => settle(() => reject(new Error(`closed after ${JSON.stringify(String(received))}`)));
        open.on('data', take).on('error', failed).on('close', closed);
        open.write(bytes);
      });
    },
    close: () => socket?.destroy(),
  };
}

/** The reply, once all of it is there. A refusal of the parser itself has no length and ends the connection. */
function wholeReply(received: Buffer): WireReply | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const body = received.subarray(headEnd + 4);
  if (body.length < length) return undefined;
  return {
    status: Number(head.slice('HTTP/1.1 '.length).slice(0, 3)),
    text: ownText(body.toString('utf8', 0, length)),
  };
}
