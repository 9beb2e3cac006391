import { isIP, isIPv4 } from 'node:net';

/** The object identifier of the extension that says for which names an authority may speak. */
export const NAME_CONSTRAINTS = '2.5.29.30';
const IDENTIFIER = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1e]);

/** Names of this machine that only this machine can be reached by. */
const OWN = ['localhost', '127.0.0.0/8', '::1/128'];

/**
 * The value of the extension for an authority that may speak for this machine and for `names` alone: who steals its
 * key cannot forge anything else with it.
 * @source RFC 5280 4.2.1.10
 */
export function nameConstraints(names: readonly string[]): Buffer {
  const permitted = [...new Set([...OWN, ...names.map(rangeOf)])].map(subtree);
  return der(0x30, der(0xa0, ...permitted));
}

/** Whether an authority may speak for a name; one without the extension may speak for all. */
export function isPermitted(authority: Buffer, name: string): boolean {
  if (!authority.includes(IDENTIFIER)) return true;
  if (isIPv4(name) && name.startsWith('127.')) return authority.includes(subtree('127.0.0.0/8'));
  if (isIP(name) !== 0) return authority.includes(subtree(rangeOf(name)));
  const labels = name.split('.');
  return labels.some((_, at) => authority.includes(subtree(labels.slice(at).join('.'))));
}

function rangeOf(name: string): string {
  return isIP(name) === 0 ? name : `${name}/${isIPv4(name) ? 32 : 128}`;
}

/** A name, or a range of addresses as address and mask. */
function subtree(range: string): Buffer {
  const [address = '', bits] = range.split('/');
  if (bits === undefined) return der(0x30, der(0x82, Buffer.from(range)));
  const bytes = addressBytes(address);
  const mask = bytes.map((_, at) => 0xff00 >> Math.min(8, Math.max(0, Number(bits) - 8 * at)));
  return der(0x30, der(0x87, Buffer.from([...bytes, ...mask])));
}

function addressBytes(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  // A URL writes every IPv6 address in one way, with at most one gap.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const gap = Array<number>(8 - groups(head).length - groups(tail).length).fill(0);
  return [...groups(head), ...gap, ...groups(tail)].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Tag, length and content. */
function der(tag: number, ...deps: readonly Buffer[]): Buffer {
  const content = Buffer.concat(deps);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}
