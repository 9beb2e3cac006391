import { isIPv6 } from 'node:net';

/**
 * Returns the key of an address for per-address limits: an IPv4 address itself, even if mapped into IPv6; the /64 of an IPv6
 * address, because subscribers get a whole one. Other text is returned as is.
 * @returns `192.0.2.1` or `2001:db8:0:1::/64`: one spelling for all spellings.
 * @source decision 470
 */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address;
  const bare = address.split('%', 1)[0]!;
  if (!isIPv6(bare)) return address;
  const groups = groupsOf(bare);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The host of a URL has no dotted ending.
  const { hostname } = new URL(`http://[${address}]`);
  const [before = [], after] = hostname.slice(1, -1).split('::', 2).map(readGroups);
  if (after === undefined) return before;
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function readGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
