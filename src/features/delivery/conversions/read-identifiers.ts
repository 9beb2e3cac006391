import { hash } from 'node:crypto';
import { text } from '../../../contract/declare/fields.ts';
import type { IdentifierKind } from '../../../contract/store/audiences.ts';
import { CLICK_ID_MAX } from './click-id.ts';
import { type AddError, isAbsent, isObject, readOptional } from './json-members.ts';

/** Who a conversion is of. */
export interface Identifiers {
  readonly click_ids: readonly string[];
  /** SHA-256 of identifiers, as 64 lower-case hexadecimal digits. */
  readonly hashes: readonly { readonly kind: IdentifierKind; readonly digits: string }[];
}

/** The members with hashes, and the kind of identifier in each. */
const HASHED = { hashed_email: 'email', hashed_phone_number: 'phone_number' } as const satisfies Record<
  string,
  IdentifierKind
>;

const HASH = /^[0-9a-f]{64}$/i;
const HASH_OF_NOTHING = hash('sha256', '');

/**
 * Reads the identifiers of a conversion. One that says whose it is suffices; the address and the browser count only
 * together, and are not stored.
 * @source decision 993
 */
export function readIdentifiers(value: unknown, place: string, add: AddError): Identifiers {
  const click_ids: string[] = [];
  const hashes: { kind: IdentifierKind; digits: string }[] = [];
  if (isAbsent(value)) {
    add({ problem: 'CONVERSION_UNIDENTIFIED', parameter: place });
    return { click_ids, hashes };
  }
  if (!Array.isArray(value)) {
    add({ problem: 'NOT_A_LIST', parameter: place });
    return { click_ids, hashes };
  }
  let count = 0;
  const weak = new Set<string>();
  for (const [index, each] of value.entries()) {
    const at = `${place}[${index}]`;
    if (!isObject(each)) {
      add({ problem: 'NOT_AN_OBJECT', parameter: at });
      count += 1;
      continue;
    }
    const click_id = readOptional(each.click_id, `${at}.click_id`, text({ max: CLICK_ID_MAX }), add);
    if (click_id !== undefined) click_ids.push(click_id);
    count += isAbsent(each.click_id) ? 0 : 1;
    for (const [name, kind] of Object.entries(HASHED)) {
      if (isAbsent(each[name])) continue;
      count += 1;
      const digits = readHash(each[name], `${at}.${name}`, add);
      if (digits !== undefined) hashes.push({ kind, digits });
    }
    for (const name of ['ip_address', 'user_agent']) {
      if (readOptional(each[name], `${at}.${name}`, text({ max: 1000 }), add) !== undefined) weak.add(name);
    }
  }
  if (count === 0 && weak.size < 2) add({ problem: 'CONVERSION_UNIDENTIFIED', parameter: place });
  return { click_ids, hashes };
}

/** A hash in lower case; undefined when it is none. Values are never quoted: they may be personal data. */
function readHash(value: unknown, parameter: string, add: AddError): string | undefined {
  if (typeof value !== 'string' || !HASH.test(value)) {
    add({ problem: 'NOT_A_HASH', parameter });
    return undefined;
  }
  const digits = value.toLowerCase();
  if (digits !== HASH_OF_NOTHING) return digits;
  add({ problem: 'HASH_OF_NOTHING', parameter });
  return undefined;
}
