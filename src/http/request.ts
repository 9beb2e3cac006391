import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { origin } from '../base/origin.ts';
import { decode } from '../base/percent.ts';
import type { Raw } from '../contract/fields.ts';
import { problem } from '../contract/problems.ts';

/** Who may speak for the caller's scheme and host, and what plain HTTP is allowed. */
export interface Reachability {
  /** Addresses and CIDR ranges of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** The listener is bound to loopback and plain HTTP is allowed there. */
  readonly allowsPlainHttp: boolean;
  /** The listener speaks https itself. */
  readonly endsTls: boolean;
  /** The configured public origin, when there is one. */
  readonly publicOrigin: string | undefined;
}

/** Tells under which origins a request may have been signed, the likeliest first; refuses plain HTTP. */
export function originsReader(reach: Reachability): (request: IncomingMessage) => readonly string[] {
  const proxies = proxyList(reach.trustedProxies);
  const known = new Map<string, readonly string[]>();
  const own = reach.endsTls ? 'https' : 'http';
  return (request) => {
    const forwarded = proxies !== undefined && isTrusted(proxies, request.socket.remoteAddress);
    const scheme = (forwarded && forwardedScheme(request)) || own;
    const host = (forwarded && single(request.headers['x-forwarded-host'])) || request.headers.host || '';
    const key = `${scheme} ${host}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    if (scheme === 'http' && !(reach.allowsPlainHttp && isLoopbackAuthority(host))) {
      throw problem('TLS_REQUIRED', {}, 'plain HTTP');
    }
    const derived = origin(scheme, host);
    const { publicOrigin } = reach;
    const origins = publicOrigin === undefined || publicOrigin === derived ? [derived] : [publicOrigin, derived];
    if (known.size < 100) known.set(key, origins);
    return origins;
  };
}

const NO_HEADERS: readonly string[] = [];

/** Names and values in turn. What was not read to its end has no headers. */
export type SecureHeaders = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => readonly string[];

/**
 * Tells which headers the reply to a request carries because it came over https: that browsers never come otherwise.
 * @source authentication gaps 1.1
 */
export function secureHeadersReader(
  reach: Pick<Reachability, 'trustedProxies' | 'endsTls'>,
  lasts_s: number,
): SecureHeaders {
  const proxies = proxyList(reach.trustedProxies);
  const headers = ['strict-transport-security', `max-age=${lasts_s}`];
  const own = reach.endsTls ? headers : NO_HEADERS;
  if (proxies === undefined) return () => own;
  return (request) => {
    const told = isTrusted(proxies, request.socket.remoteAddress) ? forwardedScheme(request) : undefined;
    return told === undefined ? own : told === 'https' ? headers : NO_HEADERS;
  };
}

/** Tells where a request comes from: the peer, or whom a trusted proxy speaks for. */
export function addressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const proxies = proxyList(trustedProxies);
  return (request) => {
    const peer = request.socket.remoteAddress ?? '';
    const forwarded = proxies !== undefined && isTrusted(proxies, peer) && single(request.headers['x-forwarded-for']);
    return forwarded && isIP(forwarded) !== 0 ? forwarded : peer;
  };
}

/** What a proxy says of its caller; undefined when it says nothing. */
function forwardedScheme(request: Pick<IncomingMessage, 'headers'>): 'http' | 'https' | undefined {
  const told = single(request.headers['x-forwarded-proto'])?.toLowerCase();
  return told === undefined ? undefined : told === 'https' ? 'https' : 'http';
}

/** The last of a comma list: what the trusted proxy itself wrote. */
function single(value: string | string[] | undefined): string | undefined {
  return (
    String(value ?? '')
      .split(',')
      .at(-1)
      ?.trim() || undefined
  );
}

function proxyList(ranges: readonly string[]): BlockList | undefined {
  if (ranges.length === 0) return undefined;
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/') as [string, string | undefined];
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isTrusted(list: BlockList, address: string | undefined): boolean {
  if (!address) return false;
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

function isLoopbackAuthority(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Reads a body of at most `max` bytes. What is beyond them is dropped, so that the refusal can be sent. */
export async function readBody(request: IncomingMessage, max: number): Promise<Buffer> {
  const tooLarge = () => problem('BODY_TOO_LARGE', { words: { max } });
  if (Number(request.headers['content-length'] ?? 0) > max) throw tooLarge();
  // An asynchronous iterator would cost several times this.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > max) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Reads `name=value` pairs of a query or form body into lists by name; protocol parameters are left out. */
export function readPairs(source: string, part: 'query' | 'body', into: Map<string, readonly Raw[]>): void {
  if (source === '') return;
  const own = new Map<string, Raw[]>();
  for (const pair of source.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), true);
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1), true);
    // Such a pair cannot have been signed, so this is not reached by what a signature was checked for.
    if (name === undefined || value === undefined) throw problem('CREDENTIAL_UNUSABLE', {}, `undecodable ${part}`);
    if (name.startsWith('oauth_')) continue;
    const values = own.get(name);
    if (values) values.push(value);
    else own.set(name, [value]);
  }
  // A name that is in both places is taken from the body.
  for (const [name, values] of own) into.set(name, values);
}
