import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkForeign, isForeign, ownHeaders, ownText } from './foreign-words.ts';
import { recordReply } from './reply-records.ts';
import { recordSecretsOfReply, recordSecretsOfRequest } from './secrets.ts';
import { checkReply, isOwnPage } from './validation.ts';

/** Holds every reply of some services against the description, whoever asked for it and however. */
export interface Watch {
  /** Ends the watch; throws everything that did not fit. */
  end(): void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: Server;
}

const complaints = new Map<number, string[]>();

/** Watches the services of this process that listen at these addresses. */
export function watchReplies(urls: readonly string[]): Watch {
  const ports = urls.map((url) => Number(new URL(url).port));
  for (const port of ports) complaints.set(port, []);
  return {
    end() {
      const found = ports.flatMap((port) => complaints.get(port) ?? []);
      for (const port of ports) complaints.delete(port);
      if (found.length > 0) throw new Error(`${found.length} replies did not fit:\n${found.join('\n')}`);
    },
  };
}

/** The ports of servers that have had a request: asking the operating system each time takes long. */
const portsOfServers = new WeakMap<Server, number>();

function portOf(server: Server): number {
  const port = portsOfServers.get(server) ?? (server.address() as AddressInfo | null)?.port ?? 0;
  if (port !== 0) portsOfServers.set(server, port);
  return port;
}

subscribe('http.server.request.start', (message) => {
  const { request, response, server } = message as Exchange;
  const port = portOf(server);
  const found = complaints.get(port);
  if (found) look(request, response, { found, isForeign: isForeign(`http://localhost:${port}`) });
});

/** The headers are taken from the call that writes them: a flat list given there is not kept by the response. */
function look(
  request: IncomingMessage,
  response: ServerResponse,
  { found, isForeign }: { readonly found: string[]; readonly isForeign: boolean },
): void {
  const { writeHead, end } = response;
  let headers = new Headers();
  recordSecretsOfRequest(request);
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    headers = headersOf(this, args.at(-1));
    return (writeHead as (...all: unknown[]) => ServerResponse).apply(this, args);
  } as typeof writeHead;
  response.end = function (this: ServerResponse, ...args: unknown[]) {
    const [body] = args;
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : '';
    recordReply(request.method!, request.url!, this.statusCode, headers, text);
    recordSecretsOfReply(ownText(request.url!), ownHeaders(headers), ownText(text));
    const ended = (end as (...all: unknown[]) => ServerResponse).apply(this, args);
    if (headers.get('x-content-type-options') !== 'nosniff')
      found.push(`${request.method} ${request.url} lets types be guessed`);
    // A fault that was asked for may say anything.
    if (headers.has('x-barker-fault')) return ended;
    if (this.statusCode === 503 && !headers.has('retry-after'))
      found.push(`${request.method} ${request.url} answers 503 without saying when to try again`);
    try {
      if (isForeign && !isOwnPage(ownText(request.url!)))
        checkForeign(`${request.method} ${request.url} answered ${this.statusCode}`, text);
      checkReply(request.method!, ownText(request.url!), this.statusCode, ownHeaders(headers), ownText(text));
    } catch (error) {
      found.push((error as Error).message);
    }
    return ended;
  } as typeof end;
}

function headersOf(response: ServerResponse, input: unknown): Headers {
  const headers = new Headers();
  const add = (name: string, value: unknown): void => headers.set(name, String(value));
  for (const [name, value] of Object.entries(response.getHeaders())) add(name, value);
  if (Array.isArray(input)) for (let at = 0; at < input.length; at += 2) add(input[at], input[at + 1]);
  else if (typeof input === 'object') for (const [name, value] of Object.entries(input ?? {})) add(name, value);
  return headers;
}
