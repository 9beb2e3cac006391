import { IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';
import { isHashedKind, normalize } from './normalize.ts';

/** The content of a column. */
export interface Column {
  readonly kind: IdentifierKind;
  /** Its values are already hashed. */
  readonly isHashed: boolean;
}

/** A person's identifiers as in upload requests. */
export type PersonIdentifiers = Readonly<Partial<Record<IdentifierKind, readonly string[]>>>;

/** Common column names, in lower case with letters and digits only. */
const NAMES: Readonly<Record<IdentifierKind, readonly string[]>> = {
  email: ['email', 'emails', 'emailaddress', 'mail', 'e mail'],
  phone_number: ['phonenumber', 'phone', 'phones', 'mobile', 'mobilenumber', 'mobilephone', 'telephone', 'tel'],
  handle: ['handle', 'username', 'screenname'],
  service_user_id: ['serviceuserid', 'userid'],
  device_id: ['deviceid', 'advertisingid', 'idfa', 'gaid', 'aaid', 'androidid', 'adid'],
  partner_user_id: ['partneruserid', 'externalid', 'customerid', 'crmid'],
};

const HASHED = /(sha256|hashed|hash)$/;

/** What a column has, by its name; undefined when that does not tell. */
export function columnOfName(name: string): Column | undefined {
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const kind = IDENTIFIER_KINDS.find((each) => NAMES[each].includes(letters.replace(HASHED, '')));
  if (!kind || (HASHED.test(letters) && !isHashedKind(kind))) return undefined;
  return { kind, isHashed: HASHED.test(letters) };
}

const HASH = /^[0-9a-f]{64}$/i;

/** Checks of normalized values. */
const VALID: Readonly<Partial<Record<IdentifierKind, RegExp>>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  phone_number: /^\+\d{6,15}$/,
  service_user_id: /^\d{1,20}$/,
};

/**
 * The identifiers of a row, with several values of a column separated by semicolons; undefined without any valid one.
 * @param hash the SHA-256 of a text, as 64 lower-case hexadecimal digits
 * @source decision 279
 */
export function identifiersOf(
  columns: readonly (Column | undefined)[],
  row: readonly string[],
  hash: (text: string) => string,
): PersonIdentifiers | undefined {
  const person: Partial<Record<IdentifierKind, string[]>> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const { kind } = column;
    const texts = kind === 'partner_user_id' ? [row[index] ?? ''] : (row[index] ?? '').split(';');
    const values = texts.flatMap((text) => identifierOf(column, text, hash) ?? []);
    if (values.length > 0) person[kind] = [...(person[kind] ?? []), ...values];
  }
  return Object.keys(person).length === 0 ? undefined : person;
}

function identifierOf({ kind, isHashed }: Column, text: string, hash: (text: string) => string): string | undefined {
  const trimmed = text.trim();
  if (kind === 'partner_user_id') return trimmed === '' || [...trimmed].length > 256 ? undefined : trimmed;
  // Columns not marked as hashed may contain hashes too.
  if (isHashed || HASH.test(trimmed)) return HASH.test(trimmed) ? trimmed.toLowerCase() : undefined;
  const form = normalize(kind, text);
  return form !== '' && (VALID[kind]?.test(form) ?? true) ? hash(form) : undefined;
}
