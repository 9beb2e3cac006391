import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { boundedCache } from '../base/bounded-cache.ts';
import { origin } from '../base/origin.ts';
import { decode } from '../base/percent.ts';
import type { RawValue } from '../contract/declare/fields.ts';
import { problem } from '../contract/problems/problems.ts';
import { isAuthority } from './request-host.ts';

/** Who may speak for the caller's scheme and host, and what plain HTTP is allowed. */
export interface OriginRules {
  /** Addresses and CIDR ranges of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** The listener is bound to loopback and plain HTTP is allowed there. */
  readonly allowsPlainHttp: boolean;
  /** The listener speaks https itself. */
  readonly endsTls: boolean;
  /** The configured public origins; when there are none, what the caller names. */
  readonly publicOrigins: readonly string[];
  /** Development mode: the origin that the caller names fits beside the configured ones. */
  readonly allowsOtherHosts: boolean;
}

/** Combinations of scheme and host that are cached. */
const KNOWN_MAX = 100;

/**
 * Tells under which origins a request may have been signed, the likeliest first; refuses plain HTTP. Where public origins
 * are configured no other fits: the `Host` header is the caller's to choose.
 */
export function originsReader(reach: OriginRules): (request: IncomingMessage) => readonly string[] {
  const isProxy = proxyMatcher(reach.trustedProxies);
  const known = boundedCache<string, readonly string[]>(KNOWN_MAX);
  const own = reach.endsTls ? 'https' : 'http';
  const { publicOrigins, allowsOtherHosts } = reach;
  return (request) => {
    const forwarded = isProxy(request.socket.remoteAddress);
    const scheme = (forwarded && forwardedScheme(request)) || own;
    const host = (forwarded && forwardedHost(request)) || request.headers.host || '';
    const key = `${scheme} ${host}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    if (scheme === 'http' && !(reach.allowsPlainHttp && isLoopbackAuthority(host))) {
      throw problem('TLS_REQUIRED', {}, 'plain HTTP');
    }
    const derived = origin(scheme, host);
    const isDerived = publicOrigins.length === 0 || (allowsOtherHosts && !publicOrigins.includes(derived));
    const likely = publicOrigins.includes(derived) ? [derived] : [];
    const origins = [...likely, ...publicOrigins.filter((each) => each !== derived), ...(isDerived ? [derived] : [])];
    known.set(key, origins);
    return origins;
  };
}

/** What every reply carries, whatever it is: no browser may guess what it could be instead. */
export const NOSNIFF_HEADERS: readonly string[] = ['x-content-type-options', 'nosniff'];

/** Names and values in turn. What was not read to its end has no headers. */
export type SecureHeaders = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => readonly string[];

/**
 * Tells which headers every reply to a request carries, and those that it carries because it came over https: that
 * browsers never come otherwise.
 * @source authentication gaps 1.1
 */
export function secureHeadersReader(
  reach: Pick<OriginRules, 'trustedProxies' | 'endsTls'>,
  lasts_s: number,
): SecureHeaders {
  const isProxy = proxyMatcher(reach.trustedProxies);
  const headers = [...NOSNIFF_HEADERS, 'strict-transport-security', `max-age=${lasts_s}`];
  const own = reach.endsTls ? headers : NOSNIFF_HEADERS;
  if (reach.trustedProxies.length === 0) return () => own;
  return (request) => {
    const told = isProxy(request.socket.remoteAddress) ? forwardedScheme(request) : undefined;
    return told === undefined ? own : told === 'https' ? headers : NOSNIFF_HEADERS;
  };
}

/** Tells where a request comes from: the peer, or whom a trusted proxy speaks for. */
export function addressReader(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isProxy = proxyMatcher(trustedProxies);
  return ({ headers, socket }) => {
    const peer = socket.remoteAddress ?? '';
    if (!isProxy(peer)) return peer;
    // Each proxy adds whom it was called by; whoever is no proxy of ours can have written the rest.
    const chain = String(headers['x-forwarded-for'] ?? '').split(',');
    for (const said of chain.reverse()) {
      const address = addressIn(said.trim());
      if (address === undefined) return peer;
      if (!isProxy(address)) return address;
    }
    return peer;
  };
}

/** An address, which some proxies write with a port, and those of IPv6 then in brackets. */
function addressIn(said: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(said) ?? [];
  const bare = bracketed ?? (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(said) ? said.split(':', 1)[0]! : said);
  return isIP(bare) === 0 ? undefined : bare;
}

/** What a proxy says of its caller; undefined when it says nothing. */
function forwardedScheme(request: Pick<IncomingMessage, 'headers'>): 'http' | 'https' | undefined {
  const told = single(request.headers['x-forwarded-proto'])?.toLowerCase();
  return told === undefined ? undefined : told === 'https' ? 'https' : 'http';
}

/** The host that a proxy names; undefined when it names none that can be one. */
function forwardedHost(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const host = single(request.headers['x-forwarded-host']);
  return host !== undefined && isAuthority(host) ? host : undefined;
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

/** Tells which addresses are those of trusted proxies. */
export function proxyMatcher(ranges: readonly string[]): (address: string | undefined) => boolean {
  if (ranges.length === 0) return () => false;
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/') as [string, string | undefined];
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    if (!address) return false;
    const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
    return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

function isLoopbackAuthority(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Reads `name=value` pairs of a query or form body into lists by name; protocol parameters are left out. */
export function parsePairs(source: string, part: 'query' | 'body', into: Map<string, readonly RawValue[]>): void {
  if (source === '') return;
  const own = new Map<string, RawValue[]>();
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
