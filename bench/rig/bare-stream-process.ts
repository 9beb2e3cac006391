import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const readers = new Set<ServerResponse>();
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.write('\r\n');
    readers.add(response);
    response.on('close', () => readers.delete(response));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const line = Buffer.concat(chunks);
    for (const reader of readers) reader.write(line);
    response.writeHead(202).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', () => process.exit(0));

// Whoever measures may be stopped in the middle.
process.on('disconnect', () => process.exit());
