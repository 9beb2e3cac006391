import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as secure } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates } from 'node:tls';
import { request as plain } from '../base/node-http.ts';
import { buildRequest, type ConnectionProfile, encodePairs, type OutgoingRequest } from './connection-profile.ts';
import { CommandFailed, errorMessage } from './failure.ts';

/** The response of the server. */
export interface Reply {
  /** Status code. */
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Sends a signed request and reads the whole response. */
export async function send(request: OutgoingRequest, authorization: string, tlsCa?: string): Promise<Reply> {
  const response = await sendStreaming(request, authorization, tlsCa);
  const pairs: [string, string][] = [];
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    pairs.push([response.rawHeaders[index]!.toLowerCase(), response.rawHeaders[index + 1]!]);
  }
  return {
    status: response.statusCode!,
    statusText: response.statusMessage ?? '',
    headers: pairs,
    body: await text(response),
  };
}

/**
 * Sends a signed request with its URL unchanged, to any port. Resolves with the response head; the body is still unread.
 * @param tlsCa a file with an additional trusted certificate
 * @param signal ends the connection when it is aborted
 */
export async function sendStreaming(
  { method, url, form, json, tar }: OutgoingRequest,
  authorization: string,
  tlsCa?: string,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const body = json ?? (form && encodePairs(form));
  const type = json !== undefined ? 'application/json' : form && 'application/x-www-form-urlencoded';
  const headers: Record<string, string> = { authorization };
  if (type) headers['content-type'] = type;
  if (tar) headers['content-type'] = 'application/x-tar';
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const isSecure = url.startsWith('https:');
  const begin = isSecure ? secure : plain;
  const trust = isSecure &&
    tlsCa !== undefined && { ca: [...getCACertificates('default'), readFileSync(tlsCa, 'utf8')] };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = begin(url, { method, headers, agent: false, ...(signal && { signal }), ...trust }, resolve).on(
      'error',
      reject,
    );
    if (tar) tar.on('error', (error) => request.destroy(error)).pipe(request);
    else request.end(body);
  }).catch((error: unknown) => {
    throw new CommandFailed(unreachable(error, new URL(url).origin));
  });
}

function unreachable(error: unknown, origin: string): string {
  // A host name with several addresses fails with one error for each.
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  const isDown = (first as { code?: string }).code === 'ECONNREFUSED';
  return isDown ? `no server answers at ${origin}; is barker dev running?` : errorMessage(first);
}

/** The bearer token of the application. @throws CommandFailed */
export async function fetchBearerToken(caller: ConnectionProfile): Promise<string> {
  const { consumer_key, consumer_secret } = caller.keys;
  const pair = Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64');
  const request = buildRequest('POST', '/oauth2/token', caller, { data: [['grant_type', 'client_credentials']] });
  const { status, body } = await send(request, `Basic ${pair}`, caller.tlsCa);
  if (status !== 200) throw new CommandFailed(`could not get a bearer token: ${status} ${body}`);
  return (JSON.parse(body) as { access_token: string }).access_token;
}
