import type { IdentifierKind } from '../../../contract/store/audiences.ts';

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

/** Whether identifiers of a kind are sent hashed. */
export function isHashedKind(kind: IdentifierKind): boolean {
  return kind !== 'partner_user_id';
}
