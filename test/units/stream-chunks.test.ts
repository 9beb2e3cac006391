import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { bodyWriter } from '../../src/http/stream/writer.ts';

/** What a client of a version of HTTP receives, with the head, from a reply whose body is written. */
async function received(version: '1.0' | '1.1', answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer({ requireHostHeader: false }, (_, response) => {
    response.shouldKeepAlive = false;
    response.writeHead(200, ['content-type', 'text/plain']);
    response.write('\r\n');
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET / HTTP/${version}\r\n\r\n`);
  const all = await text(socket);
  server.close();
  return all;
}

const LINE = Buffer.from('{"data":{"bio":"größer"}}\r\n');

function bodyOf(reply: string): string {
  return reply.slice(reply.indexOf('\r\n\r\n') + 4);
}

test('every line is a chunk, and the end is marked', async () => {
  const reply = await received('1.1', (response) => {
    const body = bodyWriter(response);
    for (const bytes of [LINE, LINE, Buffer.from('{}\r\n')]) body.write(bytes);
    body.end(Buffer.from('last\r\n'));
  });
  assert.match(reply, /transfer-encoding: chunked/i);
  const chunk = `1d\r\n${LINE}\r\n`;
  assert.equal(bodyOf(reply), `2\r\n\r\n\r\n${chunk}${chunk}4\r\n{}\r\n\r\n6\r\nlast\r\n\r\n0\r\n\r\n`);
});

test('an end without a last line is marked too', async () => {
  const reply = await received('1.1', (response) => bodyWriter(response).end());
  assert.equal(bodyOf(reply), '2\r\n\r\n\r\n0\r\n\r\n');
});

test('a client of HTTP/1.0 gets no chunks', async () => {
  const reply = await received('1.0', (response) => {
    const body = bodyWriter(response);
    body.write(LINE);
    body.end(LINE);
  });
  assert.equal(bodyOf(reply), `\r\n${LINE}${LINE}`);
});

test('what stands in for `write` sees lines, and the client chunks', async () => {
  const seen: string[] = [];
  const reply = await received('1.1', (response) => {
    const write = response.write.bind(response) as (bytes: Uint8Array) => boolean;
    response.write = ((bytes: Uint8Array) => {
      seen.push(String(bytes));
      return write(bytes);
    }) as typeof response.write;
    const body = bodyWriter(response);
    body.write(LINE);
    body.end();
  });
  assert.deepEqual(seen, [String(LINE)]);
  assert.equal(bodyOf(reply), `2\r\n\r\n\r\n1d\r\n${LINE}\r\n0\r\n\r\n`);
});
