import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A receiver of webhooks in a process of its own: it answers challenges with the secret that it was given, and everything else
// with 200. It is told how many messages to await, and says when they have come.
const secret = process.argv[2]!;
let count = 0;
let awaited = Number.POSITIVE_INFINITY;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const token = new URL(request.url!, 'http://receiver').searchParams.get('crc_token')!;
    const response_token = `sha256=${createHmac('sha256', secret).update(token).digest('base64')}`;
    response.end(JSON.stringify({ response_token }));
    return;
  }
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-length': '0' }).end();
    count += 1;
    if (count >= awaited) tell();
  });
});
function tell(): void {
  count = 0;
  awaited = Number.POSITIVE_INFINITY;
  process.send!('come');
}
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', (message: number | 'end') => {
  if (message === 'end') process.exit(0);
  awaited = message as number;
  if (count >= awaited) tell();
});
