import { isIP, isIPv4 } from 'node:net';

/** The object identifier of the name constraints extension, which limits the names that a CA may certify. */
export const NAME_CONSTRAINTS = '2.5.29.30';
const IDENTIFIER = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1e]);

/** Names and addresses that always mean the local machine. */
const OWN = ['localhost', '127.0.0.0/8', '::1/128'];

/**
 * Encodes the extension for a CA that is limited to this machine and to `names`: with a stolen key, nothing else can be
 * forged.
 * @source RFC 5280 4.2.1.10; decision 109, 641
 */
export function nameConstraints(names: readonly string[]): Buffer {
  const permitted = [...new Set([...OWN, ...names.map(rangeOf)])].map(subtree);
  return der(0x30, der(0xa0, ...permitted));
}

/** Whether a CA may certify a name; without the extension, it may certify any. */
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

/** Encodes a name, or an address range as address and mask. */
function subtree(range: string): Buffer {
  const [address = '', bits] = range.split('/');
  if (bits === undefined) return der(0x30, der(0x82, Buffer.from(range)));
  const bytes = addressBytes(address);
  const mask = bytes.map((_, at) => 0xff00 >> Math.min(8, Math.max(0, Number(bits) - 8 * at)));
  return der(0x30, der(0x87, Buffer.from([...bytes, ...mask])));
}

function addressBytes(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  // `URL` normalizes IPv6 addresses, with at most one `::`.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const gap = Array<number>(8 - groups(head).length - groups(tail).length).fill(0);
  return [...groups(head), ...gap, ...groups(tail)].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Encodes tag, length and content. */
function der(tag: number, ...deps: readonly Buffer[]): Buffer {
  const content = Buffer.concat(deps);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}
