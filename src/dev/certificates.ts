import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { join, resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { secureRandom } from '../base/random.ts';

/** The files of the certificates of a development folder; all paths are absolute. */
export interface CertificatePaths {
  /** The CA certificate that clients trust: created once, and kept as long as the folder. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
/** A certificate is renewed when it expires sooner than this. */
const LEFT_MS = 30 * DAY_MS;
/** Names in every certificate. */
const OWN_NAMES = ['localhost', '127.0.0.1', '::1'];

/** The certificate paths of a data folder, whether the files exist or not. */
function certificatePaths(dataFolder: string): CertificatePaths {
  const folder = resolve(dataFolder, 'tls');
  return { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
}

/**
 * Creates the certificates of a development folder, for this machine and for `names` (host names and addresses): a
 * local CA, created once, and a certificate that is renewed before it expires. Valid ones are kept.
 * @source decision 109
 */
export async function ensureCertificates(
  dataFolder: string,
  names: readonly string[],
  clock: Clock,
): Promise<CertificatePaths> {
  const paths = certificatePaths(dataFolder);
  const further = names.map((name) => name.toLowerCase()).filter((name) => !OWN_NAMES.includes(name));
  const hostNames = [...OWN_NAMES, ...new Set(further)];
  const folder = resolve(dataFolder, 'tls');
  if (!existsSync(folder)) await makeAuthority(folder, further, clock);
  const authority = readAuthority(folder, hostNames, clock);
  if (isGood(paths, authority.certificate, hostNames, clock)) return paths;
  const { issueCertificate } = await import('./issue-certificates.ts');
  const { cert, key } = await issueCertificate(authority, hostNames, clock);
  write(paths.key, key);
  write(paths.cert, cert);
  return paths;
}

/** Both files of a CA appear at once; if another process creates one meanwhile, that one is used. */
async function makeAuthority(folder: string, names: readonly string[], clock: Clock): Promise<void> {
  const { issueAuthority } = await import('./issue-certificates.ts');
  const { cert, key } = await issueAuthority(names, clock);
  const draft = `${folder}.${secureRandom.bytes(6).toString('hex')}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  writeFileSync(join(draft, 'ca.pem'), cert, { mode: 0o644 });
  writeFileSync(join(draft, 'ca-key.pem'), key, { mode: 0o600 });
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

/** A CA in the folder: its certificate, and its key as PEM. */
export interface CertificateAuthority {
  readonly certificate: X509Certificate;
  readonly key: string;
}

function readAuthority(folder: string, names: readonly string[], clock: Clock): CertificateAuthority {
  const [path, keyPath] = [join(folder, 'ca.pem'), join(folder, 'ca-key.pem')];
  const anew = `rename ${folder} to have a new one made, which clients must then trust`;
  const authority = readPair(path, keyPath);
  if (!authority) throw new Error(`${path} and ${keyPath} are not a certificate and its key; ${anew}`);
  const { certificate } = authority;
  if (!certificate.ca) throw new Error(`${path} is not the certificate of an authority; ${anew}`);
  if (certificate.validToDate.getTime() - clock.now() < LEFT_MS) throw new Error(`${path} ends soon; ${anew}`);
  const refused = names.filter((name) => !isPermitted(certificate.raw, name));
  if (refused.length > 0) throw new Error(`${path} was not made for ${refused.join(', ')}; ${anew}`);
  return authority;
}

/** A certificate and its key; undefined when either is missing or unreadable, or they do not match. */
function readPair(path: string, keyPath: string): CertificateAuthority | undefined {
  try {
    const certificate = new X509Certificate(readFileSync(path));
    const key = readFileSync(keyPath, 'utf8');
    return certificate.checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the existing certificate is signed by the CA, covers all names, and does not expire soon. */
function isGood(paths: CertificatePaths, authority: X509Certificate, names: readonly string[], clock: Clock): boolean {
  const certificate = readPair(paths.cert, paths.key)?.certificate;
  if (!certificate?.checkIssued(authority) || !certificate.verify(authority.publicKey)) return false;
  const isFor = (name: string) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name));
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  return from <= clock.now() && to - clock.now() >= LEFT_MS && names.every((name) => isFor(name) !== undefined);
}

/** Writes the file at once: readers never see a part of it. */
function write(path: string, content: string): void {
  const draft = `${path}.${secureRandom.bytes(6).toString('hex')}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, path);
}

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
