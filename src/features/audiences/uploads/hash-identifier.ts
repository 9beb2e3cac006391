import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';
import { normalize } from './normalize.ts';

/** The SHA-256 of the normalized form, as 64 lower-case hexadecimal digits. */
export function hashIdentifier(kind: IdentifierKind, text: string): string {
  return hash('sha256', normalize(kind, text), 'hex');
}

/**
 * Writes the 16-byte identifier of a text: the first 15 bytes of the SHA-256 of its normalized form, then the kind.
 * @source decision 278
 */
export function writeIdentifier(into: Buffer, at: number, kind: IdentifierKind, text: string): void {
  // Half the time of hexadecimal digits that are read again.
  into.write(hash('sha256', normalize(kind, text), 'binary'), at, IDENTIFIER_BYTES - 1, 'latin1');
  into[at + IDENTIFIER_BYTES - 1] = IDENTIFIER_KINDS.indexOf(kind);
}
