import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ownText } from './foreign-words.ts';

/** A connection of a stranger, and what was answered on it so far. */
export interface Stranger {
  readonly socket: Socket;
  said(): string;
  /** Resolves with the status of the reply, and undefined where the connection ended without one. */
  answer(): Promise<number | undefined>;
}

/** Connects from an address of this machine, and sends some bytes. */
export async function stranger(origin: string, bytes: string, from = '127.0.0.1'): Promise<Stranger> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), localAddress: from });
  let said = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    said = ownText(said + text);
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await Promise.race([once(socket, 'connect'), closed]);
  if (bytes !== '') socket.write(bytes);
  const answer = async (): Promise<number | undefined> => {
    while (!/\r\n\r\n/.test(said)) {
      if (socket.closed) return undefined;
      await Promise.race([once(socket, 'data'), closed]);
    }
    return Number(said.split(' ', 2)[1]);
  };
  return { socket, said: () => said, answer };
}

/** A form of so many bytes that says its length and sends less. */
export function halfSent(length: number, sent: number, { target = '/oauth/request_token', headers = '' } = {}): string {
  const head = `POST ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\n${headers}`;
  return `${head}content-length: ${length}\r\n\r\n${'a'.repeat(sent)}`;
}
