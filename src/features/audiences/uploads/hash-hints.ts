import type { IdentifierKind } from '../../../contract/store/audiences.ts';

/** Patterns of values that are not hashes, with a hint for each; the first match counts. */
const SHAPES: readonly [pattern: RegExp, details: string, kinds?: readonly IdentifierKind[]][] = [
  [/^$/, 'it is empty'],
  [/^\s+|\s+$/, 'it has surrounding whitespace'],
  [/^0x[0-9a-f]{64}$/i, 'it starts with 0x'],
  [/@.+\./, 'looks like a plain e-mail; send the hash of its lower-case text'],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'looks like a plain device id; send its hash'],
  [/^[0-9a-f]{16}$/i, 'looks like a plain device id; send its hash', ['device_id']],
  [/^\+?[\d ().-]{6,24}$/, 'looks like a plain phone number; send its hash', ['phone_number']],
  [/^\d{1,20}$/, 'looks like a plain number; send its hash'],
  [/^@?\w{1,15}$/, 'looks like a plain handle; send its hash', ['handle']],
  [/^[0-9a-f]{32}$/i, 'looks like MD5'],
  [/^[0-9a-f]{40}$/i, 'looks like SHA-1'],
  [/^[0-9a-f]{96}$/i, 'looks like SHA-384'],
  [/^[0-9a-f]{128}$/i, 'looks like SHA-512'],
  [/^[0-9a-z+/_-]{43}=?$/i, 'looks like base64; send 64 hexadecimal digits'],
  [/^(\W?[0-9a-f]{64}\W?){2,}$/i, 'looks like several hashes in one value'],
];

/** Why a value is not a hash, without quoting it. @source decision 274 */
export function hashHint(value: unknown, kind: IdentifierKind): string {
  if (typeof value !== 'string') return value === null ? 'it is null' : `expected a string, got a JSON ${typeof value}`;
  const shape = SHAPES.find(([pattern, , kinds]) => pattern.test(value) && (!kinds || kinds.includes(kind)));
  return shape?.[1] ?? `expected 64 hexadecimal digits, got ${value.length} characters`;
}
