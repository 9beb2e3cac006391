import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';

/**
 * Returns the 16-byte identifier of a normalized text, as a binary string: the first 15 bytes of its SHA-256, then the kind.
 * @source decision 278
 */
export function identifierOf(kind: IdentifierKind, normalized: string): string {
  return hash('sha256', normalized, 'binary').slice(0, DIGEST_BYTES) + letterOf(kind);
}

/** Returns the identifier of a SHA-256 of 64 hexadecimal digits. */
export function identifierOfHash(kind: IdentifierKind, digits: string): string {
  return Buffer.from(digits.slice(0, 2 * DIGEST_BYTES), 'hex').toString('latin1') + letterOf(kind);
}

/** Concatenates the bytes of identifiers. */
export function identifierBytes(identifiers: Iterable<string>): Uint8Array {
  return Buffer.from([...identifiers].join(''), 'latin1');
}

const DIGEST_BYTES = IDENTIFIER_BYTES - 1;

function letterOf(kind: IdentifierKind): string {
  return String.fromCharCode(IDENTIFIER_KINDS.indexOf(kind));
}
