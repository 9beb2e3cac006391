import { isIP, isIPv4 } from 'node:net';

/** Whether a host (a name, or an address with or without brackets) is loopback. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

/** The origin of a public URL; undefined when it has more than an origin, or is plain HTTP off loopback. */
export function parseOrigin(text: string): string | undefined {
  const { protocol, hostname, pathname, search, hash, username, password, origin } = new URL(text);
  const plain = pathname === '/' && `${search}${hash}${username}${password}` === '';
  return plain && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) ? origin : undefined;
}

/** Whether a text is an IP address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && !address.includes('%') && /^\d{1,3}$/.test(bits) && Number(bits) <= width;
}
