import { hmac } from './sign.ts';
import type { ActivityEvent } from './stream.ts';

/** A message to a webhook: an event, or the outcome of a replay. */
export interface WebhookMessage {
  readonly data?: ActivityEvent;
  readonly meta?: { readonly replay?: boolean };
  readonly replay_job_status?: Readonly<Record<string, string>>;
}

/** What a webhook needs to know. */
export interface WebhookOptions {
  /** The secret of the application. */
  readonly consumerSecret: string;
  /** The secret of the webhook, `whsec_…`: with it, messages must also be signed anew within the last five minutes. */
  readonly webhookSecret?: string | undefined;
  /** Called with each message; when it fails, the server sends the message again. @param id the same when it is repeated */
  onMessage(message: WebhookMessage, id: string | undefined): void | Promise<void>;
}

const TOLERANCE_S = 300;
const CHALLENGE = /^[0-9a-f]{64}$/;

/** The answer to a challenge, as JSON. @throws RangeError unless the token is one that servers send */
export async function challengeReply(consumerSecret: string, crcToken: string): Promise<{ response_token: string }> {
  // A receiver that signs any text signs forged events.
  if (!CHALLENGE.test(crcToken)) throw new RangeError('Not a challenge: the token has 64 hexadecimal digits');
  return { response_token: `sha256=${await hmac('SHA-256', consumerSecret, crcToken)}` };
}

/** Whether a message is from the server: checks the signatures over the raw body. */
export async function verifyWebhook(
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  { consumerSecret, webhookSecret }: Pick<WebhookOptions, 'consumerSecret' | 'webhookSecret'>,
): Promise<boolean> {
  const header = (name: string): string =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const expected = `sha256=${await hmac('SHA-256', consumerSecret, body)}`;
  if (!(await isSame(header('x-ext-webhooks-signature'), expected))) return false;
  if (webhookSecret === undefined) return true;
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const key = Uint8Array.from(atob(webhookSecret.replace(/^whsec_/, '')), (letter) => letter.charCodeAt(0));
  const own = `v1,${await hmac('SHA-256', key, `${id}.${timestamp}.${body}`)}`;
  const matches = await Promise.all(
    header('webhook-signature')
      .split(' ')
      .map((each) => isSame(each, own)),
  );
  return matches.includes(true);
}

/** Answers the requests of the server to a webhook: for `Deno.serve`, `Bun.serve`, frameworks, and `nodeListener`. */
export function webhookHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  const { consumerSecret, onMessage } = options;
  return async (request) => {
    const { search, searchParams } = new URL(request.url);
    if (request.method === 'GET') {
      const signature = request.headers.get('x-ext-webhooks-signature') ?? '';
      const expected = `sha256=${await hmac('SHA-256', consumerSecret, search.slice(1))}`;
      if (!(await isSame(signature, expected))) return new Response('wrong signature', { status: 401 });
      const token = searchParams.get('crc_token') ?? '';
      if (!CHALLENGE.test(token)) return new Response('not a challenge', { status: 400 });
      return Response.json(await challengeReply(consumerSecret, token));
    }
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'GET, POST' } });
    const body = await request.text();
    if (!(await verifyWebhook(request.headers, body, options))) return new Response('wrong signature', { status: 401 });
    await onMessage(JSON.parse(body) as WebhookMessage, request.headers.get('webhook-id') ?? undefined);
    return new Response();
  };
}

/** Compares in constant time, by digests under a key that nobody else knows. */
async function isSame(one: string, other: string): Promise<boolean> {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const [first, second] = await Promise.all([one, other].map((each) => hmac('SHA-256', key, each)));
  return first === second;
}

interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/** A handler as a listener of `createServer` of `node:http`, or as a route of Express. */
export function nodeListener(
  handler: (request: Request) => Promise<Response>,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of request) pieces.push(new Uint8Array(piece));
    const known = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value ?? '')]);
    const body = method === 'GET' || method === 'HEAD' ? null : new Blob(pieces);
    const sent = new Request(new URL(url, 'http://webhook'), { method, headers: known, body });
    const answer = await handler(sent).catch((error: unknown) => {
      console.error(error);
      return new Response('', { status: 500 });
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
}
