import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';
import { normalize } from './normalize.ts';

/** The SHA-256 of the normalized form, as 64 lower-case hexadecimal digits. */
export function hashIdentifier(kind: IdentifierKind, text: string): string {
  return hash('sha256', normalize(kind, text), 'hex');
}

/**
 * Writes the 16-byte identifier of a hash (64 hexadecimal digits): its first 15 bytes, then the kind.
 * @source decision 278
 */
export function writeIdentifier(into: Buffer, at: number, kind: IdentifierKind, digits: string): void {
  into.write(digits, at, IDENTIFIER_BYTES - 1, 'hex');
  into[at + IDENTIFIER_BYTES - 1] = IDENTIFIER_KINDS.indexOf(kind);
}
