import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Clock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Keys, protocol, type Reply } from './client.ts';
import { foreignOf, isForeign, ownHeaders, ownText } from './foreign-words.ts';
import { checkReply } from './validation.ts';

/** A call that goes out as it is told: with any headers and any body, signed only when keys are given. */
export interface RawCall {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly keys?: Keys | undefined;
  /** How many seconds the clock of the caller is ahead. */
  readonly skew_s?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Further protocol parameters. */
  readonly oauth?: Readonly<Record<string, string>>;
}

/** Sends a call and holds the reply against the description. */
export async function rawCall(origin: string, clock: Clock, own: RawCall): Promise<Reply> {
  const call = inForeignWords(origin, own);
  const { method, target, keys, skew_s = 0, headers = {}, body } = call;
  const authorization = keys && signed(origin, keys, { now: () => clock.now() + skew_s * 1000 }, call);
  const { hostname, port, protocol: scheme } = new URL(origin);
  const request = scheme === 'https:' ? secure : plain;
  const all = { ...(authorization && { authorization }), ...lengthOf(body), ...headers };
  const reply = await new Promise<Reply>((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: target, headers: all, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = ownText(Buffer.concat(chunks).toString());
        const pairs = Object.entries(incoming.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        resolve({ status: incoming.statusCode!, headers: ownHeaders(new Headers(pairs)), text, body: parsed(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  checkReply(method, origin + own.target, reply.status, reply.headers, reply.text);
  return reply;
}

/** A call as a client that speaks foreign words makes it. A body with a signed hash stays as it is. */
function inForeignWords(origin: string, call: RawCall): RawCall {
  const { method, target, headers = {}, body, oauth } = call;
  // What was signed elsewhere stays as it was signed.
  if (!isForeign(origin) || headers.authorization?.startsWith('OAuth ')) return call;
  const words = foreignOf(origin, method, target);
  const type = headers['content-type'] ?? '';
  const renamed =
    body === undefined || oauth?.oauth_body_hash || 'content-length' in headers
      ? body
      : type.startsWith('application/json')
        ? words.text(body)
        : type.startsWith('application/x-www-form-urlencoded')
          ? words.pairs(body)
          : body;
  return { ...call, target: words.target(target), ...(renamed !== undefined && { body: renamed }) };
}

/** A form is part of what is signed. */
function signed(origin: string, keys: Keys, clock: Clock, { method, target, headers, body, oauth }: RawCall): string {
  const isForm = headers?.['content-type']?.startsWith('application/x-www-form-urlencoded');
  return sign({
    method,
    url: origin + target,
    form: isForm ? [...new URLSearchParams(body)] : undefined,
    oauth: { ...protocol(keys, clock), ...oauth },
    consumerSecret: keys.consumer_secret,
    tokenSecret: keys.access_token_secret,
  }).header;
}

function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** JSON, or undefined where a text is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
