// Required by the library, and must be imported before it.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Clock } from '../base/clock.ts';
import { secureRandom } from '../base/random.ts';
import { type CertificateAuthority, NAME_CONSTRAINTS, nameConstraints } from './certificates.ts';

/** A certificate and its key, as PEM. */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
/** Some clients refuse certificates that are valid for more than 398 days. */
const CERTIFICATE_DAYS = 397;
/** Tolerates clients whose clocks are slow. */
const BEFORE_MS = 3_600_000;

/** Issues a CA certificate that is valid only for this machine and for `names`. @source decision 109 */
export async function issueAuthority(names: readonly string[], clock: Clock): Promise<CertificateAndKey> {
  const keys = await newKeys();
  const name = `CN=Barker local authority ${secureRandom.bytes(4).toString('hex')}`;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name,
    ...validity(AUTHORITY_DAYS, clock),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new ExtendedKeyUsageExtension([SERVER_AUTHENTICATION]),
      new Extension(NAME_CONSTRAINTS, true, nameConstraints(names)),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) };
}

/** Issues a certificate for a server that is reached by these names. */
export async function issueCertificate(
  authority: CertificateAuthority,
  names: readonly string[],
  clock: Clock,
): Promise<CertificateAndKey> {
  const keys = await newKeys();
  const parent = new X509Certificate(authority.certificate.toString());
  const { notBefore, notAfter } = validity(CERTIFICATE_DAYS, clock);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=Barker development server',
    issuer: parent.subjectName,
    notBefore,
    notAfter: notAfter < parent.notAfter ? notAfter : parent.notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([SERVER_AUTHENTICATION]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(parent.publicKey),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(days: number, clock: Clock): { notBefore: Date; notAfter: Date } {
  const from_ms = clock.now() - BEFORE_MS;
  return { notBefore: new Date(from_ms), notAfter: new Date(from_ms + days * DAY_MS) };
}

/** An unpredictable positive number. */
function serialNumber(): string {
  const bytes = secureRandom.bytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toString('hex');
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = bytes
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]*-----/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', bytes, ALGORITHM, false, ['sign']);
}
