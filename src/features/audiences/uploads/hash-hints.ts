import type { IdentifierKind } from '../../../contract/store/audiences.ts';

/** What a value looks like that should be a hash: the first that fits. Order matters. */
const SHAPES: readonly [pattern: RegExp, details: string, kinds?: readonly IdentifierKind[]][] = [
  [/^$/, 'it is empty'],
  [/^\s+|\s+$/, 'it has space around it'],
  [/^0x[0-9a-f]{64}$/i, 'it begins with 0x'],
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
  [/^[0-9a-z+/_-]{43}=?$/i, 'looks like base64; write a hash as 64 hexadecimal digits'],
  [/^(\W?[0-9a-f]{64}\W?){2,}$/i, 'looks like several hashes in one text'],
];

/** What a value is that is no hash, without repeating it. */
export function lookAlike(value: unknown, kind: IdentifierKind): string {
  if (typeof value !== 'string') return value === null ? 'it is null' : `it is no text but a JSON ${typeof value}`;
  const shape = SHAPES.find(([pattern, , kinds]) => pattern.test(value) && (!kinds || kinds.includes(kind)));
  return shape?.[1] ?? `a hash has 64 hexadecimal digits; this has ${value.length} characters`;
}
