import type { IdentifierKind } from '../../../contract/store/audiences.ts';
import { isInternational, phoneNumberOf } from './phone-number.ts';

/** Reasons why a value is not a valid identifier, with texts in `src/texts/en/people-file.ts`. */
export type Unusable = IdentifierKind | 'country_code' | 'hash' | 'unreadable';

/** The normalized form of an identifier for hashing, or the reason why it has none. */
export type Normalized = { readonly form: string } | { readonly unusable: Unusable };

/** The formats of normalized identifiers. */
const FORMS: Readonly<Record<Exclude<IdentifierKind, 'phone_number'>, RegExp>> = {
  email: /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/,
  handle: /^[^\s@]+$/,
  service_user_id: /^\d{1,20}$/,
  // Some systems report zeros to hide the id.
  device_id: /^(?![0-]*$)[0-9a-f-]{16,64}$/,
  partner_user_id: /^.{1,256}$/su,
};

/**
 * Normalizes an identifier.
 * @param country of phone numbers without a country code
 * @source creatives 19.2; decision 279, 1160
 */
export function normalize(kind: IdentifierKind, text: string, country?: string): Normalized {
  if (/[\0\ufffd]/.test(text)) return { unusable: 'unreadable' };
  if (kind === 'phone_number') {
    const number = phoneNumberOf(text, country);
    if (number !== undefined) return { form: number };
    return { unusable: country === undefined && !isInternational(text) && /\d/.test(text) ? 'country_code' : kind };
  }
  const form = formOf(kind, text.trim());
  return FORMS[kind].test(form) ? { form } : { unusable: kind };
}

function formOf(kind: IdentifierKind, trimmed: string): string {
  switch (kind) {
    case 'handle':
      return trimmed.replace(/^@+/, '').toLowerCase();
    case 'service_user_id':
      return /^\d+$/.test(trimmed) ? String(BigInt(trimmed)) : trimmed;
    case 'device_id':
      return trimmed.replace(/\s/g, '').toLowerCase();
    case 'partner_user_id':
      return trimmed;
    default:
      return trimmed.toLowerCase();
  }
}
