import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';

/**
 * What people give as an identifier in the form that is hashed: nothing when there is nothing left of it.
 * @source creatives 19.2
 */
export function normalForm(kind: IdentifierKind, text: string): string {
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

/** The SHA-256 of a normal form, as 64 lower-case hexadecimal digits. */
export function hashOfIdentifier(kind: IdentifierKind, text: string): string {
  return hash('sha256', normalForm(kind, text), 'hex');
}

/** Writes the identifier that a hash (64 hexadecimal digits) of a kind comes to. */
export function writeIdentifier(into: Buffer, at: number, kind: IdentifierKind, digits: string): void {
  into.write(digits, at, IDENTIFIER_BYTES - 1, 'hex');
  into[at + IDENTIFIER_BYTES - 1] = IDENTIFIER_KINDS.indexOf(kind);
}

/** Whether identifiers of a kind are sent hashed. */
export function isHashedKind(kind: IdentifierKind): boolean {
  return kind !== 'partner_user_id';
}
