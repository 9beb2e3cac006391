import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { CONSUMER_SECRET, PORT = '9912' } = process.env;
const AGE_MAX_S = 300;
const BODY_BYTES_MAX = 1_048_576;
const SEEN_MAX = 100_000;

const hmac = (data) => `sha256=${createHmac('sha256', CONSUMER_SECRET).update(data).digest('base64')}`;

/** Whether a header is the signature of the data, compared in constant time. */
function isSigned(data, signature = '') {
  const [expected, received] = [hmac(data), signature].map((text) => Buffer.from(text));
  return expected.length === received.length && timingSafeEqual(expected, received);
}

/** Ids of handled messages: a message may arrive more than once. */
const seen = new Set();

/** What the application does with an event. Rejects to receive it again later. */
async function handle({ event_type, filter, payload }) {
  console.log(JSON.stringify({ event_type, filter, payload }));
}

/** Answers a challenge, which proves that this program has the consumer secret. */
function answerChallenge(response, query) {
  const token = query.get('crc_token') ?? '';
  // A receiver that signs any text would sign forged events.
  if (!/^[0-9a-f]{64}$/.test(token)) return response.writeHead(400).end();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ response_token: hmac(token) }));
}

async function receive(request, response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const { headers } = request;
  if (!isSigned(body, headers['x-ext-webhooks-signature'])) return response.writeHead(401).end();
  const age_s = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']));
  if (!(age_s <= AGE_MAX_S)) return response.writeHead(401).end();
  const id = headers['webhook-id'];
  if (!seen.has(id)) {
    const { data } = JSON.parse(body);
    // The message at the end of a replay has no event.
    if (data) await handle(data);
    seen.add(id);
    if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value);
  }
  response.writeHead(204).end();
}

createServer(async (request, response) => {
  const { searchParams } = new URL(request.url, 'http://receiver');
  try {
    if (request.method === 'GET') answerChallenge(response, searchParams);
    else if (request.method === 'POST') await receive(request, response);
    else response.writeHead(405, { allow: 'GET, POST' }).end();
  } catch (error) {
    console.error(error);
    // The message is sent again.
    response.writeHead(500).end();
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Receives events at http://127.0.0.1:${PORT}/`));
