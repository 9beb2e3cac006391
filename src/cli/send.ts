import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates } from 'node:tls';
import { encodePairs, type OutgoingRequest } from './connection-profile.ts';
import { CommandFailed, errorMessage } from './failure.ts';

/** What came back. */
export interface Reply {
  /** Status code and its words. */
  readonly status: number;
  readonly statusText: string;
  /** Names in small letters. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Sends a request as it was signed, and reads the whole reply. */
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
 * Sends a request as it was signed: the target is not written anew, and no port is out of bounds. The answer is the head
 * of the reply; its body is still to be read.
 * @param tlsCa a file with a certificate that is trusted beside the usual ones.
 */
export async function sendStreaming(
  { method, url, form, json }: OutgoingRequest,
  authorization: string,
  tlsCa?: string,
): Promise<IncomingMessage> {
  const body = json ?? (form && encodePairs(form));
  const type = json !== undefined ? 'application/json' : form && 'application/x-www-form-urlencoded';
  const headers: Record<string, string> = { authorization };
  if (type) headers['content-type'] = type;
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const isSecure = url.startsWith('https:');
  const begin = isSecure ? secure : plain;
  const trust = isSecure &&
    tlsCa !== undefined && { ca: [...getCACertificates('default'), readFileSync(tlsCa, 'utf8')] };
  return new Promise<IncomingMessage>((resolve, reject) => {
    begin(url, { method, headers, agent: false, ...trust }, resolve)
      .on('error', reject)
      .end(body);
  }).catch((error: unknown) => {
    throw new CommandFailed(unreachable(error, new URL(url).origin));
  });
}

function unreachable(error: unknown, origin: string): string {
  // A name with several addresses fails with an error for each.
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  const isDown = (first as { code?: string }).code === 'ECONNREFUSED';
  return isDown ? `nothing answers at ${origin}; is barker dev running?` : errorMessage(first);
}
