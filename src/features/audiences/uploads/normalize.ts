import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';

/**
 * The normalized form of an identifier, ready to be hashed; empty when nothing is left of it.
 * @source creatives 19.2
 */
export function normalize(kind: IdentifierKind, text: string): string {
  const trimmed = text.trim();
  switch (kind) {
    case 'email':
      return trimmed.toLowerCase();
    case 'phone_number': {
      const digits = trimmed.replace(/\D/g, '').replace(/^0+/, '');
      return digits === '' ? '' : `+${digits}`;
    }
    case 'handle':
      return trimmed.replace(/^@+/, '').toLowerCase();
    case 'service_user_id':
      return /^\d+$/.test(trimmed) ? String(BigInt(trimmed)) : trimmed;
    case 'device_id':
      return trimmed.replace(/\s/g, '').toLowerCase();
    case 'partner_user_id':
      return text;
  }
}

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

/** Whether identifiers of a kind are sent hashed. */
export function isHashedKind(kind: IdentifierKind): boolean {
  return kind !== 'partner_user_id';
}
