import { BlockList, isIP } from 'node:net';
import type { UrlError } from '../../contract/services/sending.ts';

/** Blocked unless private addresses are allowed: they lead into internal networks. @source activity 21.4 */
const NEVER_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Only 2000::/3 of IPv6 is allocated at all; these ranges lie within it.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

const GIVEN_OUT = ['2000::/3'];

/** Metadata services disclose secrets here to any client, so these are always blocked. */
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10'];

/** Tests an address by its numeric value. */
export type IsAllowedAddress = (address: string) => boolean;

/**
 * Returns a function that decides whether requests may be sent to an address.
 * @param input.allowsPrivate allows every address except link-local ones.
 * @param input.privateRanges ranges that the operator allows, link-local ones excepted.
 */
export function allowedAddresses(input: {
  readonly allowsPrivate: boolean;
  readonly privateRanges: readonly string[];
}): IsAllowedAddress {
  const [isBlocked, givenOut, link, opened] = [NEVER_PUBLIC, GIVEN_OUT, LINK_LOCAL, input.privateRanges].map(
    listOf,
  ) as [Ranges, Ranges, Ranges, Ranges];
  return (written) => {
    // An IPv6 form of an IPv4 address is treated like that address.
    const [, embedded] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(written) ?? [];
    const address = embedded ?? written;
    const family = isIP(address);
    if (family === 0 || address.includes('%') || link(address)) return false;
    if (input.allowsPrivate || opened(address)) return true;
    if (embedded !== undefined || isBlocked(address)) return false;
    return family === 4 || givenOut(address);
  };
}

type Ranges = (address: string) => boolean;

/** Each family needs a list of its own: one list would take `::` and all mapped addresses for IPv4. */
function listOf(ranges: readonly string[]): Ranges {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const range of ranges) {
    const [address, bits] = range.split('/') as [string, string | undefined];
    // The first `isIP` of an IPv6 address compiles an expression, which takes 12 ms.
    const family = address.includes(':') ? 6 : 4;
    const name = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) lists[family].addAddress(address, name);
    else lists[family].addSubnet(address, Number(bits), name);
  }
  return (address) => {
    const family = isIP(address) as 4 | 6;
    return lists[family].check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Rules for the URL of a receiver. */
interface UrlRules {
  /** Allows plain http, ports, and addresses in place of names: for receivers on one's own machine. */
  readonly allowsPrivate: boolean;
  /** Origins of this service, to which nothing is sent. */
  ownOrigins(): readonly string[];
}

const LENGTH_MAX = 200;

/**
 * Validates the URL of a receiver as written; undefined if it is valid. Refuses anything that URL parsers would repair, so
 * that all parsers read it the same way.
 * @source activity 19.1 and 21.4
 */
export function urlError(url: string, rules: UrlRules): UrlError | undefined {
  const message = complaint(url, rules);
  return message === undefined ? undefined : { message };
}

/** A name without its trailing dot, if any. */
const nameOf = (host: string): string => host.replace(/\.$/, '');

function complaint(url: string, { allowsPrivate, ownOrigins }: UrlRules): string | undefined {
  if (url.length < 1 || url.length > LENGTH_MAX) return `the url must have 1 to ${LENGTH_MAX} characters`;
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(url) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  if (scheme === undefined || /[\s\u0000-\u001f\u007f\\]/.test(url) || !URL.canParse(url)) {
    return 'the url cannot be read';
  }
  const { protocol, hostname, origin } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol !== 'https:' && !(allowsPrivate && protocol === 'http:')) return 'the url must begin with https://';
  if (authority!.includes('@')) return 'the url must have no user';
  if (url.includes('#')) return 'the url must have no fragment';
  if (!allowsPrivate && /:\d*$/.test(authority!)) return 'the url must have no port';
  if (!allowsPrivate && isIP(host) !== 0) return 'the host of the url must be a name';
  // In development, receivers may run under the same name on other ports.
  const isOwn = (own: string): boolean =>
    allowsPrivate ? own === origin : URL.canParse(own) && nameOf(new URL(own).hostname) === nameOf(host);
  if (ownOrigins().some(isOwn)) return 'the url must not lead to this service';
  return undefined;
}
