import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { boundedCache } from '../base/bounded-cache.ts';
import { origin } from '../base/origin.ts';
import { problem } from '../contract/problems/problems.ts';
import { isAuthority } from './request-host.ts';

/** The trusted proxies and public origins of a listener, and whether it allows plain HTTP. */
export interface OriginRules {
  /** Addresses and CIDR ranges of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** The listener is bound to loopback and accepts plain HTTP there. */
  readonly allowsPlainHttp: boolean;
  /** The listener itself terminates TLS. */
  readonly endsTls: boolean;
  /** The configured public origins; if there are none, the origin that the caller names is used. */
  readonly publicOrigins: readonly string[];
  /** Development mode: the origin that the caller names is accepted beside the configured ones. */
  readonly allowsOtherHosts: boolean;
}

/** The number of cached combinations of scheme and host. */
const KNOWN_MAX = 100;

/**
 * Returns a function that lists the origins under which a request may have been signed, the likeliest first; it refuses
 * plain HTTP. If public origins are configured, no other is accepted: the caller chooses the `Host` header.
 * @source decision 479
 */
export function originsReader(reach: OriginRules): (request: IncomingMessage) => readonly string[] {
  const isProxy = proxyMatcher(reach.trustedProxies);
  const known = boundedCache<string, readonly string[]>(KNOWN_MAX);
  const own = reach.endsTls ? 'https' : 'http';
  const { publicOrigins, allowsOtherHosts } = reach;
  return (request) => {
    const forwarded = isProxy(request.socket.remoteAddress);
    const scheme = (forwarded && forwardedScheme(request)) || own;
    const host = (forwarded && forwardedHost(request)) || request.headers.host || ownAuthority(request);
    const key = `${scheme} ${host}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    if (scheme === 'http' && !(reach.allowsPlainHttp && isLoopbackAuthority(host))) {
      const hint = reach.allowsPlainHttp
        ? 'Plain HTTP is answered under names of this machine alone, such as 127.0.0.1 and localhost.'
        : 'The server can be reached from other machines, so it answers https alone: start it with --tls.';
      throw problem('TLS_REQUIRED', { hint }, 'plain HTTP');
    }
    const derived = origin(scheme, host);
    const isDerived = publicOrigins.length === 0 || (allowsOtherHosts && !publicOrigins.includes(derived));
    const likely = publicOrigins.includes(derived) ? [derived] : [];
    const origins = [...likely, ...publicOrigins.filter((each) => each !== derived), ...(isDerived ? [derived] : [])];
    known.set(key, origins);
    return origins;
  };
}

/** How a request reached a private listener. */
export interface Reach {
  /** Whether its client speaks https to a trusted proxy. */
  readonly isSecure: boolean;
  /**
   * Whether it came through a trusted proxy, or under an address or name of this listener: under another name, a foreign page
   * could make browsers send it (DNS rebinding).
   */
  readonly isOwnName: boolean;
}

/** Returns a function that determines how a request reached a listener with these names. @source decision 1228 */
export function reachReader(
  trustedProxies: readonly string[],
  names: readonly string[],
): (request: IncomingMessage) => Reach {
  const isProxy = proxyMatcher(trustedProxies);
  return (request) => {
    if (isProxy(request.socket.remoteAddress)) {
      return { isSecure: forwardedScheme(request) === 'https', isOwnName: true };
    }
    const authority = request.headers.host ?? ownAuthority(request);
    const name = authority.toLowerCase().replace(/:\d*$/, '');
    const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
    return { isSecure: false, isOwnName: isAddress || isLoopbackAuthority(authority) || names.includes(name) };
  };
}

/** Sent with every reply: browsers must not guess another content type. */
export const NOSNIFF_HEADERS: readonly string[] = ['x-content-type-options', 'nosniff'];

/** Names and values in turn. An incomplete request has no headers. */
export type SecureHeaders = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => readonly string[];

/**
 * Returns a function that gives the security headers of a reply; those over https include HSTS.
 * @source authentication 1.1
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
    const forwarded = isProxy(request.socket.remoteAddress) ? forwardedScheme(request) : undefined;
    return forwarded === undefined ? own : forwarded === 'https' ? headers : NOSNIFF_HEADERS;
  };
}

/**
 * Returns a function that gives the client address of a request: the peer, or the client that a trusted proxy names.
 * @source decision 481
 */
export function addressReader(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isProxy = proxyMatcher(trustedProxies);
  return ({ headers, socket }) => {
    const peer = socket.remoteAddress ?? '';
    if (!isProxy(peer)) return peer;
    // Each proxy appends its client; anyone else could have written the entries before those of trusted proxies.
    const chain = String(headers['x-forwarded-for'] ?? '').split(',');
    for (const entry of chain.reverse()) {
      const address = addressIn(entry.trim());
      if (address === undefined) return peer;
      if (!isProxy(address)) return address;
    }
    return peer;
  };
}

/** Parses an address; some proxies append a port, and then write IPv6 in brackets. */
function addressIn(entry: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(entry) ?? [];
  const bare = bracketed ?? (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(entry) ? entry.split(':', 1)[0]! : entry);
  return isIP(bare) === 0 ? undefined : bare;
}

/** The scheme that a proxy reports for its client; undefined when it reports none. @source decision 113 */
function forwardedScheme(request: Pick<IncomingMessage, 'headers'>): 'http' | 'https' | undefined {
  const forwarded = single(request.headers['x-forwarded-proto'])?.toLowerCase();
  return forwarded === undefined ? undefined : forwarded === 'https' ? 'https' : 'http';
}

/** The host that a proxy reports; undefined when it reports none or an invalid one. */
function forwardedHost(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const host = single(request.headers['x-forwarded-host']);
  return host !== undefined && isAuthority(host) ? host : undefined;
}

/** The last item of a comma list: the one that the trusted proxy itself wrote. */
function single(value: string | string[] | undefined): string | undefined {
  return (
    String(value ?? '')
      .split(',')
      .at(-1)
      ?.trim() || undefined
  );
}

/** Returns a function that recognizes the addresses of trusted proxies. */
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

/** The address that a request without a host was sent to. @source RFC 9112 3.3 */
function ownAuthority({ socket }: Pick<IncomingMessage, 'socket'>): string {
  const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
  return `${isIP(address) === 6 ? `[${address}]` : address}:${socket.localPort}`;
}

function isLoopbackAuthority(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
