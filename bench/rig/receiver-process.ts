import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

// A bare web server that writes each body to a file of a folder, as it is, and answers when the disk has it.
const folder = process.argv[2]!;
const server = createServer(async (request, response) => {
  const path = join(folder, randomUUID());
  await pipeline(request, createWriteStream(path, { flush: true, highWaterMark: 1_048_576 }));
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', () => process.exit(0));
