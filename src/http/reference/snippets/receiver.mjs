/**
 * A receiver of webhooks for trying things out: answers challenges with the consumer secret of the demo application, and
 * prints every event. Run it in the folder in which the server runs.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const PORT = 9912;
const { consumer_secret: secret } = JSON.parse(readFileSync('data/dev.json', 'utf8'));
const sign = (text) => `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;

createServer(async (request, response) => {
  const token = new URL(request.url, 'http://receiver').searchParams.get('crc_token');
  if (request.method === 'GET' && token !== null) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ response_token: sign(token) }));
    return;
  }
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  console.log(Buffer.concat(pieces).toString());
  response.end();
}).listen(PORT, '127.0.0.1', () => console.log(`receives webhooks at http://127.0.0.1:${PORT}/`));
