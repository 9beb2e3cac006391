import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';

/**
 * The 16-byte identifier of a text in its normalized form, a character a byte: the first 15 bytes of its SHA-256, then the
 * kind.
 * @source decision 278
 */
export function identifierOf(kind: IdentifierKind, normalized: string): string {
  return hash('sha256', normalized, 'binary').slice(0, DIGEST_BYTES) + letterOf(kind);
}

/** The same of a SHA-256 as 64 hexadecimal digits. */
export function identifierOfHash(kind: IdentifierKind, digits: string): string {
  return Buffer.from(digits.slice(0, 2 * DIGEST_BYTES), 'hex').toString('latin1') + letterOf(kind);
}

/** The bytes of identifiers, one after the other. */
export function identifierBytes(identifiers: Iterable<string>): Uint8Array {
  return Buffer.from([...identifiers].join(''), 'latin1');
}

const DIGEST_BYTES = IDENTIFIER_BYTES - 1;

function letterOf(kind: IdentifierKind): string {
  return String.fromCharCode(IDENTIFIER_KINDS.indexOf(kind));
}
